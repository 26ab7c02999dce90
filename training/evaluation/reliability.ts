import { ECE_BINS } from '../metrics/probability.ts';
import { sortedOrder } from '../metrics/auc.ts';
import { wilsonInterval } from '../metrics/decision.ts';
import type { PrecisionCurve, ReliabilityBin } from '../report/ReportData.ts';

/** Bins of equal mass by probability: mean probability and observed fraction, with its two-sided 90 % Wilson interval. */
export function reliabilityBins(p: Float64Array, y: Uint8Array, bins = ECE_BINS): ReliabilityBin[] {
  const order = sortedOrder(p);
  return Array.from({ length: bins }, (_, bin) => {
    const members = order.subarray(Math.floor((bin * p.length) / bins), Math.floor(((bin + 1) * p.length) / bins));
    const hits = members.reduce((sum, row) => sum + (y[row] as number), 0);
    const mean = members.reduce((sum, row) => sum + (p[row] as number), 0) / members.length;
    const [low, high] = wilsonInterval(hits, members.length);
    return { p: mean, rate: hits / members.length, low, high, n: members.length };
  }).filter(({ n }) => n > 0);
}

/** Coverages of the curve: the smallest has at least 20 rows. */
const POINTS = 60;
const MIN_ROWS = 20;

/** Precision of the most probable rows, from the first few to all. */
export function precisionCurve(name: string, p: Float64Array, y: Uint8Array): PrecisionCurve {
  const order = sortedOrder(p).reverse();
  const n = order.length;
  const hits = new Float64Array(n + 1);
  order.forEach((row, rank) => (hits[rank + 1] = (hits[rank] as number) + (y[row] as number)));
  const least = Math.min(n, MIN_ROWS) / Math.max(1, n);
  const counts = Array.from({ length: POINTS + 1 }, (_, i) => Math.round(n * least ** (1 - i / POINTS)));
  const points = [...new Set(counts)]
    .filter((count) => count > 0)
    .map((count) => ({ coverage: count / n, precision: (hits[count] as number) / count }));
  return { name, points };
}
