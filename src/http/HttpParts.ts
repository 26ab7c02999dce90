import type { AccountService } from '../accounts/AccountService.ts';
import type { Authenticate } from '../accounts/guardKeys.ts';
import type { Identity } from '../accounts/KeyAuthenticator.ts';
import type { KeyService } from '../accounts/KeyService.ts';
import type { Limits } from '../accounts/limits/createLimits.ts';
import type { PasswordLogin } from '../accounts/PasswordLogin.ts';
import type { BodyChecks } from '../contract/bodyChecks.ts';
import type { ReadyAnswer } from '../contract/health.ts';
import type { ModelAnswer, ModelListAnswer } from '../contract/models.ts';
import type { RuleSetAnswer, RuleSetListAnswer } from '../contract/rules.ts';
import type { TickRequestBody } from '../contract/tickForecast.ts';
import type { Clock } from '../core/Clock.ts';
import type { ErrorCode } from '../core/errorTable.ts';
import type { Logger } from '../core/Logger.ts';
import type { ForecastOptions, StageTimes, TickForecast } from '../forecast/Forecaster.ts';
import type { AccessLog } from '../observability/createAccessLog.ts';
import type { TickRequest } from '../ticks/parseTickRequest.ts';
import type { ConsoleFiles } from './console/readConsole.ts';

/**
 * What the routes call, once it is loaded. Every function throws ServiceErrors only, with codes that the route table
 * lists for the route; anything else is answered 500 and logged.
 */
export type HttpParts = {
  /** undefined for every key that is not good. */
  readonly authenticate: Authenticate;
  /** Whose key a header carries, where that is known without asking the store. */
  readonly known: (header: string) => Identity | undefined;
  /** undefined for every e-mail and password that are not an account's. */
  readonly login: PasswordLogin['verify'];
  readonly accounts: Pick<AccountService, 'signUp' | 'changePassword' | 'delete'>;
  readonly keys: Pick<KeyService, 'issue' | 'rotate' | 'revoke'>;
  readonly limits: Pick<Limits, 'forecasts' | 'signUps'>;
  forecast(request: TickRequest, options: ForecastOptions): Promise<TickForecast>;
  readonly models: { list(): ModelListAnswer; find(id: string): ModelAnswer | undefined };
  readonly rules: { list(): RuleSetListAnswer; find(id: string): RuleSetAnswer | undefined };
  readonly sample: TickRequestBody;
  /** Whether forecasts are answered now. */
  isServing(): boolean;
  readonly ready: ReadyAnswer;
};

/** Where the service is in its life. Owned by the composition root; read at every request. */
export type ServiceState = {
  phase: 'starting' | 'ready' | 'stopping';
  /** Set before the phase turns ready; kept while stopping, so that whole requests are still answered. */
  parts: HttpParts | undefined;
};

export type HttpDeps = {
  readonly state: ServiceState;
  readonly checks: BodyChecks;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly accessLog: AccessLog;
  /** Told of every forecast that the network answered. */
  readonly onForecast: (stagesMs: StageTimes) => void;
  /** Told how late the event loop is, 50 times a second. */
  readonly onLoopDelay?: (ms: number) => void;
  /** Told of the code of every problem that is answered. */
  readonly onProblem: (code: ErrorCode) => void;
};

/** Limits in bytes and milliseconds; the composition root fills them from the settings. */
export type HttpOptions = {
  readonly version: string;
  readonly host: string;
  readonly port: number;
  readonly bodyLimitBytes: number;
  /** Of a batch. */
  readonly batchBodyLimitBytes: number;
  readonly headerLimitBytes: number;
  /** Open at once; the newest beyond them is closed. */
  readonly maxConnections: number;
  readonly requestTimeoutMs: number;
  /** How often late requests are looked for: a 408 comes at most this much after its timeout. */
  readonly checkIntervalMs: number;
  readonly shutdownGraceMs: number;
  /** Longest time from a request's arrival to its forecast. */
  readonly forecastDeadlineMs: number;
  /** Forecasts that may wait. */
  readonly forecastQueue: number;
  /** Whether the last entry of X-Forwarded-For is the caller's address, and X-Forwarded-Proto its protocol. */
  readonly trustProxy: boolean;
  /** Origins whose pages may call the service from a browser; `*` is every one. */
  readonly corsOrigins: readonly string[];
  /** The page for browsers; without it `/` answers JSON to all. */
  readonly console?: ConsoleFiles | undefined;
};
