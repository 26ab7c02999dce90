import * as path from 'node:path';
import { isLoopback, type Settings } from '../../core/config/settings.ts';
import { settingWords } from '../../core/config/effectiveSettings.ts';
import type { ErrorCode } from '../../core/errorTable.ts';
import { openFilesLimit } from '../../core/openFiles.ts';
import { packageVersion } from '../../core/packageRoot.ts';
import type { AccessLog } from '../../core/observability/createAccessLog.ts';
import type { StageTimes } from '../../engine/forecast/Forecaster.ts';
import { readConsole } from '../http/console/readConsole.ts';
import type { HttpDeps, HttpOptions } from '../http/HttpParts.ts';
import { HttpServer } from '../http/HttpServer.ts';
import { hasInferenceProcess, mostConnections, readHostResources } from './topology.ts';
import type { ServiceBasics } from './ServiceBasics.ts';

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
export function createHttpServer(
  { clock, logger, metrics, tracer, link }: Pick<ServiceBasics, 'clock' | 'logger' | 'metrics' | 'tracer' | 'link'>,
  { options, state, checks, log }: Pick<HttpDeps, 'state' | 'checks'> & { readonly options: HttpOptions; readonly log: AccessLog },
): HttpServer {
  const accessLog: AccessLog = (entry) => {
    metrics?.request(entry);
    log(entry);
  };
  const onProblem = (code: ErrorCode): void => metrics?.count('tickmark_problems_total', { code });
  const onLive: HttpDeps['onLive'] = (event) => metrics?.live(event);
  const onForecast = (stagesMs: StageTimes): void => {
    for (const [stage, ms] of Object.entries(stagesMs)) metrics?.observe('tickmark_forecast_stage_duration_seconds', ms / 1000, { stage });
  };
  const onLoopDelay = (ms: number): void => metrics?.observe('tickmark_event_loop_delay_seconds', ms / 1000);
  const deps = { state, checks, clock, logger, accessLog, onForecast, onLoopDelay, onProblem, onLive, tracer, watchLink: link };
  return new HttpServer(deps, options);
}

export function httpOptions(settings: Settings, isWorker: boolean): HttpOptions {
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
