import { ENTRY_DELAY_MS, moveBetween } from '../features/labelOrigin.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { FloatRing } from './FloatRing.ts';

/** Moves that are kept of each horizon. */
const MOST_MOVES = 400;
/** Means of outcomes are over this many; from then on, older outcomes fade. */
const MOST_OUTCOMES = 400;
const MOST_LEVELS = 2000;
/** A move counts if a tick is at most this old, or two horizons, where it begins. */
const LONGEST_SILENCE_MS = 60_000;

/** A span (fromMs, endMs] with the label's entry and exit so far; NaN before the entry. */
type Span = { fromMs: number; endMs: number; entry: number; exit: number };

/** What was forecast at `fromMs`. */
export type OpenForecast = Span & {
  readonly theta: number;
  readonly probability: number;
  /** The uncentred inputs `hour` and `day`; NaN if they are undefined. */
  readonly hour: number;
  readonly day: number;
};

/** Means over due forecasts, none of which overlap. */
export type Outcomes = {
  /** All due forecasts. */
  readonly count: number;
  /** Those of the present version, at most 400. */
  readonly compared: number;
  readonly meanProbability: number;
  readonly meanOutcome: number;
  /** Those with `hour` and `day`, at most 2,000. */
  readonly levels: number;
  readonly meanHour: number;
  readonly meanDay: number;
};

const NO_OUTCOMES: Outcomes = { count: 0, compared: 0, meanProbability: 0, meanOutcome: 0, levels: 0, meanHour: 0, meanDay: 0 };
const OUTCOME_FIELDS = ['count', 'compared', 'meanProbability', 'meanOutcome', 'levels', 'meanHour', 'meanDay'] as const;
const FORECAST_FIELDS = ['fromMs', 'endMs', 'entry', 'exit', 'theta', 'probability', 'hour', 'day'] as const;

/**
 * Moves of one horizon on a grid of the clock, and the outcomes of forecasts. A move is that of the label: from the first price at least
 * 1 s after its beginning to the last one at or before its end, 0 without a price between them. Times are in ms.
 */
export class HorizonMemory {
  readonly horizonMs: number;
  readonly #moves = new FloatRing(MOST_MOVES);
  /** The move that is not over; NaN times before the first tick and after a cut. */
  readonly #grid: Span = { fromMs: NaN, endMs: NaN, entry: NaN, exit: NaN };
  #isCounted = false;
  #forecast: OpenForecast | null = null;
  #outcomes = NO_OUTCOMES;

  constructor(horizonMs: number) {
    this.horizonMs = horizonMs;
  }

  /** A final price. */
  add(ms: number, price: number): void {
    if (Number.isNaN(this.#grid.fromMs)) this.#begin(Math.ceil(ms / this.horizonMs) * this.horizonMs, ms);
    extend(this.#grid, ms, price);
    if (this.#forecast !== null) extend(this.#forecast, ms, price);
  }

  /** A tick at `ms` is there, not yet final: what ends before it is over. `lastMs`: time of the last final price. */
  advance(ms: number, lastMs: number): void {
    while (this.#grid.endMs < ms) {
      if (this.#isCounted) this.#moves.push(Math.abs(moveOf(this.#grid)));
      this.#begin(this.#grid.endMs, lastMs);
    }
    const forecast = this.#forecast;
    if (forecast === null || forecast.endMs >= ms) return;
    this.#outcomes = withOutcome(this.#outcomes, forecast);
    this.#forecast = null;
  }

  /** A pause of the market, or missing ticks, after the last final price at `lastMs`: what has not ended by then has no outcome. */
  cut(lastMs: number): void {
    this.advance(lastMs + 1, lastMs);
    this.#grid.fromMs = NaN;
    this.#grid.endMs = NaN;
    this.#forecast = null;
  }

  /** Remembers a forecast at a tick with this price until its outcome, unless the last one is still open: outcomes do not overlap. */
  forecast(made: Omit<OpenForecast, 'entry' | 'exit'>, price: number): void {
    if (this.#forecast !== null && this.#forecast.endMs > made.fromMs) return;
    this.#outcomes = this.outcomesAt(made.fromMs, price);
    this.#forecast = { ...made, entry: NaN, exit: NaN };
  }

  /** Probabilities of another version do not count. */
  forgetProbabilities(): void {
    this.#outcomes = { ...this.#outcomes, compared: 0, meanProbability: 0, meanOutcome: 0 };
    this.#forecast = null;
  }

  /** Outcomes at or before a tick that is not yet final. */
  outcomesAt(ms: number, price: number): Outcomes {
    const forecast = this.#forecast;
    if (forecast === null || forecast.endMs > ms) return this.#outcomes;
    return withOutcome(this.#outcomes, extended(forecast, ms, price));
  }

  /** Moves at or before a tick that is not yet final, as sizes, newest first: how many of the last `most` are above `theta`. */
  countAbove(theta: number, most: number, ms: number, price: number): { readonly above: number; readonly of: number } {
    const isDue = this.#grid.endMs === ms && this.#isCounted;
    const kept = Math.min(this.#moves.size, isDue ? most - 1 : most);
    let above = isDue && Math.abs(moveOf(extended(this.#grid, ms, price))) > theta ? 1 : 0;
    for (let age = 0; age < kept; age++) if (this.#moves.at(age) > theta) above++;
    return { above, of: kept + (isDue ? 1 : 0) };
  }

  save(out: ByteWriter): void {
    this.#moves.save(out);
    const { fromMs, endMs, entry, exit } = this.#grid;
    for (const value of [fromMs, endMs, entry, exit]) out.double(value);
    out.whole(this.#isCounted ? 1 : 0);
    for (const name of OUTCOME_FIELDS) out.double(this.#outcomes[name]);
    out.whole(this.#forecast === null ? 0 : 1);
    if (this.#forecast !== null) for (const name of FORECAST_FIELDS) out.double(this.#forecast[name]);
  }

  load(from: ByteReader): void {
    this.#moves.load(from);
    this.#grid.fromMs = from.double();
    this.#grid.endMs = from.double();
    this.#grid.entry = from.double();
    this.#grid.exit = from.double();
    this.#isCounted = from.whole() === 1;
    const doubles = <N extends string>(names: readonly N[]): Record<N, number> =>
      Object.fromEntries(names.map((name) => [name, from.double()])) as Record<N, number>;
    this.#outcomes = doubles(OUTCOME_FIELDS);
    this.#forecast = from.whole() === 0 ? null : doubles(FORECAST_FIELDS);
  }

  #begin(fromMs: number, lastMs: number): void {
    this.#isCounted = fromMs - lastMs <= Math.max(LONGEST_SILENCE_MS, 2 * this.horizonMs);
    Object.assign(this.#grid, { fromMs, endMs: fromMs + this.horizonMs, entry: NaN, exit: NaN });
  }
}

const moveOf = ({ entry, exit }: Span): number => (Number.isNaN(entry) ? 0 : moveBetween(entry, exit));

function extend(span: Span, ms: number, price: number): void {
  if (ms < span.fromMs + ENTRY_DELAY_MS || ms > span.endMs) return;
  if (Number.isNaN(span.entry)) span.entry = price;
  span.exit = price;
}

function extended<S extends Span>(span: S, ms: number, price: number): S {
  const copy = { ...span };
  extend(copy, ms, price);
  return copy;
}

function withOutcome(before: Outcomes, forecast: OpenForecast): Outcomes {
  const { probability, theta, hour, day } = forecast;
  const compared = Math.min(before.compared + 1, MOST_OUTCOMES);
  const outcome = Math.abs(moveOf(forecast)) > theta ? 1 : 0;
  const hasLevels = Number.isFinite(hour) && Number.isFinite(day);
  const levels = hasLevels ? Math.min(before.levels + 1, MOST_LEVELS) : before.levels;
  const step = hasLevels ? 1 / levels : 0;
  return {
    count: before.count + 1,
    compared,
    meanProbability: before.meanProbability + (probability - before.meanProbability) / compared,
    meanOutcome: before.meanOutcome + (outcome - before.meanOutcome) / compared,
    levels,
    meanHour: hasLevels ? before.meanHour + (hour - before.meanHour) * step : before.meanHour,
    meanDay: hasLevels ? before.meanDay + (day - before.meanDay) * step : before.meanDay,
  };
}
