import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

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
  numbers: [],
  evaluate({ measures }) {
    const { timesS, logPrices } = measures;
    const n = logPrices.length;
    const typical = typicalChange(logPrices);
    if (n < 3 || !(typical > 0)) return UNKNOWN;
    let spike = 0;
    let before = 0;
    for (let i = 1; i < n; i++) {
      const change = (logPrices[i] as number) - (logPrices[i - 1] as number);
      if (change * before < 0) spike = Math.max(spike, Math.min(Math.abs(change), Math.abs(before)));
      before = change;
    }
    const lastGaps = ((timesS[n - 1] as number) - (timesS[n - 2] as number)) / measures.medianGapS;
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
      const size = Math.abs((logPrices[i] as number) - (logPrices[i - 1] as number));
      if (size === 0) continue;
      sum += size;
      count++;
    }
    if (count > 0) means.push(sum / count);
  }
  means.sort((a, b) => a - b);
  return means[(means.length - 1) >> 1] ?? 0;
}
