import { UNKNOWN, type Predicate } from '../Predicate.ts';
import { FEW_DISTINCT_TICKS, grade } from './grading.ts';

/** Longest time at one price as a fraction of the window: false at 0.5, true at 0.9. Known exactly. Unit: fraction of the window. */
export const constantStretch: Predicate = {
  name: 'constant_stretch',
  about: 'The price stayed at one value for much of the window.',
  unit: 'fraction of the window',
  evaluate({ measures: { windowS }, path: { longestStillS } }) {
    if (!(windowS > 0)) return UNKNOWN;
    const value = longestStillS / windowS;
    const truth = grade(value, 0.5, 0.9);
    return { lower: truth, upper: truth, value };
  },
};

const TOO_FEW = 40;

/** Distinct timestamps after the last session gap: true at 40, false at 80. Known exactly. Unit: ticks. */
export const fewDistinctTicks: Predicate = {
  name: 'few_distinct_ticks',
  about: 'The window has few distinct ticks.',
  unit: 'ticks',
  evaluate({ measures }) {
    const truth = grade(measures.distinctTicks, FEW_DISTINCT_TICKS, TOO_FEW);
    return { lower: truth, upper: truth, value: measures.distinctTicks };
  },
};

/** H / W, the horizon over the window: false at 1/20, where past moves can still be counted, true at 1. Known exactly. Unit: windows. */
export const horizonBeyondWindow: Predicate = {
  name: 'horizon_beyond_window',
  about: 'The future timestamp is far away relative to the time span of the ticks.',
  unit: 'windows',
  evaluate({ measures }) {
    const value = measures.horizonS / measures.windowS;
    if (!(value > 0) || !Number.isFinite(value)) return UNKNOWN;
    // Linear in the logarithm, because the ratio of the two durations counts.
    const truth = grade(Math.log(value), Math.log(1 / 20), 0);
    return { lower: truth, upper: truth, value };
  },
};

const BLOCKS = 8;
/** Size of an outlier in typical changes: false at the first, true at the second. */
const SPIKE = [50, 100] as const;
const LAST = [200, 400] as const;

/**
 * A wrong price. Inside the window: a change that the next tick reverses, size min(|r(i)|, |r(i+1)|) over the typical change;
 * false at 50, true at 100. At the last tick a reversal is not yet known, so its change (over the typical one and
 * sqrt of its gap over the median gap) may be real: true only from 400, but possible from 50. The typical change is the
 * lower median over 8 blocks of the mean |r| in each, which a few outliers cannot change. Unit: typical changes.
 */
export const outlierTick: Predicate = {
  name: 'outlier_tick',
  about: 'One tick is far from its neighbours, like a wrong price.',
  unit: 'typical changes',
  evaluate({ measures }) {
    const { timesS, logPrices } = measures;
    const n = logPrices.length;
    const typical = typicalChange(logPrices);
    if (n < 3 || !(typical > 0)) return UNKNOWN;
    let spike = 0;
    let before = 0;
    let sizeBefore = 0;
    for (let i = 1; i < n; i++) {
      const change = logPrices[i] - logPrices[i - 1];
      const size = Math.abs(change);
      // The rare comparisons first, because the direction of a price cannot be predicted.
      if (size > spike && sizeBefore > spike && change * before < 0) spike = Math.min(size, sizeBefore);
      before = change;
      sizeBefore = size;
    }
    const lastGaps = (timesS[n - 1] - timesS[n - 2]) / measures.medianGapS;
    const last = Math.abs(before) / typical / Math.sqrt(lastGaps > 1 ? lastGaps : 1);
    const inside = spike / typical;
    return {
      lower: Math.max(grade(inside, SPIKE[0], SPIKE[1]), grade(last, LAST[0], LAST[1])),
      upper: Math.max(grade(inside, SPIKE[0], SPIKE[1]), grade(last, SPIKE[0], SPIKE[1])),
      value: Math.max(inside, last),
    };
  },
};

/** Lower median over the blocks of the mean absolute change, without changes of 0; 0 if nothing changes. */
function typicalChange(logPrices: Float64Array): number {
  const means: number[] = [];
  const n = logPrices.length;
  for (let block = 0; block < BLOCKS; block++) {
    const from = Math.max(1, Math.floor((block * n) / BLOCKS));
    const to = Math.floor(((block + 1) * n) / BLOCKS);
    let sum = 0;
    let count = 0;
    for (let i = from; i < to; i++) {
      const size = Math.abs(logPrices[i] - logPrices[i - 1]);
      if (size === 0) continue;
      sum += size;
      count++;
    }
    if (count > 0) means.push(sum / count);
  }
  means.sort((a, b) => a - b);
  return means[(means.length - 1) >> 1] ?? 0;
}

/** Fraction of the ticks sent that were removed because they lie before the last session gap: false at 0, true at 0.5. Known exactly. */
export const sessionGapCut: Predicate = {
  name: 'session_gap_cut',
  about: 'Ticks before a session gap were removed from the window.',
  unit: 'fraction of the ticks',
  numbers: ['ticks'],
  evaluate({ measures }) {
    const value = measures.ticks > 0 ? measures.ticksBeforeGap / measures.ticks : 0;
    const truth = grade(value, 0, 0.5);
    return { lower: truth, upper: truth, value, numbers: { ticks: measures.ticksBeforeGap } };
  },
};

/** Minimum of changes in the window. */
const MIN_CHANGES = 40;

/**
 * Fraction of the window's ticks with the price of the tick before: false at 0.5, true at 0.9; standard error sqrt(p (1 - p) / n). A large
 * fraction means a coarse price grid, which hides small moves. Unit: fraction.
 */
export const unchangedTicks: Predicate = {
  name: 'unchanged_ticks',
  about: 'Most ticks have the same price as the tick before.',
  unit: 'fraction',
  evaluate({ path: { window } }) {
    const { changes, ups, downs } = window;
    if (changes < MIN_CHANGES) return UNKNOWN;
    const value = (changes - ups - downs) / changes;
    const slack = Math.sqrt((value * (1 - value)) / changes);
    return { lower: grade(value - slack, 0.5, 0.9), upper: grade(value + slack, 0.5, 0.9), value };
  },
};
