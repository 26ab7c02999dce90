import type { AccountService } from '../accounts/AccountService.ts';
import type { Account } from '../accounts/AccountStore.ts';
import type { Authenticate } from '../accounts/createAuthenticate.ts';
import type { Identity } from '../accounts/KeyAuthenticator.ts';
import type { KeyService } from '../accounts/KeyService.ts';
import type { Limits } from '../accounts/limits/createLimits.ts';
import type { PasswordLogin } from '../accounts/PasswordLogin.ts';
import type { WebhookService } from '../accounts/WebhookService.ts';
import type { BodyChecks } from '../../contract/compileBodyChecks.ts';
import type { ReadyAnswer } from '../../contract/health.ts';
import type { ModelAnswer, ModelListAnswer, RuleSetAnswer, RuleSetListAnswer } from '../../contract/catalog.ts';
import type { TickRequestBody } from '../../contract/tickForecast.ts';
import type { Clock } from '../../core/Clock.ts';
import type { Settings } from '../../core/config/settings.ts';
import type { settingWords } from '../../core/config/effectiveSettings.ts';
import type { ErrorCode } from '../../core/errorTable.ts';
import type { Logger } from '../../core/Logger.ts';
import type { Tracer } from '../../core/Tracer.ts';
import type { ForecastCall, StageTimes, TickForecast } from '../../engine/forecast/Forecaster.ts';
import type { MarketService } from '../markets/MarketService.ts';
import type { ForecastEvents } from '../live/ForecastEvents.ts';
import type { RememberedForecasts } from '../live/RememberedForecasts.ts';
import type { SeriesMemories } from '../live/SeriesMemories.ts';
import type { SeriesRates } from '../../engine/live/SeriesRates.ts';
import type { TrackRecord } from '../live/TrackRecord.ts';
import type { AccessLog } from '../../core/observability/createAccessLog.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import type { WatchLink } from './live/LiveWatch.ts';
import type { ConsoleFiles } from './console/readConsole.ts';

/**
 * The parts of the service that the routes call. Every function throws only ServiceErrors with codes that the route table lists for the
 * route; any other error is answered with 500 and logged.
 */
export type HttpParts = {
  /** Returns undefined for every key that is not valid. */
  readonly authenticate: Authenticate;
  /** The owner of the key in a header, if it is known without a store call. */
  readonly knownOwner: (header: string) => Identity | undefined;
  /** Returns undefined if no account has this e-mail and password. */
  readonly login: PasswordLogin['verify'];
  readonly accounts: Pick<AccountService, 'signUp' | 'changePassword' | 'delete'>;
  /** The account of a session. */
  readonly account: (id: string) => Promise<Account | undefined>;
  readonly keys: Pick<KeyService, 'issue' | 'rotate' | 'revoke' | 'startSession' | 'endSession'>;
  readonly webhooks: Pick<WebhookService, 'add' | 'change' | 'remove' | 'test' | 'failed'>;
  readonly markets: Pick<MarketService, 'list' | 'get' | 'add' | 'change' | 'remove' | 'forecasts'>;
  /** Gets the marks of live series and their outcomes. */
  readonly forecastEvents: ForecastEvents;
  readonly trackRecord: TrackRecord;
  /** Whether `trackRecord` keeps what is added. */
  readonly keepsTrackRecord: boolean;
  readonly remembered: Pick<RememberedForecasts, 'settle' | 'remember' | 'refuseOtherKind'>;
  readonly rates: SeriesRates;
  /** Undefined: nothing of a series is kept. */
  readonly memories?: Pick<SeriesMemories, 'use' | 'read' | 'write'> | undefined;
  readonly limits: Pick<Limits, 'forecasts' | 'signUps'>;
  forecast(request: TickRequest, options: ForecastCall): Promise<TickForecast>;
  readonly models: {
    list(): ModelListAnswer;
    find(id: string): ModelAnswer | undefined;
    /** The answer with the files of a loaded version; the same buffer again for the same version. */
    files(id: string): Buffer | undefined;
    /** Whether a version, by default the default one, uses the memory of a series. */
    usesMemory(id: string | undefined, ofBars: boolean): boolean;
  };
  readonly rules: { list(): RuleSetListAnswer; find(id: string): RuleSetAnswer | undefined };
  readonly sample: TickRequestBody;
  /** Whether the service can compute forecasts now. */
  isServing(): boolean;
  readonly ready: ReadyAnswer;
};

/** Lifecycle state of the service. Owned by the composition root; read for every request. */
export type ServiceState = {
  phase: 'starting' | 'ready' | 'stopping';
  /** Set before the phase becomes ready; kept while stopping, so that complete requests are still answered. */
  parts: HttpParts | undefined;
};

export type HttpDeps = {
  readonly state: ServiceState;
  readonly checks: BodyChecks;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly accessLog: AccessLog;
  /** Called after every forecast for which the network ran. */
  readonly onForecast: (stagesMs: StageTimes) => void;
  /** Called 50 times per second with the delay of the event loop. */
  readonly onLoopDelay?: (ms: number) => void;
  /** Called with the code of every problem answer. */
  readonly onProblem: (code: ErrorCode) => void;
  /** Left out: no traces. */
  readonly tracer?: Tracer | undefined;
  /** Called for each live connection that opens or closes, and for each due forecast of one. */
  readonly onLive?: ((event: 'opened' | 'closed' | 'computed' | 'skipped') => void) | undefined;
  /** The other workers, for connections that watch a key; left out: there are none. */
  readonly watchLink?: WatchLink | undefined;
};

type FromSettings =
  | ('host' | 'port' | 'trustProxy' | 'logAddresses' | 'corsOrigins' | 'live')
  | ('bodyLimitBytes' | 'batchBodyLimitBytes' | 'headerLimitBytes' | 'requestTimeoutMs' | 'shutdownGraceMs')
  | ('forecastDeadlineMs' | 'forecastQueue');

/** Settings, and what the composition root makes of them. */
export type HttpOptions = Pick<Settings, FromSettings> & {
  readonly version: string;
  /** Whether other workers do not share the port. Default false. */
  readonly isPrivate?: boolean;
  /** Maximum number of open connections; new ones above it are closed. */
  readonly maxConnections: number;
  /** Interval of the check for slow requests: a 408 is sent at most this long after the timeout. */
  readonly checkIntervalMs: number;
  /** Between the answer 503 of /health/ready and the end of new connections. */
  readonly shutdownDelayMs?: number;
  /** Maximum number of forecasts in flight. */
  readonly maxInFlight: number;
  /** Names that a request may have in Host besides those of this machine; undefined: any. */
  readonly hostNames?: readonly string[] | undefined;
  /** Interval of the check that the keys of live connections are still valid. */
  readonly keyCheckMs: number;
  /** What the settings of a service mean, for /docs. */
  readonly settingWords: ReturnType<typeof settingWords>;
  /** The console; without it, `/` always answers JSON. */
  readonly console?: ConsoleFiles | undefined;
};
