import type { Random } from '../../src/core/Random.ts';
import { sortedOrder } from './auc.ts';

/** Bins of the expected calibration error. */
export const ECE_BINS = 15;

/** Least distance of a probability from 0 and 1 in the log-loss, so that one row cannot make it infinite. */
const LOG_LOSS_MARGIN = 1e-12;

/** Mean negative log-likelihood, −mean(y ln p + (1 − y) ln(1 − p)), in nats. NaN without rows. */
export function logLoss(p: Float64Array, y: Uint8Array): number {
  requireSameLength('logLoss', p, y);
  return p.reduce((sum, value, i) => sum - Math.log(Math.max(y[i] === 1 ? value : 1 - value, LOG_LOSS_MARGIN)), 0) / p.length;
}

/** Brier score, mean (p − y)² (Brier 1950). NaN without rows. */
export function brier(p: Float64Array, y: Uint8Array): number {
  requireSameLength('brier', p, y);
  return p.reduce((sum, value, i) => sum + (value - y[i]) ** 2, 0) / p.length;
}

/**
 * Expected calibration error over bins of equal mass: Σ (n_b / n) |mean p − mean y| (Naeini et al. 2015). Bin b of B ends at rank ⌊b n /
 * B⌋, moved up to the end of equal probabilities, so that the order of rows does not matter.
 */
export function ece(p: Float64Array, y: Uint8Array | Float64Array, bins = ECE_BINS): number {
  requireSameLength('ece', p, y);
  const order = sortedOrder(p);
  return eceOfBins(p, y, order, binEnds(p, order, bins));
}

/** ECE of a perfectly calibrated model on as many rows: the mean ECE of labels drawn from the probabilities themselves. */
export function expectedEce(p: Float64Array, random: Random, draws = 200, bins = ECE_BINS): number {
  const order = sortedOrder(p);
  const ends = binEnds(p, order, bins);
  const y = new Uint8Array(p.length);
  let sum = 0;
  for (let draw = 0; draw < draws; draw++) {
    for (let i = 0; i < y.length; i++) y[i] = random.uniform() < p[i] ? 1 : 0;
    sum += eceOfBins(p, y, order, ends);
  }
  return sum / draws;
}

/**
 * Fraction of positives among the most probable rows: the top round(coverage · n), at least one. Rows tied at the cut count with the
 * fraction of them that still fits, so that the order of rows does not matter. NaN without rows.
 *
 * @param coverage in (0, 1]
 */
export function precisionAtCoverage(p: Float64Array, y: Uint8Array, coverage: number): number {
  requireSameLength('precisionAtCoverage', p, y);
  return topMean(p, y, coverage);
}

/** Mean of `values` over the most probable rows, with the cut of `precisionAtCoverage`. */
export function topMean(p: Float64Array, values: Float64Array | Uint8Array, coverage: number): number {
  const n = p.length;
  if (n === 0) return NaN;
  const wanted = Math.min(n, Math.max(1, Math.round(coverage * n)));
  const cut = Float64Array.from(p).sort()[n - wanted];
  let [above, sumAbove, tied, sumTied] = [0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    if (p[i] > cut) {
      above++;
      sumAbove += values[i];
    } else if (p[i] === cut) {
      tied++;
      sumTied += values[i];
    }
  }
  return (sumAbove + (sumTied * (wanted - above)) / tied) / wanted;
}

/** Ranks at which the bins end, ascending; the last one is n. Empty bins (inside a tie) are dropped. */
function binEnds(p: Float64Array, order: Int32Array, bins: number): number[] {
  const n = p.length;
  const ends: number[] = [];
  for (let bin = 1; bin <= bins; bin++) {
    let end = Math.floor((bin * n) / bins);
    while (end > 0 && end < n && p[order[end]] === p[order[end - 1]]) end++;
    if (end > (ends.at(-1) ?? 0)) ends.push(end);
  }
  return ends;
}

function eceOfBins(p: Float64Array, y: ArrayLike<number>, order: Int32Array, ends: readonly number[]): number {
  let rank = 0;
  let sum = 0;
  for (const end of ends) {
    let difference = 0;
    for (; rank < end; rank++) difference += p[order[rank]] - y[order[rank]];
    sum += Math.abs(difference);
  }
  return sum / p.length;
}

function requireSameLength(what: string, p: Float64Array, y: ArrayLike<number>): void {
  if (p.length !== y.length) throw new RangeError(`${what}: ${p.length} probabilities, ${y.length} labels`);
}
