import type { ByteReader, ByteWriter } from './bytes.ts';

/** Levels whose ranges are corrected by outcomes; the others follow them. */
export const RANGE_LEVELS = [0.5, 0.8, 0.9] as const;
/** How far one outcome moves the logarithm of the range: less with each of the first, so that a series is right soon and its ranges do not shake. */
const LEAST_STEP = 0.02;
const stepAfter = (outcomes: number): number => Math.max(LEAST_STEP, 1 / (outcomes + 10));
/** The correction is within a factor of 20. */
const MOST_SHIFT = 3;

/** What the outcomes of a series say of its ranges, one entry for each of RANGE_LEVELS. */
export type RangeOutcomes = {
  /** ln of the factor of the range. */
  readonly shifts: readonly number[];
  /** Forecasts with a range whose outcome is known, and those whose move was within it. */
  readonly outcomes: readonly number[];
  readonly covered: readonly number[];
};

const zeros = (): number[] => RANGE_LEVELS.map(() => 0);
export const NO_RANGES: RangeOutcomes = { shifts: zeros(), outcomes: zeros(), covered: zeros() };

/**
 * After an outcome: the range of a level grows by a step x level if the move was beyond it, and shrinks by a step x (1 - level) if not, in
 * logarithms, so that in the long run the level is kept whatever the market does. Source: Gibbs and Candès, "Adaptive conformal inference under
 * distribution shift", 2021. `ranges`: as they were given, log price; NaN for none.
 */
export function withRange({ shifts, outcomes, covered }: RangeOutcomes, ranges: readonly number[], move: number): RangeOutcomes {
  const isKnown = (at: number): boolean => Number.isFinite(ranges[at]);
  const isWithin = (at: number): boolean => Math.abs(move) <= ranges[at];
  return {
    shifts: shifts.map((shift, at) => {
      if (!isKnown(at)) return shift;
      const missed = isWithin(at) ? 0 : 1;
      return Math.min(MOST_SHIFT, Math.max(-MOST_SHIFT, shift + stepAfter(outcomes[at]) * (missed - (1 - RANGE_LEVELS[at]))));
    }),
    outcomes: outcomes.map((count, at) => count + (isKnown(at) ? 1 : 0)),
    covered: covered.map((count, at) => count + (isKnown(at) && isWithin(at) ? 1 : 0)),
  };
}

export function saveRanges(out: ByteWriter, { shifts, outcomes, covered }: RangeOutcomes): void {
  for (const counts of [shifts, outcomes, covered]) for (const value of counts) out.double(value);
}

/** `most`: outcomes of the series. */
export function loadRanges(from: ByteReader, most: number): RangeOutcomes {
  const levels = (read: () => number): number[] => RANGE_LEVELS.map(read);
  const ranges = {
    shifts: levels(() => from.number('shift of a range', -MOST_SHIFT, MOST_SHIFT)),
    outcomes: levels(() => from.count('outcomes of a range', most)),
    covered: levels(() => from.count('covered outcomes of a range', most)),
  };
  from.check(
    ranges.covered.every((covered, at) => covered <= ranges.outcomes[at]),
    'a range covered more outcomes than it has',
  );
  return ranges;
}

/**
 * The size of a move, as the version says it, to the corrected one. Moves between those of two levels stay between them, so the result for a level
 * does not depend on which others are asked for, and grows with it. `moves`: those of RANGE_LEVELS, NaN for none.
 */
export function correctionOf({ shifts }: RangeOutcomes, moves: readonly number[]): (move: number) => number {
  const knots: { readonly from: number; readonly shift: number }[] = [];
  for (const [at, move] of moves.entries()) {
    if (!Number.isFinite(move)) continue;
    const from = Math.log(move);
    const before = knots.at(-1);
    // A higher level is never below a lower one.
    const least = before === undefined ? -Infinity : before.from + before.shift - from;
    knots.push({ from, shift: Math.max(shifts[at], least) });
  }
  const shiftAt = (from: number): number => {
    const next = knots.findIndex((knot) => knot.from >= from);
    if (next <= 0) return knots.at(next)?.shift ?? 0;
    const [low, high] = [knots[next - 1], knots[next]];
    return low.shift + ((from - low.from) / (high.from - low.from)) * (high.shift - low.shift);
  };
  return (move) => move * Math.exp(shiftAt(Math.log(move)));
}
