import type { BarRange } from '../../ticks/TickWindow.ts';
import { type ByteReader, type ByteWriter, MOST_MOVE } from './bytes.ts';
import { FloatRing } from './FloatRing.ts';
import { loadOwn, loadQuestion, saveQuestion, saveWeights, startingWeights } from './OwnWeights.ts';
import { type Answered, loadLevels, loadOutcomes, NO_OUTCOMES, OUTCOME_FIELDS } from './Outcomes.ts';
import {
  endedForecast,
  extendForecast,
  extendSpan,
  isTouchable,
  loadSpan,
  moveOf,
  NO_PRICES,
  type OpenForecast,
  type Span,
  type Taught,
  taughtBy,
  TOUCH_FIELDS,
  wakeOf,
  wakeOfForecast,
  withExtremes,
} from './openForecast.ts';
import { loadRanges, NO_RANGES, RANGE_LEVELS, saveRanges } from './ranges.ts';
import { loadTouches, loadTouchQuestion, NO_TOUCHES, saveTouches, saveTouchQuestion } from './TouchOutcomes.ts';

/** Moves that are kept of each horizon. */
const MOST_MOVES = 400;
/** A move counts if a tick is at most this old, or two horizons, where it begins. */
const LONGEST_SILENCE_MS = 60_000;

const SPAN_FIELDS = ['fromMs', 'endMs', 'entry', 'exit'] as const;
const ANSWERED_FIELDS = ['theta', 'probability', 'hour', 'day', 'hours', 'week'] as const;

/**
 * Moves of one horizon on a grid of the clock, and the outcomes of forecasts. A move is that of the label: from the first price at least
 * 1 s after its beginning to the last one at or before its end, 0 without a price between them; of bars, from the last close at its beginning.
 * Times are in ms.
 */
export class HorizonMemory {
  readonly horizonMs: number;
  readonly #silenceMs: number;
  /** Moves go from close to close. */
  readonly #ofBars: boolean;
  readonly #moves = new FloatRing(MOST_MOVES);
  /** Of `movesAt`, until another move is over: forecasts come more often than moves end. */
  #known: Float64Array | undefined;
  /** The move that is not over; NaN times before the first tick and after a cut. */
  readonly #grid: Span = { fromMs: NaN, endMs: NaN, entry: NaN, exit: NaN };
  #isCounted = false;
  #wakeMs = -Infinity;
  #forecast: OpenForecast | null = null;
  #taught: Taught;

  constructor(horizonMs: number, ofBars = false) {
    this.horizonMs = horizonMs;
    this.#silenceMs = Math.max(LONGEST_SILENCE_MS, 2 * horizonMs);
    this.#ofBars = ofBars;
    this.#taught = { outcomes: NO_OUTCOMES, ranges: NO_RANGES, own: startingWeights(horizonMs, ofBars), touches: NO_TOUCHES };
  }

  /** A tick at `ms` follows the last price, which is final now. Up to `wakeMs` that changes nothing: no move begins or ends, and no entry comes. */
  follow(ms: number, lastMs: number, lastPrice: number): void {
    if (ms <= this.#wakeMs) return;
    this.add(lastMs, lastPrice);
    this.advance(ms, lastMs);
    // The entry of bars may still change.
    if (!this.#ofBars) this.#wakeMs = Math.min(wakeOf(this.#grid), this.#forecast === null ? Infinity : wakeOfForecast(this.#forecast));
  }

  get wakeMs(): number {
    return this.#wakeMs;
  }

  /** A final price. */
  add(ms: number, price: number): void {
    if (Number.isNaN(this.#grid.fromMs)) this.#begin(Math.ceil(ms / this.horizonMs) * this.horizonMs, ms, NaN);
    extendSpan(this.#grid, ms, price, this.#ofBars);
    if (this.#forecast !== null) extendForecast(this.#forecast, ms, price, this.#ofBars);
  }

  /** A bar that ends at `ms` had these prices. */
  reach(ms: number, { low, high }: BarRange): void {
    if (this.#forecast !== null) withExtremes(this.#forecast, ms, low, high);
  }

  /** A tick at `ms` is there, not yet final: what ends before it is over. `lastMs`: time of the last final price. */
  advance(ms: number, lastMs: number): void {
    const { endMs, exit } = this.#grid;
    if (endMs < ms) {
      this.#known = undefined;
      if (this.#isCounted) this.#moves.push(Math.abs(moveOf(this.#grid)));
      const stillMs = endMs + this.horizonMs < ms ? this.#endStill(ms, lastMs) : 0;
      this.#begin(endMs + stillMs, lastMs, this.#ofBars ? exit : NaN);
    }
    const forecast = this.#forecast;
    if (forecast === null || forecast.endMs >= ms) return;
    this.#taught = taughtBy(this.#taught, forecast);
    this.#forecast = null;
  }

  /** Whether the outcome of a forecast is known at `ms` before the forecast is. */
  isOwed(ms: number): boolean {
    return this.#forecast !== null && this.#forecast.answered === null && this.#forecast.endMs <= ms;
  }

  /** A pause of the market, or missing ticks, after the last final price at `lastMs`: what has not ended by then has no outcome. */
  cut(lastMs: number): void {
    this.advance(lastMs + 1, lastMs);
    this.#wakeMs = -Infinity;
    this.#grid.fromMs = NaN;
    this.#grid.endMs = NaN;
    this.#forecast = null;
  }

  /**
   * Follows the price from a tick on, for a forecast of this horizon that `answer` names later. Nothing happens while the last one is open:
   * outcomes do not overlap.
   */
  begin(fromMs: number, horizonMs: number, price: number): void {
    if (this.#forecast !== null && this.#forecast.endMs > fromMs) return;
    if (this.#forecast !== null) this.#taught = this.taughtAt(fromMs, price);
    const entry = this.#ofBars ? price : NaN;
    this.#forecast = { fromMs, endMs: fromMs + horizonMs, entry, exit: entry, answered: null, origin: price, high: 0, low: Infinity };
    this.#wakeMs = -Infinity;
  }

  /** The forecast that began at `fromMs`; null: there is none, so it has no outcome. */
  answer(fromMs: number, horizonMs: number, answered: Answered | null): void {
    const forecast = this.#forecast;
    if (forecast?.fromMs !== fromMs || forecast.endMs !== fromMs + horizonMs || forecast.answered !== null) return;
    if (answered === null) this.#forecast = null;
    else forecast.answered = answered;
  }

  /** Probabilities of another version do not count. */
  forgetProbabilities(): void {
    this.#taught = { ...this.#taught, outcomes: { ...this.#taught.outcomes, compared: 0, meanProbability: 0, meanOutcome: 0 } };
    this.forgetWeights();
    if (this.#forecast !== null && this.#forecast.answered !== null) this.#forecast = null;
  }

  /** The weights of the series begin again. */
  forgetWeights(): void {
    const own = startingWeights(this.horizonMs, this.#ofBars);
    this.#taught = { ...this.#taught, own, touches: { ...this.#taught.touches, weights: NO_TOUCHES.weights } };
  }

  /** By the outcomes at or before a tick that is not yet final. */
  taughtAt(ms: number, price: number): Taught {
    const forecast = this.#forecast;
    if (forecast === null || forecast.endMs > ms) return this.#taught;
    return taughtBy(this.#taught, endedForecast(forecast, ms, price, this.#ofBars));
  }

  /** Sizes of the moves that ended at or before a tick that is not yet final, oldest first, at most 400. */
  movesAt(ms: number, price: number): Float64Array {
    if (this.#grid.endMs !== ms || !this.#isCounted) return (this.#known ??= this.#newest(this.#moves.size, 0));
    const over = Math.min(this.#moves.size, MOST_MOVES - 1);
    const moves = this.#newest(over, 1);
    const grid = { ...this.#grid };
    extendSpan(grid, ms, price, this.#ofBars);
    moves[over] = Math.abs(moveOf(grid));
    return moves;
  }

  save(out: ByteWriter): void {
    this.#moves.save(out);
    const { fromMs, endMs, entry } = this.#grid;
    // The last price comes again before the end: until then it is no exit.
    for (const value of [fromMs, endMs, entry, NaN]) out.double(value);
    out.whole(this.#isCounted ? 1 : 0);
    const { outcomes, ranges, own, touches } = this.#taught;
    for (const name of OUTCOME_FIELDS) out.double(outcomes[name]);
    saveRanges(out, ranges);
    saveWeights(out, own);
    saveTouches(out, touches);
    // A process that ends does not answer.
    const kept = this.#forecast?.answered ?? null;
    out.whole(kept === null ? 0 : 1);
    if (kept === null) return;
    for (const name of SPAN_FIELDS) out.double(name === 'exit' ? NaN : this.#forecast![name]);
    for (const name of ANSWERED_FIELDS) out.double(kept[name]);
    for (const at of RANGE_LEVELS.keys()) out.double(kept.ranges?.[at] ?? NaN);
    saveQuestion(out, kept.own);
    saveTouchQuestion(out, kept.touches);
    // Without a question they are not followed at each tick.
    for (const name of TOUCH_FIELDS) out.double(kept.touches === undefined ? NO_PRICES[name] : this.#forecast![name]);
  }

  /** `lastMs`: of the last tick, NaN for none. `age`: of the format, as in SeriesMemory. Returns the horizon of the open forecast. */
  load(from: ByteReader, lastMs: number, age: number): number | undefined {
    const [isOlder, hasTouches] = [age === 0, age >= 2];
    this.#moves.load(from, 'move', MOST_MOVE);
    Object.assign(this.#grid, loadSpan(from, 'move', lastMs));
    const { fromMs, endMs, entry } = this.#grid;
    from.check(
      Number.isNaN(fromMs) || (fromMs % this.horizonMs === 0 && endMs === fromMs + this.horizonMs && fromMs - lastMs < this.horizonMs),
      `a move of ${this.horizonMs} ms is from ${fromMs} to ${endMs}, off its grid`,
    );
    from.check(Number.isNaN(entry) || this.#ofBars || !(fromMs >= lastMs), `a move that begins at ${fromMs} has an entry`);
    this.#isCounted = from.flag('whether a move counts');
    const outcomes = loadOutcomes(from, isOlder);
    const { count } = outcomes;
    const begun = this.#taught;
    this.#taught = {
      outcomes,
      ranges: loadRanges(from, count),
      own: isOlder ? begun.own : loadOwn(from, begun.own, count, age === 3),
      touches: hasTouches ? loadTouches(from, count) : begun.touches,
    };
    if (!from.flag('whether a forecast is open')) return undefined;
    const span = loadSpan(from, 'forecast', lastMs);
    from.check(span.fromMs <= lastMs && span.endMs > span.fromMs, `a forecast is from ${span.fromMs} to ${span.endMs}`);
    const answered = {
      theta: from.number('theta', Number.MIN_VALUE, MOST_MOVE),
      probability: from.number('probability', Number.MIN_VALUE, 1 - Number.EPSILON / 2),
      ...loadLevels(from, isOlder),
      ranges: RANGE_LEVELS.map(() => from.numberOrNone('range', 0, Number.MAX_VALUE)),
      ...(isOlder ? {} : loadQuestion(from, (span.fromMs + span.endMs) / 2)),
    };
    const touches = hasTouches ? loadTouchQuestion(from) : undefined;
    const prices = { ...NO_PRICES };
    if (hasTouches) for (const name of TOUCH_FIELDS) prices[name] = from.double();
    from.check(touches === undefined || isTouchable(prices), `the prices after a forecast are ${prices.low} to ${prices.high}`);
    this.#forecast = { ...span, ...prices, answered: { ...answered, touches } };
    return span.endMs - span.fromMs;
  }

  /** The newest moves, oldest first, with room for more. */
  #newest(count: number, room: number): Float64Array {
    const moves = new Float64Array(count + room);
    this.#moves.copyInOrder(moves, count);
    return moves;
  }

  /** Ends the moves without a price after the present one, as many as end before `ms`; returns how long they are. After a silence none counts. */
  #endStill(ms: number, lastMs: number): number {
    const { endMs } = this.#grid;
    const still = Math.ceil((ms - endMs) / this.horizonMs) - 1;
    const counted = Math.floor((lastMs + this.#silenceMs - endMs) / this.horizonMs) + 1;
    this.#moves.pushZeros(Math.max(0, Math.min(still, counted)));
    return still * this.horizonMs;
  }

  #begin(fromMs: number, lastMs: number, entry: number): void {
    this.#isCounted = fromMs - lastMs <= this.#silenceMs;
    this.#grid.fromMs = fromMs;
    this.#grid.endMs = fromMs + this.horizonMs;
    this.#grid.entry = this.#grid.exit = entry;
  }
}
