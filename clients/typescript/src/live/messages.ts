import type { DeepReadonly } from '../tickBody.ts';
import type * as wire from '../wire.ts';

/** What the service sends, about a series and at all, with the fields as they are on the wire. */
export type LiveSeriesMessage = DeepReadonly<wire.LiveSeriesMessage>;
export type LiveServerMessage = DeepReadonly<wire.LiveServerMessage>;
/** A copy of what a watched connection got. */
export type LiveCopy = DeepReadonly<wire.LiveCopy>;
/** The score of the forecasts of one id, in this connection. */
export type LiveScore = DeepReadonly<wire.LiveScore>;

/** One forecast that a series repeats. */
export type LiveForecast = {
  /** How far ahead: `10s`, `60s`, `5m`, `1h`; one day at most. */
  readonly horizon: string;
  /** At the first tick of each multiple of this duration on the clock of the ticks, or `tick`: at each tick. */
  readonly every: string;
  /** Your own cost in basis points, or `cost`: the median spread of each window of `bid` and `ask`; the threshold of each window where absent. */
  readonly minMoveBps?: number | 'cost' | undefined;
  /** Smallest probability that you want marked; the decision threshold of the version where absent. */
  readonly minProbability?: number | undefined;
  /** The fraction of the forecasts that you want marked, 0.001 to 0.5, in place of `minProbability`; null until 200 are known. */
  readonly markRate?: number | undefined;
  /** Levels, 0.5 to 0.99: each forecast has the range that the price is in with this probability. */
  readonly range?: readonly number[] | undefined;
  /** A price: each forecast has the probability that the price is above it. */
  readonly above?: number | undefined;
  /** Last ticks that each forecast uses, 199 to 3000; where absent 500 up to 60 s or with memory, else 3000. */
  readonly ticks?: number | undefined;
  /** Name of the forecast; its horizon where absent. */
  readonly id?: string | undefined;
};

/** What a live connection gives: messages of the service, and what happens to the connection. */
export type LiveMessage =
  | LiveServerMessage
  | {
      readonly type: 'connected';
      /** Whether there was a connection before: its series are open again. */
      readonly is_resumed: boolean;
    }
  | {
      readonly type: 'disconnected';
      /** Close code of the WebSocket. */
      readonly code: number;
      readonly reason: string;
      /** Milliseconds until the next attempt. */
      readonly wait_ms: number;
    }
  | {
      readonly type: 'dropped';
      /** Messages that were dropped because they were not read in time. */
      readonly count: number;
    }
  | {
      readonly type: 'ticks_left_out';
      readonly series: string;
      /** Since the series was opened: ticks before the last one, ticks far ahead of it that no other one confirmed, and quotes whose bid is above
       * the ask. Told at 1, 2, 4, 8, … */
      readonly late: number;
      readonly ahead: number;
      readonly crossed: number;
    }
  | {
      /** The times of the series have begun again at an earlier one: it was closed at the service and opened again, and its numbers begin at 0. */
      readonly type: 'restarted';
      readonly series: string;
    };
