import type { Login } from '../../../clients/typescript/src/index.ts';
import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import type {
  IssuedKeyAnswer,
  KeyAnswer,
  KeyListAnswer,
  KeyRequestBody,
  MeAnswer,
  SignupAnswer,
  SignupRequest,
} from '../../contract/account.ts';
import type { ReadyAnswer } from '../../contract/health.ts';
import type { TickRequestBody } from '../../contract/tickForecast.ts';
import type { TrainedDensity } from '../../import/ImportReport.ts';

export type { KeyAnswer, Login };

export type Forecast = { readonly mark: 1 | null; readonly detail: ForecastDetail };

/** The model that answers by default. */
export type DefaultModel = {
  readonly density: TrainedDensity;
  /** Names of the heads that never give a mark, whatever the threshold. */
  readonly neverMarks: readonly string[];
};

export type AskOptions = {
  readonly key: string;
  /** The caller's own threshold; null: the window's. */
  readonly minMoveBps: number | null;
  readonly signal: AbortSignal;
};

/** What the page asks of the service. Every function rejects with a `Failure`, or with an AbortError where its signal aborts. */
export type Service = {
  ready(): Promise<ReadyAnswer>;
  /** null if the service does not answer soon: files are then read without it. Never rejects. */
  defaultModel(): Promise<DefaultModel | null>;
  sample(): Promise<TickRequestBody>;
  sampleForecast(): Promise<Forecast>;
  signUp(request: SignupRequest): Promise<SignupAnswer>;
  listKeys(login: Login): Promise<KeyListAnswer>;
  issueKey(login: Login, request: KeyRequestBody): Promise<IssuedKeyAnswer>;
  revokeKey(login: Login, id: string): Promise<KeyAnswer>;
  me(key: string): Promise<MeAnswer>;
  forecast(body: TickRequestBody, options: AskOptions): Promise<Forecast>;
};
