import { wilsonInterval } from '../../engine/scoring/wilsonInterval.ts';
import type { ReplayedWindow } from './ReplayedWindow.ts';

/** A window whose outcome counts and which has a probability. */
export type ScoredWindow = {
  readonly timeUs: number;
  readonly probability: number;
  readonly baselineProbability: number | null;
  readonly isMarked: boolean;
  readonly moved: boolean;
};

export function scoredWindows(windows: readonly ReplayedWindow[]): ScoredWindow[] {
  return windows.flatMap(({ timeUs, probability, baselineProbability, isMarked, outcome }) =>
    probability === null || typeof outcome === 'string' ? [] : [{ timeUs, probability, baselineProbability, isMarked, moved: outcome }],
  );
}

export type Rate = { readonly of: number; readonly count: number; readonly share: number; readonly interval90: readonly [number, number] };

export function rateOf(count: number, of: number): Rate {
  return { of, count, share: of === 0 ? NaN : count / of, interval90: wilsonInterval(count, of) };
}

/** Fewer windows than this in a part of the file say nothing about it. */
const MIN_PER_PART = 20;
const MOST_PARTS = 16;

export type Part = { readonly fromUs: number; readonly toUs: number; readonly baseRate: Rate; readonly hits: Rate };

/** Hit rate and base rate of consecutive parts with the same number of windows; empty for fewer than two parts. */
export function rateOverTime(windows: readonly ReplayedWindow[]): Part[] {
  const counted = windows.filter(({ outcome }) => typeof outcome === 'boolean');
  const parts = Math.min(MOST_PARTS, Math.floor(counted.length / MIN_PER_PART));
  if (parts < 2) return [];
  return Array.from({ length: parts }, (_, i) => {
    const some = counted.slice(Math.floor((i * counted.length) / parts), Math.floor(((i + 1) * counted.length) / parts));
    const marked = some.filter(({ isMarked }) => isMarked);
    const moved = (of: readonly ReplayedWindow[]): number => of.filter(({ outcome }) => outcome === true).length;
    return {
      fromUs: some[0].timeUs,
      toUs: some.at(-1)!.timeUs,
      baseRate: rateOf(moved(some), some.length),
      hits: rateOf(moved(marked), marked.length),
    };
  });
}

/** Fewest windows above a threshold for a point of the curve. */
const MIN_ABOVE = 10;
const MOST_POINTS = 120;

export type CurvePoint = {
  /** Windows with a probability at or above this would be marked. */
  readonly threshold: number;
  /** Of these, how many moved. */
  readonly precision: Rate;
  /** Fraction of all windows. */
  readonly coverage: number;
};

/** Probabilities, highest first, and how many of so many windows moved. */
export type Ranked = { readonly probabilities: Float64Array; readonly moved: Uint32Array };

export function rankWindows(scored: readonly Pick<ScoredWindow, 'probability' | 'moved'>[]): Ranked {
  const sorted = scored.toSorted((a, b) => b.probability - a.probability);
  let sum = 0;
  return {
    probabilities: Float64Array.from(sorted, ({ probability }) => probability),
    moved: Uint32Array.from(sorted, ({ moved }) => (sum += Number(moved))),
  };
}

/** Precision and coverage if windows were marked from exactly this probability. */
export function readCurve({ probabilities, moved }: Ranked, threshold: number): CurvePoint {
  const below = probabilities.findIndex((probability) => probability < threshold);
  const above = below < 0 ? probabilities.length : below;
  return { threshold, precision: rateOf(above === 0 ? 0 : moved[above - 1], above), coverage: above / probabilities.length };
}

/** Precision and coverage as functions of the decision threshold, from the lowest probability up; at most 120 points. */
export function thresholdCurve(ranked: Ranked): CurvePoint[] {
  const { probabilities } = ranked;
  const points: CurvePoint[] = [];
  const every = Math.max(1, Math.floor(probabilities.length / MOST_POINTS));
  let lastAt = 0;
  probabilities.forEach((probability, i) => {
    const above = i + 1;
    // Equal probabilities are marked together.
    if (above < MIN_ABOVE || probabilities[above] === probability) return;
    if (above < probabilities.length && points.length > 0 && above - lastAt < every) return;
    lastAt = above;
    points.push(readCurve(ranked, probability));
  });
  return points.reverse();
}

const TENTHS = 10;

export type CalibrationBin = { readonly mean: number; readonly observed: Rate };

/** Mean probability and fraction that moved, in ten groups of the same number of windows by probability; fewer if windows are few or equal. */
export function calibrationOf(scored: readonly Pick<ScoredWindow, 'probability' | 'moved'>[], bins = TENTHS): CalibrationBin[] {
  const sorted = scored.toSorted((a, b) => a.probability - b.probability);
  const found: CalibrationBin[] = [];
  let from = 0;
  for (let bin = 1; bin <= bins; bin++) {
    let end = Math.floor((bin * sorted.length) / bins);
    while (end > 0 && end < sorted.length && sorted[end].probability === sorted[end - 1].probability) end++;
    if (end <= from) continue;
    const some = sorted.slice(from, end);
    found.push({
      mean: some.reduce((sum, { probability }) => sum + probability, 0) / some.length,
      observed: rateOf(some.filter(({ moved }) => moved).length, some.length),
    });
    from = end;
  }
  return found;
}
