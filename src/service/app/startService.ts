import { setFlagsFromString } from 'node:v8';
import { compileBodyChecks } from '../../contract/compileBodyChecks.ts';
import { systemClock, type Clock } from '../../core/Clock.ts';
import type { Settings } from '../../core/config/settings.ts';
import type { Logger } from '../../core/Logger.ts';
import { createAccessLog } from '../../core/observability/createAccessLog.ts';
import { createLogger } from '../../core/observability/createLogger.ts';
import { logDestination } from '../../core/observability/logDestination.ts';
import { Metrics } from '../../core/observability/Metrics.ts';
import { buildCommit, packageVersion } from '../../core/packageRoot.ts';
import type { ServiceState } from '../http/HttpParts.ts';
import { type FindMarket, marketOfTable, refusalOf } from '../markets/openExchange.ts';
import { joinFeeds } from './joinFeeds.ts';
import type { WorkerLink } from './cluster/WorkerLink.ts';
import { openForecaster, type ForecasterOptions, type OpenForecaster } from './openForecaster.ts';
import { openStore } from './openStore.ts';
import { openTraces, requireTracePackages } from './openTraces.ts';
import { createHttpServer, httpOptions } from './start/createHttp.ts';
import { joinParts } from './start/joinParts.ts';
import { openAccountParts } from './start/openAccountParts.ts';
import { openAccountStore } from './start/openAccountStore.ts';
import { OpenedParts } from './start/OpenedParts.ts';
import { openModels } from './start/openModels.ts';
import type { ServiceBasics } from './start/ServiceBasics.ts';
import { warnOfHost } from './start/warnOfHost.ts';
import { serveMetrics, watchMetrics } from './start/watchMetrics.ts';
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
  readonly openForecaster?: (settings: Settings, deps: ForecasterOptions) => Promise<OpenForecaster>;
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
    await serveMetrics(basics);
    const stored = await openAccountStore(basics, overrides.openStore ?? openStore);
    const { access } = stored;
    const { isAlone = link === undefined && settings.mongodbUri === '' } = overrides;
    const { findMarket: find = marketOfTable } = overrides;
    const refusal = refusalOf(settings.markets, find);
    const owned = openAccountParts(basics, stored, isAlone, refusal);
    const models = await openModels(basics, { openForecaster: overrides.openForecaster ?? openForecaster, socketPath });
    const parts = joinParts(owned.parts, models);
    // No key has this digest.
    await access.store.findAccountByDigest('');
    await warmUp({ checks, clock, logger }, options, parts, overrides.warmUpRounds);
    opened.add(models.open.watch(logger));
    const stop = access.watch?.((emailKey) => owned.accounts.recheckKeys(emailKey), logger);
    opened.add(stop && { close: stop });
    if (metrics !== undefined) {
      watchMetrics(metrics, stored, owned, models);
      link?.onMetrics(() => metrics.json());
    }
    const feeds = opened.add(joinFeeds(basics, access.store, parts, { find, refusal }));
    owned.watchMarkets(() => void feeds.wake());
    state.parts = parts;
    state.phase = 'ready';
    feeds.start();
    link?.onStopping(() => (state.phase = 'stopping'));
    opened.add(server);
    if (link !== undefined) port = await server.listen();
    warnOfHost(settings, logger);
    const url = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`;
    const { model, backend } = parts.ready;
    const ms = Math.round(clock.monotonicMs() - startMs);
    logger.info('ready', { version: packageVersion(), commit: buildCommit(), url, model, backend, ms });
    link?.ready(url, port);
    let closing: Promise<void> | undefined;
    const report = (message: string, error: unknown): void => {
      metrics?.problem('internal.unexpected');
      logger.error(message, { error });
    };
    return { url, port, report, close: () => (closing ??= opened.close()) };
  } catch (error) {
    await server.close();
    await opened.close();
    throw error;
  }
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

export type RunningService = {
  /** Where the service answers, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Logs and counts an unhandled error. */
  report(message: string, error: unknown): void;
  /** Finishes the requests in flight, then closes everything in reverse order of opening. Idempotent. */
  close(): Promise<void>;
};
