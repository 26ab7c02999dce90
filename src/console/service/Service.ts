import type { LiveConnection } from '../../../clients/typescript/src/index.ts';
import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import type {
  IssuedKeyAnswer,
  KeyAnswer,
  KeyListAnswer,
  KeyRequestBody,
  MeAnswer,
  SessionAnswer,
  SessionRequest,
  SignupAnswer,
  SignupRequest,
} from '../../contract/account.ts';
import type { MarketAnswer, MarketChangeBody, MarketForecastsAnswer, MarketRequestBody } from '../../contract/markets.ts';
import type { ModelFilesAnswer } from '../../contract/catalog.ts';
import type { ReadyAnswer } from '../../contract/health.ts';
import type { TrackRecordAnswer } from '../../contract/trackRecord.ts';
import type {
  AddedWebhookAnswer,
  FailedAlertsAnswer,
  WebhookAnswer,
  WebhookChangeBody,
  WebhookListAnswer,
  WebhookRequestBody,
  WebhookTestAnswer,
} from '../../contract/webhooks.ts';
import type { TickRequestBody } from '../../contract/tickForecast.ts';
import type { TrainedDensity } from '../../ticks/import/ImportReport.ts';
import type { FormOptions } from '../FormOptions.ts';
import type { Window } from '../ticks/readFuture.ts';
import type { WindowTicks } from '../ticks/suitableCount.ts';

/** Stands for a key where the browser sends the cookie of a session, which no script can read. */
export const SESSION = 'session';

export type { KeyAnswer };
/** The account of the session, which the cookie names. */
export type Login = { readonly email: string };
export type Webhook = WebhookAnswer;
export type FailedAlert = FailedAlertsAnswer['failed'][number];

/** `isOfPage`: computed by the engine of the page; absent: by the service. */
export type Forecast = { readonly mark: 1 | null; readonly detail: ForecastDetail; readonly isOfPage?: true };

/** The model that answers by default. */
export type DefaultModel = {
  readonly density: TrainedDensity;
  /** Names of the heads that never give a mark, whatever the threshold. */
  readonly neverMarks: readonly string[];
  readonly windowTicks: WindowTicks;
};

/** A loaded version, as far as the page needs it. */
export type Version = {
  readonly id: string;
  readonly isDefault: boolean;
  /** Longest horizon, as a multiple of the time of the window. */
  readonly mostHorizonToWindow: number;
  readonly windowTicks: WindowTicks;
  /** By the name of the head: smallest probability that is marked; null: the head never marks. */
  readonly cuts: Readonly<Record<string, number | null>>;
};

export type AskOptions = {
  readonly options: FormOptions;
  /** null: only the page may answer. */
  readonly key: string | null;
  readonly signal: AbortSignal;
  /** Id of a loaded version; undefined: the default one. */
  readonly model?: string | undefined;
};

/** What the page asks of the service. Every function rejects with a `Failure`, or with an AbortError where its signal aborts. */
export type Service = {
  ready(): Promise<Pick<ReadyAnswer, 'model' | 'backend'>>;
  /** null if the service does not answer soon: files are then read without it. Never rejects. */
  defaultModel(): Promise<DefaultModel | null>;
  /** The loaded versions, the default one first. */
  versions(): Promise<readonly Version[]>;
  /** The files of a version, for the engine of the page. */
  versionFiles(id: string, key: string): Promise<ModelFilesAnswer>;
  sample(): Promise<TickRequestBody>;
  sampleForecast(): Promise<Forecast>;
  signUp(request: SignupRequest): Promise<SignupAnswer>;
  /** Starts a session: from then on, the browser sends its cookie. */
  signIn(request: SessionRequest): Promise<SessionAnswer>;
  /** Starts one with the key of the link of `npm start`. */
  linkSession(key: string): Promise<SessionAnswer>;
  sessions(): Promise<readonly SessionAnswer[]>;
  /** `current`: that of this browser. */
  endSession(id: string): Promise<SessionAnswer>;
  /** The markets that the service watches for the account. */
  markets(key: string): Promise<readonly MarketAnswer[]>;
  addMarket(key: string, body: MarketRequestBody): Promise<MarketAnswer>;
  changeMarket(key: string, id: string, body: MarketChangeBody): Promise<MarketAnswer>;
  removeMarket(key: string, id: string): Promise<MarketAnswer>;
  /** What changed after a change, and the ticks from a number on. */
  marketForecasts(key: string, id: string, after: number, ticksFrom: number): Promise<MarketForecastsAnswer>;
  listKeys(login: Login): Promise<KeyListAnswer>;
  issueKey(login: Login, request: KeyRequestBody): Promise<IssuedKeyAnswer>;
  revokeKey(login: Login, id: string): Promise<KeyAnswer>;
  listWebhooks(login: Login): Promise<WebhookListAnswer>;
  addWebhook(login: Login, request: WebhookRequestBody): Promise<AddedWebhookAnswer>;
  testWebhook(login: Login, id: string): Promise<WebhookTestAnswer>;
  failedAlerts(login: Login, id: string): Promise<FailedAlertsAnswer>;
  changeWebhook(login: Login, id: string, change: WebhookChangeBody): Promise<WebhookAnswer>;
  removeWebhook(login: Login, id: string): Promise<WebhookAnswer>;
  me(key: string): Promise<MeAnswer>;
  /** E-mail of the owner of a key that the page does not use yet; null: the key is not valid. */
  ownerOf(key: string): Promise<string | null>;
  /** What the limits of forecasts leave the key, in words; none where the service has no limit or does not say. Never rejects. */
  limits(key: string): Promise<readonly string[]>;
  forecast(window: Window, options: AskOptions): Promise<Forecast>;
  /** `from`: first UTC day, YYYY-MM-DD; null: all that is kept. */
  trackRecord(
    key: string,
    options: { readonly from: string | null; readonly series?: string; readonly signal?: AbortSignal },
  ): Promise<TrackRecordAnswer>;
  /** The sealed forecasts of the account, as `tickmark record verify` reads them. */
  sealedRecord(key: string): Promise<string>;
  /** A live connection of the key. Throws nothing: what is wrong comes as a message or ends its iteration. */
  live(key: string): LiveConnection;
};
