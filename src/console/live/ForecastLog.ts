import type { LiveMessage } from '../../../clients/typescript/src/index.ts';
import { csvText } from '../csvText.ts';

export type ForecastMessage = Extract<LiveMessage, { readonly type: 'forecast' }> & {
  /** Of the engine of the page, and of watched markets of the service. */
  readonly volatility_probability?: number | null;
};
export type OutcomeMessage = Extract<LiveMessage, { readonly type: 'outcome' }>;

/** identified: a mark. none: the probability is below the decision threshold, and nothing else. abstained: for another reason. */
export type LiveStatus = 'identified' | 'none' | 'abstained';

/** One forecast of a stream, and its outcome once it is known. */
export type LoggedForecast = {
  readonly message: ForecastMessage;
  readonly status: LiveStatus;
  /** Index of its last tick in the streamed ticks. */
  tick: number;
  outcome: OutcomeMessage | null;
};

/** Forecasts that are kept: an hour of 4 horizons every second, about 10 MB. */
const KEPT_FORECASTS = 15_000;

export function statusOf({ trend_identified: mark, reasons }: Pick<ForecastMessage, 'trend_identified' | 'reasons'>): LiveStatus {
  if (mark === 1) return 'identified';
  return reasons.every((code) => code === 'below_threshold') ? 'none' : 'abstained';
}

/** The last forecasts of a stream in the order of their arrival. */
export class ForecastLog {
  readonly #most: number;
  readonly rows: LoggedForecast[] = [];
  readonly #byNumber = new Map<string, LoggedForecast>();
  readonly #latest = new Map<string, LoggedForecast>();
  /** Forecasts that were kept and are no more. */
  dropped = 0;
  #added: LoggedForecast[] = [];
  #settled: LoggedForecast[] = [];

  constructor(most = KEPT_FORECASTS) {
    this.#most = most;
  }

  add(message: ForecastMessage, tick: number): LoggedForecast {
    const row: LoggedForecast = { message, status: statusOf(message), tick, outcome: null };
    this.rows.push(row);
    this.#byNumber.set(keyOf(message), row);
    const latest = this.#latest.get(message.id);
    // Forecasts that are computed at the same time may arrive in another order.
    if (latest === undefined || message.n > latest.message.n) this.#latest.set(message.id, row);
    this.#added.push(row);
    // Not one by one: moving thousands of rows takes longer than adding one.
    if (this.rows.length > this.#most * 1.1) this.#dropOldest(this.rows.length - this.#most);
    if (this.#added.length > this.#most) this.#added = this.#added.slice(-this.#most);
    return row;
  }

  /** The forecast of the outcome; undefined where it is no longer kept. */
  settle(message: OutcomeMessage): LoggedForecast | undefined {
    const row = this.#byNumber.get(keyOf(message));
    if (row === undefined) return undefined;
    row.outcome = message;
    this.#settled.push(row);
    if (this.#settled.length > this.#most) this.#settled = this.#settled.slice(-this.#most);
    return row;
  }

  latest(id: string): LoggedForecast | undefined {
    return this.#latest.get(id);
  }

  /** So many of the oldest ticks are no longer kept. */
  shift(ticks: number): void {
    for (const row of this.rows) row.tick = Math.max(0, row.tick - ticks);
  }

  /** What has changed since the last call. */
  takeChanges(): { readonly added: readonly LoggedForecast[]; readonly settled: readonly LoggedForecast[] } {
    const [added, settled] = [this.#added, this.#settled];
    [this.#added, this.#settled] = [[], []];
    return { added, settled };
  }

  #dropOldest(count: number): void {
    for (const { message } of this.rows.splice(0, count)) this.#byNumber.delete(keyOf(message));
    this.dropped += count;
  }
}

const keyOf = ({ id, n }: { readonly id: string; readonly n: number }): string => `${id} ${n}`;

const COLUMNS = [
  ...['series', 'id', 'n', 'timestamp', 'future', 'status', 'probability', 'decision_threshold', 'min_move_bps', 'reasons', 'model'],
  ...['moved', 'move_bps', 'outcome_reason'],
];

/** Forecasts with their outcomes as CSV, oldest first. */
export const writeForecastCsv = (rows: readonly LoggedForecast[]): string =>
  csvText(
    COLUMNS,
    rows.map(({ message, status, outcome }) => {
      const { series, id, n, timestamp, future, probability, decision_threshold: threshold, min_move_bps: bps, reasons, model } = message;
      // Without the rounding error of the logistic function: 0.1, not 0.10000000000000002.
      const rounded = threshold === null ? null : Number(threshold.toPrecision(12));
      return [
        ...[series, id, n, timestamp, future, status, probability, rounded, bps, reasons.join(' '), model],
        ...[outcome === null ? 'pending' : outcome.moved, outcome?.move_bps, outcome?.reason],
      ];
    }),
  );
