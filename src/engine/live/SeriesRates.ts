import { FairMap } from '../../core/FairMap.ts';

/** Forecasts until the cut is known, and those that it is taken from. */
export const LEAST_FORECASTS = 200;
const MOST_FORECASTS = 1000;
/** Series with their probabilities, of all accounts: about 16 MB. */
const MOST_SERIES = 1000;

/** What its probabilities are comparable by: a series of an account, its horizon, and the threshold as it was asked. */
export type RateKey = {
  readonly accountId: string;
  readonly series: string;
  /** `horizonClass` */
  readonly horizon: number;
  readonly minMoveBps: number | 'cost' | null;
  /** Of the bars; absent or 0: of ticks. */
  readonly barPeriodMs?: number;
};

type Known = {
  readonly model: string;
  lastUs: number;
  /** In the order of their ticks, a ring once it is full. */
  readonly recent: number[];
  /** The same, ascending. */
  readonly sorted: number[];
  next: number;
};

/** Horizons within a fifth of each other are one; the edges lie below round numbers such as 10 s and 5 min, because the last tick is a little old. */
export const horizonClass = (seconds: number): number => Math.floor(4 * Math.log2(seconds) - 0.2);

/**
 * The probability from which on a fraction of a series is marked: a running quantile of its last 1,000 probabilities (`mark_rate`). Beyond
 * 1,000 series, an account with more than an equal share forgets the one that it has not used for longest.
 */
export class SeriesRates {
  readonly #known = new FairMap<Known>(MOST_SERIES);

  /** Null until enough forecasts are known. `rate`: above 0 and below 1. */
  cut(key: RateKey, rate: number): number | null {
    const sorted = this.#known.get(key.accountId, textOf(key))?.sorted;
    if (sorted === undefined || sorted.length < LEAST_FORECASTS) return null;
    return sorted[sorted.length - Math.max(1, Math.floor(rate * sorted.length))];
  }

  /** Counts a forecast; ticks that are not later than the last ones are a repetition. Another version starts the count again. */
  add(key: RateKey, model: string, lastUs: number, probability: number | null): void {
    if (probability === null) return;
    const text = textOf(key);
    const old = this.#known.get(key.accountId, text);
    if (old?.model === model && lastUs <= old.lastUs) return;
    const known = old?.model === model ? old : { model, lastUs, recent: [], sorted: [], next: 0 };
    this.#known.set(key.accountId, text, known);
    const { recent, sorted } = known;
    if (recent.length === MOST_FORECASTS) sorted.splice(placeOf(sorted, recent[known.next]), 1);
    recent[known.next] = probability;
    known.next = (known.next + 1) % MOST_FORECASTS;
    known.lastUs = lastUs;
    sorted.splice(placeOf(sorted, probability), 0, probability);
  }

  /** Accounts of which something is known. */
  accounts(): readonly string[] {
    return this.#known.accounts();
  }

  forget(accountId: string): void {
    this.#known.forget(accountId);
  }
}

const textOf = ({ series, horizon, minMoveBps, barPeriodMs }: RateKey): string =>
  JSON.stringify([series, horizon, minMoveBps, barPeriodMs ?? 0]);

/** The first place whose value is not below. */
function placeOf(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
