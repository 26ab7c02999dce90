import type { HeadManifest, ModelManifest } from '../model/ModelManifest.ts';

/** A threshold at which the network is evaluated. */
export type Knot = {
  /** ln(theta / theta*) */
  readonly logRatio: number;
  /** Log-odds of the decision threshold; Infinity: the head abstains. */
  readonly decision: number;
};

/** The network's answer at a knot: log-odds, and how far they are above those of the decision threshold. */
type Level = { readonly total: number; readonly margin: number };

/** Largest distance between two knots. */
const MAX_STEP = 0.6;

/** Splits long steps, so that the straight line between two knots stays close to the network. */
function refine(edges: readonly number[]): number[] {
  return edges.flatMap((edge, at) => {
    if (at === 0) return [edge];
    const from = edges[at - 1] as number;
    const parts = Math.ceil((edge - from) / MAX_STEP);
    return Array.from({ length: parts }, (_, part) => (part + 1 === parts ? edge : from + ((part + 1) * (edge - from)) / parts));
  });
}

/**
 * The knots of a head over the trained range, ascending. The decision threshold of a band applies at its centre, and at theta* for the band
 * that contains theta*; between centres its log-odds are interpolated, beyond the first and the last they are constant.
 */
export function curveKnots({ bands }: Pick<HeadManifest, 'bands'>, [low, high]: ModelManifest['trained']['logThetaRatio']): Knot[] {
  const own = bands.upper.findIndex((upper) => upper >= 0);
  const centres = bands.decision.flatMap((decision, band) => {
    const from = band === 0 ? low : Math.max(low, bands.upper[band - 1] as number);
    const to = band === bands.decision.length - 1 ? high : Math.min(high, bands.upper[band] as number);
    const isOwn = band === (own < 0 ? bands.decision.length - 1 : own);
    if (!isOwn && !(from < to)) return [];
    return [{ logRatio: isOwn ? anchorOf(low, high) : (from + to) / 2, decision: decision === null ? Infinity : logOdds(decision) }];
  });
  const edges = [...new Set([low, ...centres.map(({ logRatio }) => logRatio), high])].sort((a, b) => a - b);
  return refine(edges).map((logRatio) => ({ logRatio, decision: decisionAt(centres, logRatio) }));
}

function decisionAt(centres: readonly Knot[], logRatio: number): number {
  const next = centres.findIndex((centre) => centre.logRatio >= logRatio);
  const above = centres.at(next) as Knot;
  const below = next <= 0 ? above : (centres[next - 1] as Knot);
  const width = above.logRatio - below.logRatio;
  return width === 0 ? above.decision : between(below.decision, above.decision, (logRatio - below.logRatio) / width);
}

/** theta*, or the trained threshold nearest to it. */
const anchorOf = (low: number, high: number): number => Math.min(high, Math.max(low, 0));

/**
 * The knots that the answer at `logRatio` needs: from theta* outward, up to the first one at or beyond it. Only theta* itself for theta*.
 * Thresholds outside the trained range have the knots of its nearest end.
 */
export function knotsTowards(knots: readonly Knot[], logRatio: number): Knot[] {
  const low = (knots[0] as Knot).logRatio;
  const high = (knots.at(-1) as Knot).logRatio;
  const anchor = anchorOf(low, high);
  const sign = logRatio < anchor ? -1 : 1;
  const outward = (sign < 0 ? [...knots].reverse() : knots).filter((knot) => sign * (knot.logRatio - anchor) >= 0);
  const last = outward.findIndex((knot) => sign * (knot.logRatio - logRatio) >= 0);
  return outward.slice(0, last < 0 ? outward.length : last + 1);
}

/**
 * Thresholds at which a mark is possible, as multiples of theta*: [lowest, highest]; null: the head never marks. Above theta*, a head that
 * abstains once abstains at every higher threshold, as `ThresholdCurve` does.
 */
export function markRange(head: Pick<HeadManifest, 'bands'>, trained: ModelManifest['trained']['logThetaRatio']): [number, number] | null {
  const knots = curveKnots(head, trained);
  const anchor = knots.findIndex(({ logRatio }) => logRatio >= anchorOf(trained[0], trained[1]));
  const stop = knots.findIndex(({ decision }, at) => at >= anchor && decision === Infinity);
  const possible = knots.filter(({ decision }, at) => decision !== Infinity && (stop < 0 || at < stop));
  if (possible.length === 0) return null;
  // Without the rounding error of the logarithm: 8, not 7.999999999999998.
  const ratioOf = ({ logRatio }: Knot): number => Number(Math.exp(logRatio).toPrecision(12));
  return [ratioOf(possible[0] as Knot), ratioOf(possible.at(-1) as Knot)];
}

/**
 * Probability and decision as functions of the threshold, both monotone by construction: with rising thresholds, log-odds and margin never
 * rise. Outward from theta*, each knot is limited by the one before it, and straight lines connect the knots. At theta* the answer is that
 * of the network.
 */
export class ThresholdCurve {
  readonly #knots: readonly Knot[];
  readonly #levels: readonly Level[];
  readonly #sign: number;

  /** `knots` as returned by `knotsTowards`, with the log-odds of the network and the rules at each of them. */
  constructor(knots: readonly Knot[], totals: readonly number[]) {
    this.#knots = knots;
    this.#sign = Math.sign((knots.at(-1) as Knot).logRatio - (knots[0] as Knot).logRatio);
    const limit = this.#sign < 0 ? Math.max : Math.min;
    const levels: Level[] = [];
    for (const [at, { decision }] of knots.entries()) {
      const before = levels[at - 1];
      const total = before === undefined ? (totals[at] as number) : limit(before.total, totals[at] as number);
      levels.push({ total, margin: before === undefined ? total - decision : limit(before.margin, total - decision) });
    }
    this.#levels = levels;
  }

  /** A threshold beyond the last knot has the level of the last knot. */
  at(logRatio: number): Level {
    const { at, part } = this.#locate(logRatio);
    const from = this.#levels[at] as Level;
    const to = this.#levels[at + 1];
    if (to === undefined) return from;
    return { total: between(from.total, to.total, part), margin: between(from.margin, to.margin, part) };
  }

  /** Whether theta*, where the curve starts, is marked. */
  get startsMarked(): boolean {
    return (this.#levels[0] as Level).margin >= 0;
  }

  /** Interpolates values at the knots. */
  valueAt(values: readonly number[], logRatio: number): number {
    const { at, part } = this.#locate(logRatio);
    return at + 1 < values.length ? between(values[at] as number, values[at + 1] as number, part) : (values[at] as number);
  }

  /** ln(theta / theta*) where the margin changes its sign, between two knots; null if it does not. */
  crossing(): number | null {
    const isMarked = ({ margin }: Level): boolean => margin >= 0;
    const at = this.#levels.findIndex((level) => isMarked(level) !== this.startsMarked);
    if (at < 0) return null;
    const from = this.#knots[at - 1] as Knot;
    const to = this.#knots[at] as Knot;
    const margins = [(this.#levels[at - 1] as Level).margin, (this.#levels[at] as Level).margin] as const;
    // An infinite margin holds on the whole line except its finite end.
    if (margins[0] === -Infinity) return to.logRatio;
    if (margins[1] === -Infinity) return from.logRatio;
    return between(from.logRatio, to.logRatio, margins[0] / (margins[0] - margins[1]));
  }

  #locate(logRatio: number): { at: number; part: number } {
    const next = this.#knots.findIndex((knot) => this.#sign * (knot.logRatio - logRatio) >= 0);
    if (next < 0) return { at: this.#knots.length - 1, part: 0 };
    if (next === 0) return { at: 0, part: 0 };
    const from = (this.#knots[next - 1] as Knot).logRatio;
    return { at: next - 1, part: (logRatio - from) / ((this.#knots[next] as Knot).logRatio - from) };
  }
}

/** An infinite value at either end holds on the whole line, except at the finite end. */
function between(from: number, to: number, part: number): number {
  if (part === 0 || from === to) return from;
  if (part === 1) return to;
  return Number.isFinite(from) ? from + part * (to - from) : from;
}

const logOdds = (p: number): number => Math.log(p / (1 - p));
