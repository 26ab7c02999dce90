import type { MarketForecast } from '../../contract/markets.ts';
import type { ForecastRow, MarketKey, PendingForecast } from './Market.ts';

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
/** A forecast as it is now; `pending`: null with its outcome. */
export type OpenRow = { readonly forecast: Mutable<MarketForecast>; pending: Mutable<PendingForecast> | null };
type Settled = { readonly moved: boolean | null; readonly moveBps: number | null; readonly reason: string | null };

/** What is told of forecast number `n` once it is written. */
type Telling = { readonly n: number; readonly run: () => void };

/** Of a store that does not answer, the oldest are dropped. */
const MOST_UNWRITTEN = 2000;

/** The numbers of the forecasts of one market, those that are to be written, and what is told once they are. */
export class UnwrittenForecasts {
  readonly #onRow: () => void;
  readonly #rows = new Map<number, OpenRow>();
  #tell: Telling[] = [];
  #n = -1;
  #change = 0;

  /** `onRow`: a row is to be written. */
  constructor(onRow: () => void) {
    this.#onRow = onRow;
  }

  /** Goes on from the last numbers that were written. */
  goOn(last: { readonly n: number; readonly change: number }): void {
    [this.#n, this.#change] = [last.n, last.change];
  }

  /** Of a new forecast. */
  next(): Pick<MarketForecast, 'n' | 'change'> {
    return { n: ++this.#n, change: ++this.#change };
  }

  get count(): number {
    return this.#n + 1;
  }

  get size(): number {
    return this.#rows.size;
  }

  add(row: OpenRow): void {
    this.#rows.set(row.forecast.n, row);
    if (this.#rows.size > MOST_UNWRITTEN) this.#rows.delete(this.#rows.keys().next().value!);
    this.#onRow();
  }

  /** A forecast gets its outcome. */
  settle(row: OpenRow, { moved, moveBps, reason }: Settled): void {
    row.forecast.outcome = { moved, move_bps: moveBps, reason };
    row.forecast.change = ++this.#change;
    row.pending = null;
    this.add(row);
  }

  /** Runs once the row of this number is written; never if it is dropped. */
  tell(n: number, run: () => void): void {
    this.#tell.push({ n, run });
  }

  /** What is to be written; `written` or `failed` ends it. */
  take(key: MarketKey): { readonly forecasts: readonly ForecastRow[]; written(): void; failed(): void } {
    // In order: who reads changes in between has those before the last one.
    const rows = [...this.#rows.values()].sort((a, b) => a.forecast.change - b.forecast.change);
    // Copies: rows change while they are written.
    const forecasts = rows.map(({ forecast, pending }) => ({ ...key, forecast: { ...forecast }, pending: pending && { ...pending } }));
    const tell = this.#tell;
    this.#tell = [];
    return {
      forecasts,
      written: () => {
        for (const { forecast, pending } of forecasts) {
          const { n, change } = forecast;
          const now = this.#rows.get(n);
          if (now?.forecast.change === change && now.pending?.entry === pending?.entry) this.#rows.delete(n);
        }
        for (const { run } of tell) run();
      },
      failed: () => {
        // Nothing is told that no one could read afterwards, and what waits is bounded as the rows are.
        this.#tell = [...tell, ...this.#tell].filter(({ n }) => this.#rows.has(n));
      },
    };
  }
}
