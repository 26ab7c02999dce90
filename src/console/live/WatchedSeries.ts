import type { LiveCopy, LiveScore } from '../../../clients/typescript/src/index.ts';
import { parseTimestamp } from '../ticks/timeText.ts';
import { lastAtOrBefore } from '../../ticks/searchTimes.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';
import { ForecastLog, type ForecastMessage, type LoggedForecast } from './ForecastLog.ts';
import type { LevelQuestion } from './LevelQuestion.ts';
import { horizonName } from './livePlan.ts';
import type { Stream, StreamPlan } from './Stream.ts';

/** Prices that are kept: over five hours of five a second. Beyond twice as many, the oldest are dropped. */
const KEPT_PRICES = 100_000;

export type Opened = Extract<LiveCopy['message'], { readonly type: 'opened' }>;

/** A series of another program, of which the service sends copies: its last prices, forecasts, outcomes and scores. */
export class WatchedSeries implements Stream {
  readonly name: string;
  readonly plans: readonly StreamPlan[];
  readonly log = new ForecastLog();
  readonly isPlayed = false;
  level: LevelQuestion | undefined;
  /** Indices of the first ticks after gaps. */
  breaks: number[] = [];
  /** Whether it goes on, as far as is known. */
  isMoving = true;
  scores: readonly LiveScore[] = [];
  /** Whether the score leaves out what was before a gap. */
  isResumed = false;
  readonly #periodMs: number | undefined;
  /** Times, prices; of bars open, high and low. */
  #columns: readonly Float64Array[];
  #count = 0;

  /** `periodMs`: of bars. */
  constructor({
    series,
    forecasts,
    periodMs,
  }: Pick<Opened, 'series'> & {
    readonly forecasts: readonly { readonly id: string; readonly horizon: string }[];
    readonly periodMs?: number | undefined;
  }) {
    this.name = series;
    this.#periodMs = periodMs;
    this.#columns = Array.from({ length: periodMs === undefined ? 2 : 5 }, () => new Float64Array(1024));
    this.plans = forecasts.map(({ id, horizon }) => ({ id, name: id === horizon ? horizonName(id) : `${id}, ${horizonName(horizon)}` }));
  }

  /** Ticks are missing: no line is drawn to the next one. */
  gap(): void {
    this.breaks.push(this.#count);
  }

  /** The same, and what was pending stays unknown. */
  beginPart(): void {
    this.isResumed = true;
    this.gap();
    this.beginScore();
  }

  /** Another question begins: the score starts again, and what was pending stays unknown. */
  beginScore(): void {
    this.scores = [];
    for (const { message, outcome } of this.log.rows)
      if (outcome === null)
        this.log.settle({
          type: 'outcome',
          series: message.series,
          id: message.id,
          n: message.n,
          moved: null,
          move_bps: null,
        });
  }

  get series(): TickSeries {
    const [timesUs, prices, open, high, low] = this.#columns.map((column) => column.subarray(0, this.#count));
    return this.#periodMs === undefined
      ? { timesUs, prices }
      : { timesUs, prices, bars: { periodMs: this.#periodMs, ranges: { open, high, low } } };
  }

  get position(): number {
    return this.#count;
  }

  /** Returns the forecast of a mark. */
  read(message: Exclude<LiveCopy['message'], ForecastMessage> | ForecastMessage): LoggedForecast | undefined {
    if (message.type === 'price') this.push(parseTimestamp(message.timestamp) ?? 0, message.price);
    else if (message.type === 'outcome') this.log.settle(message);
    else if (message.type === 'score') this.scores = message.scores;
    else if (message.type === 'closed') this.isMoving = false;
    else if (message.type === 'forecast') {
      const tick = lastAtOrBefore(this.series.timesUs, parseTimestamp(message.timestamp) ?? 0);
      const row = this.log.add(message, Math.max(0, tick));
      return row.status === 'identified' ? row : undefined;
    }
    return undefined;
  }

  /** A program that connected again sends its last ticks again: those before the last price are left out. */
  push(timeUs: number, price: number, range: readonly [open: number, high: number, low: number] = [price, price, price]): void {
    if (timeUs < (this.lastUs ?? 0)) return;
    if (this.#count === 2 * KEPT_PRICES) this.#dropOldest();
    if (this.#count === this.#columns[0].length) this.#columns = this.#columns.map(grown);
    for (const [at, value] of [timeUs, price, ...range].entries()) if (at < this.#columns.length) this.#columns[at][this.#count] = value;
    this.#count++;
  }

  /** Of the last price. */
  get lastUs(): number | undefined {
    return this.#count === 0 ? undefined : this.#columns[0][this.#count - 1];
  }

  #dropOldest(): void {
    for (const column of this.#columns) column.copyWithin(0, KEPT_PRICES, this.#count);
    this.#count -= KEPT_PRICES;
    this.breaks = this.breaks.flatMap((at) => (at > KEPT_PRICES ? [at - KEPT_PRICES] : []));
    this.log.shift(KEPT_PRICES);
  }
}

function grown(values: Float64Array): Float64Array<ArrayBuffer> {
  const twice = new Float64Array(2 * values.length);
  twice.set(values);
  return twice;
}

/** What is shown in place of ticks that the page plays: a series of another program, or a market. */
export type Watched = {
  readonly isRunning: boolean;
  readonly phase: string;
  readonly shown: WatchedSeries | undefined;
  /** Series to choose from. */
  readonly choices?: readonly { readonly key: string; readonly name: string; readonly isShown: boolean }[];
  /** Forecasts that the service has skipped, by reason. */
  readonly skipped?: Readonly<Record<string, number>>;
  /** Messages that the service has dropped. */
  readonly dropped?: number;
  /** What is odd about the ticks; empty: nothing. */
  readonly doubt?: string;
  /** What it does, for a person who looks at it now. */
  text(nowMs: number): string;
  /** Shows another series from now on. */
  show?(key: string): void;
  stop(): void;
  /** Ends it at once, for example because the key is gone. */
  fail(fault: string): void;
};
