import type { Setup } from '../../engine/scoring/usefulSetup.ts';
import type { ReplayResults } from '../replay/replayResults.ts';
import type { ReplayProgress } from '../replay/ReplayRun.ts';
import type { Thresholds } from '../Thresholds.ts';
import type { Failure } from '../service/failureText.ts';
import type { Version } from '../service/Service.ts';

/** What to replay. `models`: undefined is the default version; a second one is compared with the first. */
export type ReplayOrder = Thresholds & {
  readonly kind: 'start';
  readonly timesUs: Float64Array;
  readonly prices: Float64Array;
  readonly count: number;
  readonly horizonMs: number;
  readonly key: string;
  readonly models: readonly (string | undefined)[];
};

/** The ticks of which to find set-ups, and the version that answers. */
export type SetupsOrder = {
  readonly kind: 'setups';
  readonly timesUs: Float64Array;
  readonly prices: Float64Array;
  readonly key: string;
  readonly version: Version;
};

export type ToReplayWorker = ReplayOrder | SetupsOrder | { readonly kind: 'pause' | 'resume' };

/** An error as a message carries it: its class is lost. */
export type FailureData = Pick<Failure, 'message' | 'status' | 'code' | 'retryAfterS' | 'requestId'>;

export type FromReplayWorker =
  | { readonly kind: 'progress'; readonly progress: ReplayProgress; readonly seconds: number }
  | { readonly kind: 'results'; readonly results: ReplayResults }
  | { readonly kind: 'setup'; readonly setup: Setup }
  | {
      readonly kind: 'ended';
      readonly windows: number;
      readonly csv: string;
      readonly seconds: number;
      readonly failure: FailureData | null;
    };
