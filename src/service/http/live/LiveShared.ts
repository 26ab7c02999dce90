import type { AdmissionQueue } from '../../admission/AdmissionQueue.ts';
import type { Identity } from '../../accounts/KeyAuthenticator.ts';
import type { HttpDeps, HttpOptions, HttpParts } from '../HttpParts.ts';
import type { LoopDelay } from '../LoopDelay.ts';
import type { LiveBudget } from './LiveBudget.ts';
import type { IterationBudget } from '../../admission/IterationBudget.ts';
import type { LiveWatch } from './LiveWatch.ts';
import { BODY_CODES, INFERENCE_CODES, KEY_CODES } from '../../../contract/routeSpec.ts';
import type { ErrorCode } from '../../../core/errorTable.ts';

/** What all live connections of a worker use. */
export type LiveShared = {
  readonly deps: Pick<HttpDeps, 'clock' | 'logger' | 'checks' | 'onForecast' | 'onProblem' | 'onLive'>;
  readonly options: Pick<HttpOptions, 'forecastDeadlineMs' | 'live'>;
  readonly admission: Pick<AdmissionQueue, 'enter' | 'leave'>;
  readonly watch: LiveWatch;
  readonly iterations: IterationBudget;
  readonly budget: LiveBudget;
  readonly loopDelay: Pick<LoopDelay, 'delayMs'>;
  /** Throws ServiceError `service.not_ready`. */
  readonly parts: () => HttpParts;
};

/** The owner of a connection, and the key, which is checked again while the connection is open. */
export type LiveCaller = { readonly identity: Identity; readonly key: string };

/** Codes that a message or an upgrade can be refused with. */
export const LIVE_CODES: readonly ErrorCode[] = [
  ...BODY_CODES,
  ...KEY_CODES,
  ...INFERENCE_CODES,
  'request.headers_too_large',
  'request.too_large',
  'request.encoding_unsupported',
  'request.malformed_http',
  'request.host_refused',
  'cors.origin_refused',
  'model.unknown',
  'service.not_ready',
  'internal.unexpected',
];
