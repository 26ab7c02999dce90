import { ENTRY_DELAY_MS, moveBetween } from '../features/labelOrigin.ts';
import { afterOutcome } from '../scoring/LearnedWeights.ts';
import { type ByteReader, MOST_MOVE } from './bytes.ts';
import { type Answered, type Outcomes, withOutcome } from './Outcomes.ts';
import type { OwnWeights } from './OwnWeights.ts';
import { type RangeOutcomes, withRange } from './ranges.ts';
import { type TouchOutcomes, withTouches } from './TouchOutcomes.ts';

/** A span (fromMs, endMs] with the label's entry and exit so far; NaN before the entry. */
export type Span = { fromMs: number; endMs: number; entry: number; exit: number };

/** A forecast at `fromMs`. */
export type OpenForecast = Span & {
  /** Null: it is not computed yet. */
  answered: Answered | null;
  /** The last price of its window. */
  readonly origin: number;
  /** Of the prices after the entry, 0 and infinite without one; not followed unless it was asked about touches. */
  high: number;
  low: number;
};

/** Those of an open forecast that touches need. */
export const NO_PRICES = { origin: NaN, high: 0, low: Infinity };
export const TOUCH_FIELDS = ['origin', 'high', 'low'] as const;

/** The label's entry and exit with a price. `ofBars`: the entry is the last close that is there when the span begins. */
export function extendSpan(span: Span, ms: number, price: number, ofBars: boolean): void {
  if (ms > span.endMs || (!ofBars && ms < span.fromMs + ENTRY_DELAY_MS)) return;
  if (Number.isNaN(span.entry) || (ofBars && ms <= span.fromMs)) span.entry = price;
  span.exit = price;
}

export function extendForecast(forecast: OpenForecast, ms: number, price: number, ofBars: boolean): void {
  withExtremes(forecast, ms, price, price);
  extendSpan(forecast, ms, price, ofBars);
}

/** As it is with a price that is not yet final. */
export function endedForecast(forecast: OpenForecast, ms: number, price: number, ofBars: boolean): OpenForecast {
  const copy = { ...forecast };
  extendForecast(copy, ms, price, ofBars);
  return copy;
}

/** One that is not over at the last tick; `of` names it. */
export function loadSpan(from: ByteReader, of: string, lastMs: number): Span {
  const [fromMs, endMs] = [from.time(`beginning of a ${of}`), from.time(`end of a ${of}`)];
  const span = { fromMs, endMs, entry: from.price(`entry of a ${of}`), exit: from.none(`exit of a ${of}`) };
  const isNone = Number.isNaN(fromMs) && Number.isNaN(endMs);
  from.check(isNone || endMs >= lastMs, `a ${of} from ${fromMs} to ${endMs} is over at the last tick, ${lastMs}`);
  return span;
}

/** The entry comes then, or the end. */
export const wakeOf = ({ fromMs, endMs, entry }: Span): number => (Number.isNaN(entry) ? Math.min(fromMs + ENTRY_DELAY_MS, endMs) : endMs);

/** What touches is after the entry. */
export function withExtremes(forecast: OpenForecast, ms: number, low: number, high: number): void {
  if (Number.isNaN(forecast.entry) || ms <= forecast.fromMs || ms > forecast.endMs) return;
  forecast.high = Math.max(forecast.high, high);
  forecast.low = Math.min(forecast.low, low);
}

export const isTouchable = ({ origin, high, low }: Pick<OpenForecast, 'origin' | 'high' | 'low'>): boolean =>
  origin > 0 && (low > high ? low === Infinity && high === 0 : low > 0 && high < Infinity);

/** The ratio of the smallest price to a usual one is infinite. */
export const moveOf = ({ entry, exit }: Span): number =>
  Number.isNaN(entry) ? 0 : Math.min(MOST_MOVE, Math.max(-MOST_MOVE, moveBetween(entry, exit)));

/** What the outcomes of forecasts have taught. */
export type Taught = {
  readonly outcomes: Outcomes;
  readonly ranges: RangeOutcomes;
  /** Weights of the series. */
  readonly own: OwnWeights;
  readonly touches: TouchOutcomes;
};

/** With the outcome of one more forecast; one that is not computed yet teaches nothing. */
export function taughtBy(before: Taught, forecast: OpenForecast): Taught {
  const { answered, origin, high, low } = forecast;
  if (answered === null) return before;
  const { theta, ranges, own, touches } = answered;
  const move = moveOf(forecast);
  const outcome = Math.abs(move) > theta ? 1 : 0;
  return {
    outcomes: withOutcome(before.outcomes, answered, outcome),
    ranges: ranges === undefined ? before.ranges : withRange(before.ranges, ranges, move),
    own: own === undefined ? before.own : afterOutcome(before.own, own, outcome),
    touches:
      touches === undefined
        ? before.touches
        : withTouches(before.touches, touches, { up: Math.log(high / origin), down: Math.log(low / origin) }),
  };
}

/** An end and touches are due at each tick; what is not computed yet may ask about them. */
export const wakeOfForecast = (forecast: OpenForecast): number =>
  forecast.answered === null || forecast.answered.touches !== undefined ? -Infinity : wakeOf(forecast);
