import * as path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { compileBodyChecks } from '../../contract/compileBodyChecks.ts';
import { systemClock, type Clock } from '../../core/Clock.ts';
import { settingWords } from '../../core/config/effectiveSettings.ts';
import { isLoopback, type Settings } from '../../core/config/settings.ts';
import type { Logger } from '../../core/Logger.ts';
import { type AccessLog, createAccessLog } from '../../core/observability/createAccessLog.ts';
import { createLogger } from '../../core/observability/createLogger.ts';
import { logDestination } from '../../core/observability/logDestination.ts';
import { Metrics } from '../../core/observability/Metrics.ts';
import { GOOD_OPEN_FILES, openFilesLimit, RAISE_OPEN_FILES } from '../../core/openFiles.ts';
import { buildCommit, packageVersion } from '../../core/packageRoot.ts';
import { sampleRequest } from '../../ticks/sampleRequest.ts';
import { readConsole } from '../http/console/readConsole.ts';
import type { HttpDeps, HttpOptions, HttpParts, ServiceState } from '../http/HttpParts.ts';
import { HttpServer } from '../http/HttpServer.ts';
import { type FindMarket, marketOfTable, refusalOf } from '../markets/openExchange.ts';
import type { WorkerLink } from './cluster/WorkerLink.ts';
import { joinFeeds } from './joinFeeds.ts';
import { modelDirectory } from './modelDirectory.ts';
import { openAccounts } from './openAccounts.ts';
import { openForecaster, type OpenForecaster, openModels } from './openForecaster.ts';
import { openStore } from './openStore.ts';
import { openTraces, requireTracePackages } from './openTraces.ts';
import { rulesDirectory } from './rulesDirectory.ts';
import { OpenedParts, type ServiceBasics } from './ServiceBasics.ts';
import { hasInferenceProcess, mostConnections, readHostResources } from './topology.ts';
import { versionFiles } from './versionFiles.ts';
import { serveMetrics, watchMetrics } from './watchMetrics.ts';
import { warmUp } from './warmUp.ts';

export type ServiceOverrides = {
  /** Whether no other process serves the store. Default: without a link, and with a file. */
  readonly isAlone?: boolean;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly openStore?: typeof openStore;
  /** The link to the primary process; only in a worker process. */
  readonly link?: WorkerLink;
  /** The socket of the shared inference process; left out: the service starts its own, if any. */
  readonly inferenceSocket?: string | undefined;
  readonly openForecaster?: typeof openForecaster;
  /** How a market of an exchange is reached; default: as the table says. */
  readonly findMarket?: FindMarket;
  /** For a process whose code is compiled already. */
  readonly warmUpRounds?: number;
};

/** The whole heap is collected when it has grown to three times what was left (docs/adr/0052-the-heap-may-grow-threefold.md). */
const HEAP_GROWTH = '--heap-growing-percent=200';

/**
 * The composition root. Listens first (503 on /health/ready), then opens store, backend, rules and models, answers the sample some times
 * (warm-up: the first caller's forecast is nearly as fast as the next), and turns ready. Throws the ServiceError of the first part that does not open;
 * nothing is left open then.
 */
export async function startService(settings: Settings, overrides: ServiceOverrides = {}): Promise<RunningService> {
  requireTracePackages(settings.traces);
  setFlagsFromString(HEAP_GROWTH);
  const { clock = systemClock, link, inferenceSocket: socketPath } = overrides;
  const { logger, log } = openLogs(settings, overrides.logger);
  const startMs = clock.monotonicMs();
  const state: ServiceState = { phase: 'starting', parts: undefined };
  // Without a metrics port nothing is counted.
  const metrics = settings.metricsPort === 0 ? undefined : new Metrics({ sharesTensors: socketPath !== undefined });
  const checks = compileBodyChecks();
  const opened = new OpenedParts();
  const tracer = opened.add(await openTraces(settings.traces, { clock, logger }));
  const basics: ServiceBasics = { settings, clock, logger, metrics, tracer, link, opened };
  const options = httpOptions(settings, link !== undefined);
  const server = createHttpServer(basics, { options, state, checks, log });
  try {
    // A worker accepts requests only once it can answer them: until then the others do.
    let port = link === undefined ? await server.listen() : 0;
    // Those of a worker come from the primary.
    if (metrics !== undefined && link === undefined) opened.add(await serveMetrics(settings, logger, metrics));
    const { isAlone = link === undefined && settings.mongodbUri === '', findMarket: find = marketOfTable } = overrides;
    const refusal = refusalOf(settings.markets, find);
    const accounts = await openAccounts(basics, { open: overrides.openStore ?? openStore, isAlone, refusal });
    const { access } = accounts;
    const open = await openModels(basics, overrides.openForecaster ?? openForecaster, socketPath);
    const parts = joinParts(accounts.parts, open);
    // No key has this digest.
    await access.store.findAccountByDigest('');
    await warmUp({ checks, clock, logger }, options, parts, overrides.warmUpRounds);
    opened.add(open.watch(logger));
    const stop = access.watch?.(accounts.recheckKeys, logger);
    opened.add(stop && { close: stop });
    if (metrics !== undefined) {
      watchMetrics(metrics, accounts, open);
      link?.on('metrics', ({ id }) => void metrics.json().then((json) => link.send({ kind: 'metrics', id, metrics: json })));
    }
    const feeds = opened.add(joinFeeds(basics, access.store, parts, { find, refusal }));
    accounts.watchMarkets(() => void feeds.wake());
    state.parts = parts;
    state.phase = 'ready';
    feeds.start();
    link?.on('stopping', () => (state.phase = 'stopping'));
    opened.add(server);
    if (link !== undefined) port = await server.listen();
    warnOfHost(settings, logger);
    const url = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`;
    const { model, backend } = parts.ready;
    const ms = Math.round(clock.monotonicMs() - startMs);
    logger.info('ready', { version: packageVersion(), commit: buildCommit(), url, model, backend, ms });
    link?.send({ kind: 'ready', url, port });
    let closing: Promise<void> | undefined;
    const report = (message: string, error: unknown): void => {
      metrics?.count('tickmark_problems_total', { code: 'internal.unexpected' });
      logger.error(message, { error });
    };
    return { url, port, report, close: () => (closing ??= opened.close()) };
  } catch (error) {
    await server.close();
    await opened.close();
    throw error;
  }
}

/**
 * Forecasts in flight in a worker. A worker that computes the whole forecast completes most at 150 % of its capacity with 32; where another
 * process computes the network, 32 keep it waiting (docs/adr/0023-one-admission-queue.md).
 */
const MOST_IN_FLIGHT = { inProcess: 32, inferenceProcess: 64 };
/** Late requests are looked for this often at most, and four times within the limit at least. */
const MAX_CHECK_INTERVAL_MS = 1000;
/**
 * The keys of live connections are checked eight times within the life of a cached key. It is looked up again from half of its life on: one
 * check starts that, the next one sees its result, so a revoked key is found before the end of its life.
 */
const LEAST_KEY_CHECK_MS = 250;

/** The server of the routes, not listening yet. `log`: takes each request. */
function createHttpServer(
  { clock, logger, metrics, tracer, link }: ServiceBasics,
  { options, state, checks, log }: Pick<HttpDeps, 'state' | 'checks'> & { readonly options: HttpOptions; readonly log: AccessLog },
): HttpServer {
  const accessLog: AccessLog = (entry) => {
    metrics?.request(entry);
    log(entry);
  };
  const deps: HttpDeps = {
    ...{ state, checks, clock, logger, accessLog, tracer, watchLink: link },
    onForecast: (stagesMs) => {
      for (const [stage, ms] of Object.entries(stagesMs))
        metrics?.observe('tickmark_forecast_stage_duration_seconds', ms / 1000, { stage });
    },
    onLoopDelay: (ms) => metrics?.observe('tickmark_event_loop_delay_seconds', ms / 1000),
    onProblem: (code) => metrics?.count('tickmark_problems_total', { code }),
    onLive: (event) => metrics?.live(event),
  };
  return new HttpServer(deps, options);
}

function httpOptions(settings: Settings, isWorker: boolean): HttpOptions {
  return {
    ...settings,
    version: packageVersion(),
    maxConnections: mostConnections(openFilesLimit() ?? Infinity),
    checkIntervalMs: Math.min(MAX_CHECK_INTERVAL_MS, Math.ceil(settings.requestTimeoutMs / 4)),
    // The primary waits before it asks a worker to stop.
    shutdownDelayMs: isWorker ? 0 : settings.shutdownDelayMs,
    maxInFlight: hasInferenceProcess(settings, readHostResources()) ? MOST_IN_FLIGHT.inferenceProcess : MOST_IN_FLIGHT.inProcess,
    hostNames: isLoopback(settings.host) ? settings.hostNames : undefined,
    keyCheckMs: Math.max(LEAST_KEY_CHECK_MS, settings.keyCacheMs / 8),
    settingWords: settingWords(),
    console: readConsole(path.join(import.meta.dirname, '../../../console')),
  };
}

/** What the routes call. */
function joinParts(accounts: Awaited<ReturnType<typeof openAccounts>>['parts'], open: OpenForecaster): HttpParts {
  const { forecaster, models, folders, inputs, ruleSet } = open;
  return {
    ...accounts,
    forecast: (request, options) => forecaster.forecast(request, options),
    models: modelDirectory(models, { inputs, files: versionFiles(folders, models, ruleSet) }),
    rules: rulesDirectory(ruleSet),
    sample: sampleRequest(),
    isServing: () => open.isUp(),
    ready: {
      status: 'ready',
      version: packageVersion(),
      commit: buildCommit(),
      get model() {
        return models.defaultId;
      },
      get backend() {
        return open.runtime.backend;
      },
      get device() {
        return open.runtime.description;
      },
      get refused() {
        return open.runtime.refused.map(({ candidate, reason }) => ({ candidate, reason }));
      },
    },
  };
}

function openLogs(settings: Settings, given: Logger | undefined) {
  const destination = logDestination(settings.logFormat);
  // Lines of requests may wait for each other; of all else, the last one before a crash must be there.
  const patient = { write: (lines: string) => destination.write(lines, true) };
  return {
    logger: given ?? createLogger(settings.logLevel, destination),
    log: createAccessLog(given ?? createLogger(settings.logLevel, patient)),
  };
}

/** Says what an operator should change around the service. */
function warnOfHost({ host, trustProxy }: Pick<Settings, 'host' | 'trustProxy'>, logger: Logger): void {
  if (!isLoopback(host) && !trustProxy)
    logger.warn(
      'HOST is public and TRUST_PROXY is off: keys are sent unencrypted unless a proxy in front terminates TLS; behind a proxy, all callers share its address for the limits',
      { host },
    );
  const openFiles = openFilesLimit();
  if (openFiles !== undefined && openFiles < GOOD_OPEN_FILES)
    logger.warn('the limit of open files is low: each connection needs one', {
      ...{ openFiles, advised: GOOD_OPEN_FILES, remedy: RAISE_OPEN_FILES },
    });
}

export type RunningService = {
  /** Where the service answers, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Logs and counts an unhandled error. */
  report(message: string, error: unknown): void;
  /** Finishes the requests in flight, then closes everything in reverse order of opening. Idempotent. */
  close(): Promise<void>;
};
