import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { LocalCounter } from '../accounts/limits/LocalCounter.ts';
import { SeriesMemories } from '../live/SeriesMemories.ts';
import { SeriesRates } from '../../engine/live/SeriesRates.ts';
import { ClockCheck } from '../accounts/ClockCheck.ts';
import { NO_COPY, STORE_FILE } from '../accounts/AccountStore.ts';
import { meteredStore } from '../accounts/meteredStore.ts';
import { isLoopback, type Settings } from '../../core/config/settings.ts';
import { settingWords } from '../../core/config/settingWords.ts';
import { compileBodyChecks } from '../../contract/compileBodyChecks.ts';
import { systemClock, type Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import type { ErrorCode } from '../../core/errorTable.ts';
import { GOOD_OPEN_FILES, openFilesLimit, RAISE_OPEN_FILES } from '../../core/openFiles.ts';
import { buildCommit, packageVersion } from '../../core/packageRoot.ts';
import type { StageTimes } from '../../engine/forecast/Forecaster.ts';
import type { HttpDeps, HttpOptions, HttpParts, ServiceState } from '../http/HttpParts.ts';
import { HttpServer } from '../http/HttpServer.ts';
import { readConsole } from '../http/console/readConsole.ts';
import { Metrics } from '../../core/observability/Metrics.ts';
import { MetricsServer } from '../../core/observability/MetricsServer.ts';
import { createAccessLog, type AccessLog } from '../../core/observability/createAccessLog.ts';
import { createLogger } from '../../core/observability/createLogger.ts';
import { logDestination, standardSink } from '../../core/observability/logDestination.ts';
import type { WorkerLink } from './cluster/WorkerLink.ts';
import { FolderUsers } from './FolderUsers.ts';
import { forgetDeleted } from './forgetDeleted.ts';
import { joinAccounts, type AccountParts } from './joinAccounts.ts';
import { joinAlerts, type JoinedAlerts } from './joinAlerts.ts';
import { openTraces, requireTracePackages } from './openTraces.ts';
import { joinTrackRecord, type TrackRecordParts } from './joinTrackRecord.ts';
import { modelDirectory } from './modelDirectory.ts';
import { openForecaster, type ForecasterOptions, type OpenForecaster } from './openForecaster.ts';
import { sampleRequest } from '../../ticks/sampleRequest.ts';
import { openStore } from './openStore.ts';
import { LastBackup } from './backup/lastBackup.ts';
import { noteServedStore } from './servedStore.ts';
import { modelFolders } from './openRegistry.ts';
import { RegistryMirror } from './RegistryMirror.ts';
import { rulesDirectory } from './rulesDirectory.ts';
import { versionFiles } from './versionFiles.ts';
import { warmUp } from './warmUp.ts';
import { watchOutages } from './watchOutages.ts';
import { mostConnections, hasInferenceProcess, readHostResources } from './topology.ts';

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
  /** For a process whose code is compiled already. */
  readonly warmUpRounds?: number;
};

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
/** The whole heap is collected when it has grown to three times what was left (docs/adr/0052-the-heap-may-grow-threefold.md). */
const HEAP_GROWTH = '--heap-growing-percent=200';

function createHttpServer(
  options: HttpOptions,
  { state, checks, clock, logger, tracer, watchLink }: Pick<HttpDeps, 'state' | 'checks' | 'clock' | 'logger' | 'tracer' | 'watchLink'>,
  { log, metrics }: { readonly log: AccessLog; readonly metrics: Metrics | undefined },
): HttpServer {
  const accessLog: AccessLog = (entry) => {
    metrics?.request(entry);
    log(entry);
  };
  const onProblem = (code: ErrorCode): void => metrics?.problem(code);
  const onLive: HttpDeps['onLive'] = (event) => metrics?.live(event);
  const onForecast = (stagesMs: StageTimes): void => metrics?.stages(stagesMs);
  const onLoopDelay = (ms: number): void => metrics?.loopDelay(ms);
  const deps = { state, checks, clock, logger, accessLog, onForecast, onLoopDelay, onProblem, onLive, tracer, watchLink };
  return new HttpServer(deps, options);
}

function httpOptions(settings: Settings, isWorker: boolean): HttpOptions {
  return {
    version: packageVersion(),
    host: settings.host,
    port: settings.port,
    bodyLimitBytes: settings.bodyLimitBytes,
    batchBodyLimitBytes: settings.batchBodyLimitBytes,
    headerLimitBytes: settings.headerLimitBytes,
    maxConnections: mostConnections(openFilesLimit() ?? Infinity),
    requestTimeoutMs: settings.requestTimeoutMs,
    checkIntervalMs: Math.min(MAX_CHECK_INTERVAL_MS, Math.ceil(settings.requestTimeoutMs / 4)),
    // The primary waits before it asks a worker to stop.
    shutdownDelayMs: isWorker ? 0 : settings.shutdownDelayMs,
    shutdownGraceMs: settings.shutdownGraceMs,
    forecastDeadlineMs: settings.forecastDeadlineMs,
    maxInFlight: hasInferenceProcess(settings, readHostResources()) ? MOST_IN_FLIGHT.inferenceProcess : MOST_IN_FLIGHT.inProcess,
    forecastQueue: settings.forecastQueue,
    trustProxy: settings.trustProxy,
    logAddresses: settings.logAddresses,
    hostNames: isLoopback(settings.host) ? settings.hostNames : undefined,
    corsOrigins: settings.corsOrigins,
    live: settings.live,
    keyCheckMs: Math.max(LEAST_KEY_CHECK_MS, settings.keyCacheMs / 8),
    settingWords: settingWords(),
    console: readConsole(path.join(import.meta.dirname, '../../../console')),
  };
}

function joinParts(
  accounts: AccountParts & TrackRecordParts & JoinedAlerts['parts'],
  series: Pick<HttpParts, 'rates' | 'memories'>,
  open: OpenForecaster,
  { mirror, folders }: { readonly mirror: RegistryMirror | undefined; readonly folders: readonly string[] },
): HttpParts {
  const { forecaster, models, inputs, shadow, ruleSet } = open;
  return {
    ...accounts,
    ...series,
    forecast: (request, options) => forecaster.forecast(request, options),
    models: modelDirectory(models, { inputs, shadow, files: versionFiles(folders, models, ruleSet) }),
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
      get registry() {
        if (mirror === undefined) return undefined;
        const { revision, wantedId, refused } = mirror.standing;
        return { revision, model: wantedId, passed_over: [...refused].map(([id, reason]) => ({ id, reason })) };
      },
    },
  };
}

/** Which backend serves, why each better one does not, and how each batch size is run. */
function logRuntime({ runtime, warmed }: OpenForecaster, logger: Logger): void {
  for (const { candidate, reason } of runtime.refused)
    logger.info('a faster backend is not available; trying the next one', { backend: candidate, reason });
  logger.info('backend opened', { backend: runtime.backend, device: runtime.description });
  for (const { batch, lstm, readout } of warmed)
    logger.info('batch size measured', {
      batch,
      ...(lstm === undefined
        ? {}
        : { lstm: lstm.chosen, lstmMs: rounded(lstm.timesMs), ...(hasAny(lstm.refused) && { lstmRefused: lstm.refused }) }),
      readout: readout.chosen,
      networkMs: rounded(readout.timesMs),
    });
}

/** Where a scrape finds the metrics. */
export const metricsUrl = ({ metricsHost, metricsPort }: Settings): string =>
  `http://${metricsHost.includes(':') ? `[${metricsHost}]` : metricsHost}:${metricsPort}/metrics`;

const hasAny = (record: object): boolean => Object.keys(record).length > 0;

/** Milliseconds to microseconds' precision. */
function rounded(timesMs: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(timesMs).map(([name, ms]) => [name, Math.round(ms * 1000) / 1000]));
}

/**
 * The composition root. Listens first (503 on /health/ready), then opens store, backend, rules and models, answers the sample some times
 * (warm-up: the first caller's forecast is nearly as fast as the next), and turns ready. Throws the ServiceError of the first part that does not open;
 * nothing is left open then.
 */
export async function startService(settings: Settings, overrides: ServiceOverrides = {}): Promise<RunningService> {
  requireTracePackages(settings.traces);
  setFlagsFromString(HEAP_GROWTH);
  const { clock = systemClock, link, inferenceSocket: socketPath } = overrides;
  const destination = logDestination(settings.logFormat);
  const { logger = createLogger(settings.logLevel, destination) } = overrides;
  // Lines of requests may wait for each other; of all else, the last one before a crash must be there.
  const patient = { write: (lines: string) => destination.write(lines, true) };
  const log = createAccessLog(overrides.logger ?? createLogger(settings.logLevel, patient));
  const startMs = clock.monotonicMs();
  const state: ServiceState = { phase: 'starting', parts: undefined };
  // Without a metrics port nothing is counted.
  const metrics = settings.metricsPort === 0 ? undefined : new Metrics({ sharesTensors: socketPath !== undefined });
  const checks = compileBodyChecks();
  const tracer = await openTraces(settings.traces, { clock, logger });
  const http = httpOptions(settings, link !== undefined);
  const server = createHttpServer(http, { state, checks, clock, logger, tracer, watchLink: link }, { log, metrics });
  /** In order of opening. */
  const opened: (() => Promise<void>)[] = tracer === undefined ? [] : [() => tracer.close()];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.splice(0).toReversed()) await close();
  };
  try {
    // A worker accepts requests only once it can answer them: until then the others do.
    let port = link === undefined ? await server.listen() : 0;
    if (metrics !== undefined && link === undefined) {
      const metricsServer = new MetricsServer(metrics, isLoopback(settings.metricsHost) ? settings.hostNames : undefined);
      await metricsServer.listen(settings.metricsHost, settings.metricsPort);
      logger.info('metrics are served', { url: metricsUrl(settings) });
      opened.push(() => metricsServer.close());
    }
    const isNew = settings.mongodbUri === '' && !existsSync(path.join(settings.dataDir, STORE_FILE));
    const outages = watchOutages(settings, { clock, logger });
    const store = await (overrides.openStore ?? openStore)(
      settings,
      clock,
      link && ((policy) => new LocalCounter(policy, link.counterOf(policy), clock)),
      outages.limits,
      { onMigration: ({ copy, ...versions }) => logger.warn('migrating the account store', { ...versions, copy: copy ?? NO_COPY }) },
    );
    opened.push(() => store.close());
    const kind = settings.mongodbUri === '' ? `${isNew ? 'new' : 'existing'} file` : 'MongoDB';
    noteServedStore(settings, logger);
    logger.info('account store opened', { dataDir: settings.dataDir, store: kind, accounts: await store.store.countAccounts() });
    // With workers, the primary process stands for all of them. Many replicas share one MongoDB.
    if (link === undefined && settings.mongodbUri === '') {
      const users = new FolderUsers(settings.dataDir, { clock, logger });
      users.start();
      opened.push(async () => users.close());
    }
    const metered =
      metrics === undefined && tracer === undefined
        ? store
        : {
            ...store,
            store: meteredStore(store.store, clock, (call, outcome, ms) => {
              metrics?.storeCall(call, outcome, ms);
              tracer?.record(`store ${call}`, ms, { isFailed: outcome === 'failed' });
            }),
          };
    const { databaseMs } = metered;
    const clockCheck = databaseMs && new ClockCheck({ databaseMs, clock, logger });
    clockCheck?.start();
    opened.push(async () => clockCheck?.close());
    const lastBackup = metrics && new LastBackup(metered.store, clock);
    await lastBackup?.start();
    opened.push(async () => lastBackup?.close());
    const alerts = joinAlerts(settings, metered.store, { clock, logger, metrics, others: link });
    opened.push(() => alerts.close());
    const trackRecord = joinTrackRecord(settings, metered.store, { clock, logger, events: alerts.parts.forecastEvents });
    opened.push(() => trackRecord.close());
    const rates = new SeriesRates();
    const { isAlone = link === undefined && settings.mongodbUri === '' } = overrides;
    // Of MongoDB, other hosts may have replicas.
    const claims = settings.mongodbUri === '' ? link?.claims : undefined;
    const memories = settings.keepsMemory
      ? new SeriesMemories({ store: metered.store, clock, logger, isAlone, claims, forecasts: trackRecord.memory })
      : undefined;
    opened.push(async () => memories?.close());
    const memory = forgetDeleted(
      [rates, ...(memories ? [memories] : []), ...(trackRecord.memory ? [trackRecord.memory] : [])],
      metered.store,
      { clock, logger },
    );
    opened.push(async () => memory.close());
    const { changed: onChange } = memory;
    link?.onForget(onChange);
    const accounts = joinAccounts(settings, metered, { clock, logger, others: link, keysOutage: outages.keys, onChange });
    opened.push(() => accounts.close());
    alerts.watch(trackRecord.parts.trackRecord);
    const { versions } = metered;
    const mirror = versions && new RegistryMirror({ versions, shippedDir: modelFolders(settings)[0], clock, logger });
    const open = await (overrides.openForecaster ?? openForecaster)(settings, {
      onCardFault: ({ message, isTriedAgain }) => {
        metrics?.cardFault();
        logger.warn('the NVIDIA card failed; its batches are computed by WebAssembly', { reason: message, triedAgain: isTriedAgain });
      },
      clock,
      ...(mirror && { mirror }),
      ...(metrics === undefined ? {} : { metrics }),
      tracer,
      ...(settings.shadowModel === '' ? {} : { shadow: { id: settings.shadowModel, logger } }),
      ...(hasInferenceProcess(settings, readHostResources()) ? { ownProcess: { logger, socketPath } } : {}),
    });
    opened.push(() => open.close());
    for (const { folder, error } of open.refusedModels) logger.warn('model version skipped', { folder, reason: error.message });
    logRuntime(open, logger);
    const parts = joinParts({ ...accounts.parts, ...alerts.parts, ...trackRecord.parts }, { rates, memories }, open, {
      ...{ mirror, folders: modelFolders(settings) },
    });
    // No key has this digest.
    await metered.store.findAccountByDigest('');
    await warmUp({ checks, clock, logger }, http, parts, overrides.warmUpRounds);
    const watch = open.watch(logger);
    opened.push(async () => watch.close());
    const stopListening = metered.watch?.({ account: (emailKey) => accounts.recheckKeys(emailKey), registry: () => watch.wake() }, logger);
    opened.push(async () => stopListening?.());
    metrics?.watch({
      forecastsWaiting: () => open.waiting(),
      passwordsWaiting: () => accounts.passwordsWaiting(),
      droppedLogLines: () => standardSink(2).droppedLines,
      restarts: () => ({ worker: 0, inference: open.restarts() }),
      outages: () => ({ keys: outages.keys.sinceMs !== undefined, limits: outages.limits.sinceMs !== undefined }),
      clockOffsetMs: () => clockCheck?.offsetMs ?? 0,
      lastBackupMs: () => lastBackup?.atMs ?? 0,
      tensors: () => open.tensors(),
      models: () => open.models.list().map(({ id }) => ({ id, isDefault: id === open.models.defaultId })),
      registry: () => (mirror ? { revision: mirror.standing.revision, passedOver: mirror.standing.refused.size } : null),
      inputDrift: () => {
        const model = open.models.find(open.models.defaultId);
        return model === undefined ? null : open.inputs.read(model);
      },
      marketDrift: () => {
        const model = open.models.find(open.models.defaultId);
        return model === undefined ? null : open.markets.read(model);
      },
    });
    if (link !== undefined && metrics !== undefined) link.onMetrics(() => metrics.json());
    state.parts = parts;
    state.phase = 'ready';
    link?.onStopping(() => (state.phase = 'stopping'));
    opened.push(() => server.close());
    if (link !== undefined) port = await server.listen();

    if (!isLoopback(settings.host) && !settings.trustProxy) {
      logger.warn(
        'HOST is public and TRUST_PROXY is off: keys are sent unencrypted unless a proxy in front terminates TLS; behind a proxy, all callers share its address for the limits',
        { host: settings.host },
      );
    }
    const openFiles = openFilesLimit();
    if (openFiles !== undefined && openFiles < GOOD_OPEN_FILES)
      logger.warn('the limit of open files is low: each connection needs one', {
        openFiles,
        advised: GOOD_OPEN_FILES,
        remedy: RAISE_OPEN_FILES,
      });
    const url = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`;
    logger.info('ready', {
      version: packageVersion(),
      commit: buildCommit(),
      url,
      model: parts.ready.model,
      backend: parts.ready.backend,
      ms: Math.round(clock.monotonicMs() - startMs),
    });
    link?.ready(url, port);
    let closing: Promise<void> | undefined;
    const report = (message: string, error: unknown): void => {
      metrics?.problem('internal.unexpected');
      logger.error(message, { error });
    };
    return { url, port, report, close: () => (closing ??= closeAll()) };
  } catch (error) {
    await server.close();
    await closeAll();
    throw error;
  }
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
