import { MS_PER_SECOND } from '../core/units.ts';
import { CONTEXT_AT as AT } from './columns.ts';
import type { ReturnSums } from './measureReturns.ts';
import type { PatchMoveShape } from './measureVolatility.ts';
import { firstAfter, GRID_POINTS, type Workspace } from './Workspace.ts';
import { COARSE_PATCHES } from './writeSequence.ts';

const RECENT_RETURNS = 64;
const VARIANCE_RETURNS = 20;
const SLOPE_TICKS = 128;

/** Log price ranges that the threshold columns divide by theta: over the last H, and over 60 s scaled to H. */
export type Ranges = { horizon: number; minute: number };

/** Writes the raw context columns of PRICE_TABLE. Requires the patches of `writeSequence` and the moves of `measureMoves`. */
export function writePriceContext(space: Workspace, horizonMs: number, sums: ReturnSums, patchMoves: PatchMoveShape, ranges: Ranges): void {
  const { timesMs, logPrices, sigmas, moves, count, contextRaw: out } = space;
  const returns = count - 1;
  const windowS = -timesMs[0]! / MS_PER_SECOND;
  const horizonS = horizonMs / MS_PER_SECOND;
  const sigma = sigmas[2]!;
  const sigmaHorizon = sigma * Math.sqrt(horizonS);
  const sigmaMinute = sigma * Math.sqrt(60);

  out[AT.roll] = (2 * Math.sqrt(Math.max(0, -sums.covariance))) / sigmaHorizon;
  out[AT.return_autocorrelation] = sums.products / sums.squares;
  out[AT.zero_share] = sums.zeros / returns;
  let still = 0;
  for (let k = 0; k < GRID_POINTS; k++) if (moves[k] === 0) still++;
  out[AT.still_share] = still / GRID_POINTS;
  out[AT.efficiency] = Math.abs(logPrices[0]!) / sums.absolute;
  out[AT.jump_share] = 1 - ((Math.PI / 2) * sums.absoluteProducts) / sums.squares;
  out[AT.largest_share] = (sums.largest * sums.largest) / sums.squares;
  const meanSquare = sums.squares / returns;
  out[AT.variance_ratio_5] = Math.log(meanSquareOver(logPrices, count, 5) / (5 * meanSquare));
  out[AT.variance_ratio_20] = Math.log(meanSquareOver(logPrices, count, 20) / (20 * meanSquare));
  out[AT.variance_ratio_patch] = 0.5 * Math.log((sigmas[3]! * sigmas[3]! * windowS) / sums.squares);
  out[AT.volatility_clustering] = patchMoves.clustering;
  out[AT.kurtosis] = Math.log(patchMoves.kurtosis);
  out[AT.log_sigma] = Math.log(sigma);

  writeRecentReturns(space, meanSquare);

  const atHorizon = Math.max(0, firstAfter(timesMs, count, -horizonMs) - 1);
  const atMinute = Math.max(0, firstAfter(timesMs, count, -60_000) - 1);
  ranges.horizon = writeRange(space, atHorizon, sigmaHorizon, AT.position_horizon, AT.range_horizon);
  const minute = writeRange(space, atMinute, sigmaMinute, AT.position_60, AT.range_60);
  ranges.minute = minute * Math.sqrt(horizonS / 60);
  writeRange(space, 0, sigma * Math.sqrt(windowS), AT.position_window, AT.range_window);
  const momentum = -logPrices[atHorizon]! / sigmaHorizon;
  const momentumMinute = -logPrices[atMinute]! / sigmaMinute;
  out[AT.momentum_horizon] = momentum;
  out[AT.momentum_60] = momentumMinute;
  out[AT.abs_momentum_horizon] = Math.abs(momentum);
  out[AT.abs_momentum_60] = Math.abs(momentumMinute);
  const slope = slopeT(timesMs, logPrices, Math.max(0, count - SLOPE_TICKS), count);
  out[AT.slope] = slope;
  out[AT.abs_slope] = Math.abs(slope);

  writeLevels(space, sigmaHorizon, 0.25 * sigma * Math.sqrt(windowS / COARSE_PATCHES));
}

function meanSquareOver(logPrices: Float64Array, count: number, lag: number): number {
  let sum = 0;
  for (let i = lag; i < count; i++) {
    const move = logPrices[i]! - logPrices[i - lag]!;
    sum += move * move;
  }
  return sum / (count - lag);
}

function writeRecentReturns({ returns, count, contextRaw: out }: Workspace, meanSquare: number): void {
  let squares = 0;
  for (let i = count - VARIANCE_RETURNS; i < count; i++) squares += returns[i]! * returns[i]!;
  out[AT.recent_variance] = 0.5 * Math.log(squares / VARIANCE_RETURNS / meanSquare);
  const from = Math.max(1, count - RECENT_RETURNS);
  let zeros = 0;
  let signs = 0;
  for (let i = from; i < count; i++) {
    const r = returns[i]!;
    if (r === 0) zeros++;
    else signs += r > 0 ? 1 : -1;
  }
  out[AT.zero_share_recent] = zeros / (count - from);
  out[AT.imbalance_recent] = signs / (count - from);
}

/** Returns the range in log price over the ticks from `from` to the last. */
function writeRange({ logPrices, count, contextRaw: out }: Workspace, from: number, unit: number, position: number, range: number): number {
  let low = 0;
  let high = 0;
  for (let i = from; i < count; i++) {
    const logPrice = logPrices[i]!;
    if (logPrice > high) high = logPrice;
    if (logPrice < low) low = logPrice;
  }
  out[position] = -low / (high - low);
  out[range] = (high - low) / unit;
  return high - low;
}

/** t of the least-squares slope of lp on time over ticks [from, to); NaN if the price is constant there. */
function slopeT(timesMs: Float64Array, logPrices: Float64Array, from: number, to: number): number {
  const points = to - from;
  let meanTime = 0;
  let meanPrice = 0;
  for (let i = from; i < to; i++) {
    meanTime += timesMs[i]!;
    meanPrice += logPrices[i]!;
  }
  meanTime /= points;
  meanPrice /= points;
  let tt = 0, tp = 0, pp = 0; // prettier-ignore
  for (let i = from; i < to; i++) {
    const time = timesMs[i]! - meanTime;
    const price = logPrices[i]! - meanPrice;
    tt += time * time;
    tp += time * price;
    pp += price * price;
  }
  if (pp === 0) return NaN;
  const correlation = tp / Math.sqrt(tt * pp);
  return correlation * Math.sqrt((points - 2) / Math.max(1e-12, 1 - correlation * correlation));
}

/** Swings are highs (lows) of coarse patches that are not below (above) those of both neighbours; the first and last patch do not count. */
function writeLevels({ logPrices, patchHighs, patchLows, count, contextRaw: out }: Workspace, unit: number, tolerance: number): void {
  let nearest = Infinity;
  for (let i = 1; i < COARSE_PATCHES - 1; i++) {
    if (isSwing(patchHighs, i, 1)) nearest = Math.min(nearest, Math.abs(patchHighs[i]!));
    if (isSwing(patchLows, i, -1)) nearest = Math.min(nearest, Math.abs(patchLows[i]!));
  }
  let touches = 0;
  for (let i = 1; i < COARSE_PATCHES - 1; i++) {
    if (isSwing(patchHighs, i, 1) && Math.abs(patchHighs[i]!) - nearest <= tolerance) touches++;
    if (isSwing(patchLows, i, -1) && Math.abs(patchLows[i]!) - nearest <= tolerance) touches++;
  }
  out[AT.level_distance] = touches > 0 ? nearest / unit : NaN;
  out[AT.level_touches] = touches > 0 ? Math.log(touches) : NaN;
  let low = 0;
  let high = 0;
  for (let i = 0; i < COARSE_PATCHES; i++) {
    if (patchHighs[i]! > high) high = patchHighs[i]!;
    if (patchLows[i]! < low) low = patchLows[i]!;
  }
  out[AT.extreme_distance] = Math.min(high - logPrices[count - 1]!, logPrices[count - 1]! - low) / unit;
}

function isSwing(values: Float64Array, i: number, sign: 1 | -1): boolean {
  const value = sign * values[i]!;
  return value >= sign * values[i - 1]! && value >= sign * values[i + 1]!;
}
