import { sigmoid } from '../scoring/logOdds.ts';

/** Knots within the trained range, ln(theta / theta*): close enough that a straight line between two of them stays close to the network. */
const INNER_KNOTS = [-1.0681471805599454, -0.5, 0.5, 1.05, 1.3823603854199589, 1.714720770839918] as const;

/** Log-odds fall by so much at least when the threshold is multiplied by e, so a larger move always has a lower probability (docs/adr/0054). */
const LEAST_FALL = 0.01;
/** Below the trained range, log-odds rise by so much at least and at most when the threshold is divided by e (docs/adr/0054). */
const SLOPE_BELOW = [0.5, 1.25] as const;
/** Below the trained range, the probability goes on by at least this fraction of that line, whatever the past of the window. */
const LEAST_RISE = 0.1;

/**
 * The thresholds, as ln(theta / theta*), at which the answer at `logRatio` needs the network: from theta* outward, up to the first one at or
 * beyond it. Only theta* itself for theta*. Thresholds outside the trained range have the knots of its nearest end.
 */
export function knotsTowards([low, high]: readonly [number, number], logRatio: number): number[] {
  // theta*, or the trained threshold nearest to it.
  const anchor = Math.min(high, Math.max(low, 0));
  const sign = logRatio < anchor ? -1 : 1;
  const inner = INNER_KNOTS.filter((knot) => knot > low && knot < high && sign * (knot - anchor) > 0);
  const end = sign < 0 ? low : high;
  const outward = [anchor, ...(sign < 0 ? inner.reverse() : inner), ...(end === anchor ? [] : [end])];
  const last = outward.findIndex((knot) => sign * (knot - logRatio) >= 0);
  return outward.slice(0, last < 0 ? outward.length : last + 1);
}

/**
 * Log-odds as a function of the threshold that fall with it up to the end of the trained range, by construction: outward from theta*, each knot
 * is limited by the one before it, and straight lines connect the knots. At theta* the answer is that of the network. Below the trained range,
 * the last line goes on, towards the fraction of past horizons in which the price moved at all.
 */
export class ThresholdCurve {
  readonly #knots: readonly number[];
  readonly #totals: number[];
  readonly #sign: number;
  readonly #moving: number;

  /**
   * `knots` as returned by `knotsTowards`, with the log-odds of the network and the rules at each of them. `moving`: fraction of past horizons
   * in which the price moved at all; 1 if it is not known.
   */
  constructor(knots: readonly number[], totals: readonly number[], moving = 1) {
    this.#moving = moving;
    this.#knots = knots;
    this.#sign = Math.sign((knots.at(-1) as number) - knots[0]);
    const limit = this.#sign < 0 ? Math.max : Math.min;
    this.#totals = totals.slice(0, 1);
    for (let at = 1; at < totals.length; at++) {
      const fall = LEAST_FALL * (knots[at] - knots[at - 1]);
      this.#totals.push(limit(this.#totals[at - 1] - fall, totals[at]));
    }
  }

  /** Log-odds. Above the trained range they are those of its end. */
  at(logRatio: number): number {
    const last = this.#knots.at(-1) as number;
    if (this.#sign >= 0 || logRatio >= last) return this.valueAt(this.#totals, logRatio);
    const before = this.#knots.length - 2;
    const slope = (this.end - this.#totals[before]) / (this.#knots[before] - last);
    const line = this.end + Math.min(SLOPE_BELOW[1], Math.max(SLOPE_BELOW[0], slope)) * (last - logRatio);
    return this.#moving === 1 ? line : this.#towardsMoving(line);
  }

  /** The log-odds `line` with the probability above that of `end` scaled, so that it ends at `moving` in place of 1. */
  #towardsMoving(line: number): number {
    // Of a move and of none: near 0 and 1, one of them alone is not exact enough.
    const [end, none] = [sigmoid(this.end), sigmoid(-this.end)];
    const rise = Math.max(LEAST_RISE, (this.#moving - end) / none);
    return Math.log((end + rise * (sigmoid(line) - end)) / (none - rise * (none - sigmoid(-line))));
  }

  /** The curve with other log-odds at each knot, which fall too. */
  mapped(change: (logOdds: number) => number): ThresholdCurve {
    return new ThresholdCurve(this.#knots, this.#totals.map(change), this.#moving);
  }

  /** Log-odds at theta*, or at the trained threshold nearest to it. */
  get start(): number {
    return this.#totals[0] as number;
  }

  /** Log-odds at the last knot. */
  get end(): number {
    return this.#totals.at(-1) as number;
  }

  /** ln(theta / theta*) of the last knot. */
  get reach(): number {
    return this.#knots.at(-1) as number;
  }

  /** Interpolates values at the knots. */
  valueAt(values: readonly number[], logRatio: number): number {
    const next = this.#knots.findIndex((knot) => this.#sign * (knot - logRatio) >= 0);
    if (next < 0) return values.at(-1) as number;
    if (next === 0) return values[0] as number;
    return this.#between(next, logRatio, values);
  }

  /** ln(theta / theta*) where the log-odds cross a level, between two knots; null if they do not. */
  crossing(level: number): number | null {
    const isAbove = this.start >= level;
    const at = this.#totals.findIndex((total) => total >= level !== isAbove);
    if (at < 0) return null;
    const [from, to] = [this.#totals[at - 1], this.#totals[at]];
    const [fromKnot, toKnot] = [this.#knots[at - 1], this.#knots[at]];
    return fromKnot + ((level - from) / (to - from)) * (toKnot - fromKnot);
  }

  #between(next: number, logRatio: number, values: readonly number[]): number {
    const [from, to] = [this.#knots[next - 1], this.#knots[next]];
    const part = (logRatio - from) / (to - from);
    const [first, last] = [values[next - 1], values[next]];
    if (part === 1) return last;
    return first + part * (last - first);
  }
}
