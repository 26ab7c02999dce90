import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import type { FailedAlertsAnswer } from '../../contract/webhooks.ts';
import type { TrainedDensity } from '../../ticks/import/ImportReport.ts';
import type { FormOptions } from '../FormOptions.ts';
import type { WindowTicks } from '../ticks/suitableCount.ts';

/** Stands for a key where the browser sends the cookie of a session, which no script can read. */
export const SESSION = 'session';

export type { KeyAnswer } from '../../contract/account.ts';
export type { WebhookAnswer as Webhook } from '../../contract/webhooks.ts';
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
