import type { VersionFiles } from '../../../clients/engine/src/api.ts';
import type { Served } from '../replay/askEngine.ts';
import type { NoLead } from '../replay/leadPlans.ts';
import type { LeadRow } from '../replay/leadTable.ts';
import type { ReplayResults } from '../replay/replayResults.ts';
import type { ReplayProgress } from '../replay/ReplayRun.ts';
import type { FormOptions } from '../FormOptions.ts';
import type { Window } from '../ticks/readFuture.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';
import type { Forecast, Version } from '../service/Service.ts';
import type { FailureData } from '../service/failureText.ts';

/** The engine of the page, used where it gives the answers of the service. */
export type EngineOrder = {
  readonly engineUrl: string;
  /** What answers at the service; null while that is not known. */
  readonly served: Served | null;
  /** A version that was fetched, in place of the shipped one. */
  readonly files?: VersionFiles | undefined;
  /** Its id, for the service where the page cannot answer; absent: the default version. */
  readonly model?: string | undefined;
};

/** What to replay. `versions`: a second one is compared with the first. */
export type ReplayOrder = {
  readonly options: FormOptions;
  readonly kind: 'start';
  readonly series: TickSeries;
  readonly count: number;
  readonly horizonMs: number;
  /** Of the service; null: only the engine may answer. */
  readonly key: string | null;
  readonly versions: readonly EngineOrder[];
  /** That of the first one; null: not known, so that no other horizon is replayed. */
  readonly version: Version | null;
};

/** One forecast. */
export type ForecastOrder = EngineOrder & {
  readonly kind: 'forecast';
  readonly id: number;
  readonly window: Window;
  readonly options: FormOptions;
};

/** Opens a live connection, whose messages follow. */
export type ConnectOrder = EngineOrder & { readonly kind: 'connect' };
export type LiveText = { readonly kind: 'live'; readonly text: string };

export type ToReplayWorker = ReplayOrder | ForecastOrder | ConnectOrder | LiveText | { readonly kind: 'pause' | 'resume' };

/** `version`: null as of a forecast. */
export type FromConnect = { readonly kind: 'connected'; readonly version: string | null } | LiveText;

/** `other_version`: the engine of the page does not give the answers of the service; null: the browser cannot run it. */
export type PageAnswer = Forecast | 'other_version' | null;

/** The answer to a forecast order. */
export type FromForecast =
  | { readonly kind: 'forecast'; readonly id: number; readonly forecast: PageAnswer }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: FailureData };

export type FromReplayWorker =
  | FromForecast
  | FromConnect
  /** Who answers: versions of the page; null: the service. */
  | { readonly kind: 'place'; readonly version: string | null }
  /** The service would have to answer, and there is no key. */
  | { readonly kind: 'no_key' }
  | { readonly kind: 'progress'; readonly progress: ReplayProgress; readonly seconds: number }
  | { readonly kind: 'results'; readonly results: ReplayResults }
  /** Of horizons and thresholds other than those of the form. */
  | { readonly kind: 'lead'; readonly rows: readonly LeadRow[]; readonly without: readonly NoLead[] }
  | {
      readonly kind: 'ended';
      readonly windows: number;
      readonly csv: string;
      readonly seconds: number;
      readonly failure: FailureData | null;
    };
