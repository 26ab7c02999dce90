import type { ForecastDetail, LastAnswer, NullReason, Problem } from '../wire.ts';

/** One forecast that a series repeats. */
export type LiveForecast = {
  /** How far ahead: `10s`, `60s`, `5m`, `1h`; one day at most. */
  readonly horizon: string;
  /** At the first tick of each multiple of this duration on the clock of the ticks, or `tick`: at each tick. */
  readonly every: string;
  /** Your own cost in basis points; the threshold of each window where absent. */
  readonly minMoveBps?: number | undefined;
  /** Smallest probability that you want marked; the decision threshold of the version where absent. */
  readonly minProbability?: number | undefined;
  /** Last ticks that each forecast uses, 199 to 3000; 500 up to 60 s and 3000 beyond where absent. */
  readonly ticks?: number | undefined;
  /** Name of the forecast; its horizon where absent. */
  readonly id?: string | undefined;
};

/** The score of the forecasts of one id, in this connection. */
export type LiveScore = {
  readonly id: string;
  /** First tick of the series. */
  readonly since: string | null;
  readonly forecasts: number;
  readonly outcomes: number;
  readonly unscored: number;
  readonly marks: number;
  readonly hits: number;
  readonly base_rate: number | null;
  readonly brier: number | null;
  readonly baseline_brier: number | null;
  /** baseline_brier − brier; above 0: better than the baseline. */
  readonly difference: number | null;
  /** 99 % interval of the difference. */
  readonly interval: readonly number[] | null;
  readonly conclusion: 'better' | 'worse' | 'too_few';
};

/** What the service sends about a series, with the fields as they are on the wire. */
export type LiveSeriesMessage =
  | {
      readonly type: 'opened';
      readonly series: string;
      readonly forecasts: readonly {
        readonly id: string;
        readonly horizon: string;
        readonly every: string;
        readonly min_move_bps: number | null;
      }[];
      readonly model: string | null;
      /** Limits in force, by name. */
      readonly limits: Readonly<Record<string, number>>;
    }
  | {
      readonly type: 'forecast';
      readonly series: string;
      readonly id: string;
      /** Counts the due forecasts of the id from 0; a skipped one leaves a gap. */
      readonly n: number;
      /** The last tick that the forecast used. */
      readonly timestamp: string;
      readonly future: string;
      /** 1: a trade opportunity is identified; null: none is. */
      readonly trend_identified: 1 | null;
      /** none: the probability is below the decision threshold; abstained: any other reason holds. */
      readonly status: LastAnswer['status'];
      readonly probability: number | null;
      readonly decision_threshold: number | null;
      readonly min_move_bps: number | null;
      readonly reasons: readonly NullReason[];
      readonly model: string;
      /** Of an `ask` with `detail`. */
      readonly detail?: ForecastDetail;
    }
  | {
      readonly type: 'outcome';
      readonly series: string;
      readonly id: string;
      /** Number of the forecast. */
      readonly n: number;
      /** Whether the move was larger than the threshold; null: unknown, with `reason`. */
      readonly moved: boolean | null;
      readonly move_bps: number | null;
      readonly reason?: 'session_gap' | 'no_threshold' | 'pending_limit';
    }
  | { readonly type: 'score'; readonly series: string; readonly scores: readonly LiveScore[] }
  | {
      readonly type: 'status';
      readonly code: 'warming_up' | 'skipped' | 'going_away';
      readonly detail: string;
      readonly series?: string;
      /** Forecasts that were skipped, by reason. */
      readonly skipped?: Readonly<Record<string, number>>;
    };

/** A copy of what a watched connection got: a message about its series, the last price of one, or its end. */
export type LiveCopy = {
  /** Names the connection: two of them may have series of one name. */
  readonly source: string;
  readonly message:
    | LiveSeriesMessage
    | { readonly type: 'price'; readonly series: string; readonly timestamp: string; readonly price: number }
    | { readonly type: 'closed'; readonly series: string };
};

/** What the service sends. */
export type LiveServerMessage =
  | LiveSeriesMessage
  | {
      /** After `watch`. */
      readonly type: 'watched';
      readonly copies: readonly LiveCopy[];
      /** Copies that were not sent since the last `watched` message. */
      readonly dropped: number;
    }
  | (Omit<Problem, 'type'> & {
      readonly type: 'error';
      /** Type of the message that was refused; null: it could not be read. */
      readonly message: string | null;
      readonly series?: string;
    });

/** What a live connection gives: messages of the service, and what happens to the connection. */
export type LiveMessage =
  | LiveServerMessage
  | {
      readonly type: 'connected';
      /** Whether there was a connection before: its series are open again. */
      readonly isResumed: boolean;
    }
  | {
      readonly type: 'disconnected';
      /** Close code of the WebSocket. */
      readonly code: number;
      readonly reason: string;
      /** Milliseconds until the next attempt. */
      readonly waitMs: number;
    }
  | {
      readonly type: 'dropped';
      /** Messages that were dropped because they were not read in time. */
      readonly count: number;
    };
