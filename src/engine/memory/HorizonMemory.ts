import { ENTRY_DELAY_MS, moveBetween } from '../features/labelOrigin.ts';
import { type ByteReader, type ByteWriter, MOST_MOVE } from './bytes.ts';
import { FloatRing } from './FloatRing.ts';
import { afterOutcome } from '../scoring/LearnedWeights.ts';
import { loadQuestion, loadWeights, type OwnWeights, saveQuestion, saveWeights, startingWeights } from './OwnWeights.ts';
import { type Answered, loadLevels, loadOutcomes, NO_OUTCOMES, type Outcomes, OUTCOME_FIELDS, withOutcome } from './Outcomes.ts';
import { MOST_SHIFT, NO_RANGES, RANGE_LEVELS, type RangeOutcomes, withRange } from './ranges.ts';

/** Moves that are kept of each horizon. */
const MOST_MOVES = 400;
/** A move counts if a tick is at most this old, or two horizons, where it begins. */
const LONGEST_SILENCE_MS = 60_000;

/** A span (fromMs, endMs] with the label's entry and exit so far; NaN before the entry. */
type Span = { fromMs: number; endMs: number; entry: number; exit: number };

/** A forecast at `fromMs`; null: it is not computed yet. */
type OpenForecast = Span & { answered: Answered | null };

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
  /** The move that is not over; NaN times before the first tick and after a cut. */
  readonly #grid: Span = { fromMs: NaN, endMs: NaN, entry: NaN, exit: NaN };
  #isCounted = false;
  #wakeMs = -Infinity;
  #forecast: OpenForecast | null = null;
  #outcomes = NO_OUTCOMES;
  #ranges = NO_RANGES;
  #own: OwnWeights;

  constructor(horizonMs: number, ofBars = false) {
    this.horizonMs = horizonMs;
    this.#silenceMs = Math.max(LONGEST_SILENCE_MS, 2 * horizonMs);
    this.#ofBars = ofBars;
    this.#own = startingWeights(horizonMs, ofBars);
  }

  /** A tick at `ms` follows the last price, which is final now. Up to `wakeMs` that changes nothing: no move begins or ends, and no entry comes. */
  follow(ms: number, lastMs: number, lastPrice: number): void {
    if (ms <= this.#wakeMs) return;
    this.add(lastMs, lastPrice);
    this.advance(ms, lastMs);
    // The entry of bars may still change.
    if (!this.#ofBars) this.#wakeMs = Math.min(wakeOf(this.#grid), this.#forecast === null ? Infinity : wakeOf(this.#forecast));
  }

  get wakeMs(): number {
    return this.#wakeMs;
  }

  /** A final price. */
  add(ms: number, price: number): void {
    if (Number.isNaN(this.#grid.fromMs)) this.#begin(Math.ceil(ms / this.horizonMs) * this.horizonMs, ms, NaN);
    this.#extend(this.#grid, ms, price);
    if (this.#forecast !== null) this.#extend(this.#forecast, ms, price);
  }

  /** A tick at `ms` is there, not yet final: what ends before it is over. `lastMs`: time of the last final price. */
  advance(ms: number, lastMs: number): void {
    const { endMs, exit } = this.#grid;
    if (endMs < ms) {
      if (this.#isCounted) this.#moves.push(Math.abs(moveOf(this.#grid)));
      const stillMs = endMs + this.horizonMs < ms ? this.#endStill(ms, lastMs) : 0;
      this.#begin(endMs + stillMs, lastMs, this.#ofBars ? exit : NaN);
    }
    const forecast = this.#forecast;
    if (forecast === null || forecast.endMs >= ms) return;
    this.#settle(forecast);
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
    if (this.#forecast !== null) this.#settle(this.#extended(this.#forecast, fromMs, price));
    const entry = this.#ofBars ? price : NaN;
    this.#forecast = { fromMs, endMs: fromMs + horizonMs, entry, exit: entry, answered: null };
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
    this.#outcomes = { ...this.#outcomes, compared: 0, meanProbability: 0, meanOutcome: 0 };
    this.forgetWeights();
    if (this.#forecast !== null && this.#forecast.answered !== null) this.#forecast = null;
  }

  /** The weights of the series begin again. */
  forgetWeights(): void {
    this.#own = startingWeights(this.horizonMs, this.#ofBars);
  }

  /** Outcomes at or before a tick that is not yet final. */
  outcomesAt(ms: number, price: number): Outcomes {
    const forecast = this.#forecast;
    if (forecast === null || forecast.endMs > ms) return this.#outcomes;
    return withForecast(this.#outcomes, this.#extended(forecast, ms, price));
  }

  /** The same for the ranges. */
  rangesAt(ms: number, price: number): RangeOutcomes {
    const forecast = this.#forecast;
    return forecast === null || forecast.endMs > ms ? this.#ranges : withRanges(this.#ranges, this.#extended(forecast, ms, price));
  }

  /** The same for the weights of the series. */
  ownAt(ms: number, price: number): OwnWeights {
    const forecast = this.#forecast;
    return forecast === null || forecast.endMs > ms ? this.#own : withOwn(this.#own, this.#extended(forecast, ms, price));
  }

  /** Sizes of the moves that ended at or before a tick that is not yet final, oldest first, at most 400. */
  movesAt(ms: number, price: number): Float64Array {
    const due = this.#grid.endMs === ms && this.#isCounted ? 1 : 0;
    const over = Math.min(this.#moves.size, MOST_MOVES - due);
    const moves = new Float64Array(over + due);
    this.#moves.copyInOrder(moves, over);
    if (due === 1) moves[over] = Math.abs(moveOf(this.#extended(this.#grid, ms, price)));
    return moves;
  }

  save(out: ByteWriter): void {
    this.#moves.save(out);
    const { fromMs, endMs, entry } = this.#grid;
    // The last price comes again before the end: until then it is no exit.
    for (const value of [fromMs, endMs, entry, NaN]) out.double(value);
    out.whole(this.#isCounted ? 1 : 0);
    for (const name of OUTCOME_FIELDS) out.double(this.#outcomes[name]);
    for (const counts of [this.#ranges.shifts, this.#ranges.outcomes, this.#ranges.covered]) for (const value of counts) out.double(value);
    saveWeights(out, this.#own);
    // A process that ends does not answer.
    const kept = this.#forecast?.answered ?? null;
    out.whole(kept === null ? 0 : 1);
    if (kept === null) return;
    for (const name of SPAN_FIELDS) out.double(name === 'exit' ? NaN : this.#forecast![name]);
    for (const name of ANSWERED_FIELDS) out.double(kept[name]);
    for (const at of RANGE_LEVELS.keys()) out.double(kept.ranges?.[at] ?? NaN);
    saveQuestion(out, kept.own);
  }

  /** `lastMs`: of the last tick, NaN for none. `isOlder`: there are no own weights. Returns the horizon of the open forecast. */
  load(from: ByteReader, lastMs: number, isOlder: boolean): number | undefined {
    this.#moves.load(from, 'move', MOST_MOVE);
    Object.assign(this.#grid, loadSpan(from, 'move', lastMs));
    const { fromMs, endMs, entry } = this.#grid;
    from.check(
      Number.isNaN(fromMs) || (fromMs % this.horizonMs === 0 && endMs === fromMs + this.horizonMs && fromMs - lastMs < this.horizonMs),
      `a move of ${this.horizonMs} ms is from ${fromMs} to ${endMs}, off its grid`,
    );
    from.check(Number.isNaN(entry) || this.#ofBars || !(fromMs >= lastMs), `a move that begins at ${fromMs} has an entry`);
    this.#isCounted = from.flag('whether a move counts');
    this.#outcomes = loadOutcomes(from, isOlder);
    const levels = (read: () => number): number[] => RANGE_LEVELS.map(read);
    const { count } = this.#outcomes;
    this.#ranges = {
      shifts: levels(() => from.number('shift of a range', -MOST_SHIFT, MOST_SHIFT)),
      outcomes: levels(() => from.count('outcomes of a range', count)),
      covered: levels(() => from.count('covered outcomes of a range', count)),
    };
    from.check(
      this.#ranges.covered.every((covered, at) => covered <= this.#ranges.outcomes[at]!),
      'a range covered more outcomes than it has',
    );
    if (!isOlder) this.#own = loadWeights(from, this.#own, count);
    if (!from.flag('whether a forecast is open')) return undefined;
    const span = loadSpan(from, 'forecast', lastMs);
    from.check(span.fromMs <= lastMs && span.endMs > span.fromMs, `a forecast is from ${span.fromMs} to ${span.endMs}`);
    const answered = {
      theta: from.number('theta', Number.MIN_VALUE, MOST_MOVE),
      probability: from.number('probability', Number.MIN_VALUE, 1 - Number.EPSILON / 2),
      ...loadLevels(from, isOlder),
      ranges: levels(() => from.numberOrNone('range', 0, Number.MAX_VALUE)),
    };
    this.#forecast = { ...span, answered: { ...answered, ...(isOlder ? {} : loadQuestion(from)) } };
    return span.endMs - span.fromMs;
  }

  #settle(forecast: OpenForecast): void {
    this.#outcomes = withForecast(this.#outcomes, forecast);
    this.#ranges = withRanges(this.#ranges, forecast);
    this.#own = withOwn(this.#own, forecast);
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

  #extend(span: Span, ms: number, price: number): void {
    if (ms > span.endMs || (!this.#ofBars && ms < span.fromMs + ENTRY_DELAY_MS)) return;
    // The entry of bars is the last close that is there when the span begins.
    if (Number.isNaN(span.entry) || (this.#ofBars && ms <= span.fromMs)) span.entry = price;
    span.exit = price;
  }

  #extended<S extends Span>(span: S, ms: number, price: number): S {
    const copy = { ...span };
    this.#extend(copy, ms, price);
    return copy;
  }
}

/** One that is not over at the last tick; `of` names it. */
function loadSpan(from: ByteReader, of: string, lastMs: number): Span {
  const [fromMs, endMs] = [from.time(`beginning of a ${of}`), from.time(`end of a ${of}`)];
  const span = { fromMs, endMs, entry: from.price(`entry of a ${of}`), exit: from.none(`exit of a ${of}`) };
  const isNone = Number.isNaN(fromMs) && Number.isNaN(endMs);
  from.check(isNone || endMs >= lastMs, `a ${of} from ${fromMs} to ${endMs} is over at the last tick, ${lastMs}`);
  return span;
}

/** The entry comes then, or the end. */
const wakeOf = ({ fromMs, endMs, entry }: Span): number => (Number.isNaN(entry) ? Math.min(fromMs + ENTRY_DELAY_MS, endMs) : endMs);

/** The ratio of the smallest price to a usual one is infinite. */
const moveOf = ({ entry, exit }: Span): number =>
  Number.isNaN(entry) ? 0 : Math.min(MOST_MOVE, Math.max(-MOST_MOVE, moveBetween(entry, exit)));

const outcomeOf = (forecast: OpenForecast, theta: number): 0 | 1 => (Math.abs(moveOf(forecast)) > theta ? 1 : 0);

const withForecast = (before: Outcomes, forecast: OpenForecast): Outcomes =>
  forecast.answered === null ? before : withOutcome(before, forecast.answered, outcomeOf(forecast, forecast.answered.theta));

const withOwn = (before: OwnWeights, forecast: OpenForecast): OwnWeights =>
  forecast.answered?.own === undefined ? before : afterOutcome(before, forecast.answered.own, outcomeOf(forecast, forecast.answered.theta));

const withRanges = (before: RangeOutcomes, forecast: OpenForecast): RangeOutcomes =>
  forecast.answered?.ranges === undefined ? before : withRange(before, forecast.answered.ranges, moveOf(forecast));
