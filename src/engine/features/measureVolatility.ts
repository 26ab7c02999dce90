import { MS_PER_SECOND } from '../../core/units.ts';
import { PATCH_TICKS, type Workspace } from './Workspace.ts';

/** For a random walk: variance of the difference of two patch means over the variance across their distance, (2 m^2 + 1) / (3 m^2). */
const PATCH_VARIANCE_RATIO = (2 * PATCH_TICKS * PATCH_TICKS + 1) / (3 * PATCH_TICKS * PATCH_TICKS);

/** A variance of at most this fraction of the mean square may be rounding alone. */
const LEAST_VARIANCE_RATIO = 1e-9;

/** Shape of the patch moves dM, for the context. NaN if undefined. */
export type PatchMoveShape = { clustering: number; kurtosis: number };

/**
 * Writes sigma(tau) for the four taus, log price per sqrt(second), into `sigmas`, and the mean gap with the same weights into `gapsS`.
 * A move from patch j-1 to j has the weight exp(-age/tau) of patch j. Ages count from the last patch, not from the origin: the ratio is the
 * same, and the last weight is 1, so it is never 0/0. One exp per patch: 600 = 5 * 120 = 20 * 30.
 */
export function measureVolatility(space: Workspace, out: PatchMoveShape): void {
  const { timesMs, logPrices, sigmas, gapsS, count } = space;
  const patches = Math.floor(count / PATCH_TICKS);
  const head = count - patches * PATCH_TICKS;
  let meanBefore = 0;
  let centreBefore = 0;
  const lastCentre = patchCentreS(timesMs, count - PATCH_TICKS);
  let moves0 = 0, moves1 = 0, moves2 = 0, moves3 = 0; // prettier-ignore
  let spans0 = 0, spans1 = 0, spans2 = 0, spans3 = 0; // prettier-ignore
  let weights0 = 0, weights1 = 0, weights2 = 0; // prettier-ignore
  let sizes = 0, products = 0, fourths = 0, sizeBefore = 0; // prettier-ignore
  for (let patch = 0, i = head; patch < patches; patch++, i += PATCH_TICKS) {
    const mean = (logPrices[i] + logPrices[i + 1] + logPrices[i + 2] + logPrices[i + 3] + logPrices[i + 4]) / PATCH_TICKS;
    const centre = patchCentreS(timesMs, i);
    if (patch > 0) {
      const move = mean - meanBefore;
      const square = move * move;
      const span = centre - centreBefore;
      const weight600 = Math.exp((centre - lastCentre) / 600);
      const weight120 = weight600 * weight600 * weight600 * weight600 * weight600;
      const squared = weight120 * weight120;
      const weight30 = squared * squared;
      moves0 += weight30 * square;
      moves1 += weight120 * square;
      moves2 += weight600 * square;
      moves3 += square;
      spans0 += weight30 * span;
      spans1 += weight120 * span;
      spans2 += weight600 * span;
      spans3 += span;
      weights0 += weight30;
      weights1 += weight120;
      weights2 += weight600;
      const size = Math.abs(move);
      sizes += size;
      products += size * sizeBefore;
      fourths += square * square;
      sizeBefore = size;
    }
    meanBefore = mean;
    centreBefore = centre;
  }
  const steps = patches - 1;
  sigmas[0] = Math.sqrt(moves0 / spans0 / PATCH_VARIANCE_RATIO);
  sigmas[1] = Math.sqrt(moves1 / spans1 / PATCH_VARIANCE_RATIO);
  sigmas[2] = Math.sqrt(moves2 / spans2 / PATCH_VARIANCE_RATIO);
  sigmas[3] = Math.sqrt(moves3 / spans3 / PATCH_VARIANCE_RATIO);
  gapsS[0] = spans0 / weights0 / PATCH_TICKS;
  gapsS[1] = spans1 / weights1 / PATCH_TICKS;
  gapsS[2] = spans2 / weights2 / PATCH_TICKS;
  gapsS[3] = spans3 / steps / PATCH_TICKS;
  out.clustering = lagOne(sizes / steps, moves3 / steps, products / (steps - 1));
  out.kurtosis = (fourths * steps) / (moves3 * moves3) / 3;
}

/** Lag-1 autocorrelation from means of x, x^2 and x_k x_(k-1); NaN if x hardly varies. */
export function lagOne(mean: number, meanSquare: number, meanProduct: number): number {
  const variance = meanSquare - mean * mean;
  return variance > LEAST_VARIANCE_RATIO * meanSquare ? (meanProduct - mean * mean) / variance : NaN;
}

/** Mean timestamp of the patch that starts at tick i, in seconds; the sum is exact. */
function patchCentreS(timesMs: Float64Array, i: number): number {
  return (timesMs[i] + timesMs[i + 1] + timesMs[i + 2] + timesMs[i + 3] + timesMs[i + 4]) / (PATCH_TICKS * MS_PER_SECOND);
}
