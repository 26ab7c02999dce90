import { MS_PER_SECOND } from '../../core/units.ts';
import type { WindowMeasures } from './WindowMeasures.ts';
import { firstAfter, MOVE_POINTS, type Workspace } from './Workspace.ts';
import { CONTEXT_AT as AT } from './columns.ts';
import { type ReturnSums, measurePastOrigins, type PastOrigins } from './measureMoves.ts';
import { type PatchMoveShape, lagOne } from './measureVolatility.ts';
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
  const windowS = -timesMs[0] / MS_PER_SECOND;
  const horizonS = horizonMs / MS_PER_SECOND;
  const sigma = sigmas[2];
  const sigmaHorizon = sigma * Math.sqrt(horizonS);
  const sigmaMinute = sigma * Math.sqrt(60);

  out[AT.roll] = (2 * Math.sqrt(Math.max(0, -sums.covariance))) / sigmaHorizon;
  out[AT.return_autocorrelation] = sums.products / sums.squares;
  out[AT.zero_share] = sums.zeros / returns;
  let still = 0;
  for (let k = 0; k < MOVE_POINTS; k++) if (moves[k] === 0) still++;
  out[AT.still_share] = still / MOVE_POINTS;
  out[AT.efficiency] = Math.abs(logPrices[0]) / sums.absolute;
  out[AT.jump_share] = 1 - ((Math.PI / 2) * sums.absoluteProducts) / sums.squares;
  out[AT.largest_share] = (sums.largest * sums.largest) / sums.squares;
  const meanSquare = sums.squares / returns;
  out[AT.variance_ratio_5] = Math.log(meanSquareOver(logPrices, count, 5) / (5 * meanSquare));
  out[AT.variance_ratio_20] = Math.log(meanSquareOver(logPrices, count, 20) / (20 * meanSquare));
  out[AT.variance_ratio_patch] = 0.5 * Math.log((sigmas[3] * sigmas[3] * windowS) / sums.squares);
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
  const momentum = -logPrices[atHorizon] / sigmaHorizon;
  const momentumMinute = -logPrices[atMinute] / sigmaMinute;
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
    const move = logPrices[i] - logPrices[i - lag];
    sum += move * move;
  }
  return sum / (count - lag);
}

function writeRecentReturns({ returns, count, contextRaw: out }: Workspace, meanSquare: number): void {
  let squares = 0;
  for (let i = count - VARIANCE_RETURNS; i < count; i++) squares += returns[i] * returns[i];
  out[AT.recent_variance] = 0.5 * Math.log(squares / VARIANCE_RETURNS / meanSquare);
  const from = Math.max(1, count - RECENT_RETURNS);
  let zeros = 0;
  let signs = 0;
  for (let i = from; i < count; i++) {
    const r = returns[i];
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
    const logPrice = logPrices[i];
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
    meanTime += timesMs[i];
    meanPrice += logPrices[i];
  }
  meanTime /= points;
  meanPrice /= points;
  let tt = 0, tp = 0, pp = 0; // prettier-ignore
  for (let i = from; i < to; i++) {
    const time = timesMs[i] - meanTime;
    const price = logPrices[i] - meanPrice;
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
    if (isSwing(patchHighs, i, 1)) nearest = Math.min(nearest, Math.abs(patchHighs[i]));
    if (isSwing(patchLows, i, -1)) nearest = Math.min(nearest, Math.abs(patchLows[i]));
  }
  let touches = 0;
  for (let i = 1; i < COARSE_PATCHES - 1; i++) {
    if (isSwing(patchHighs, i, 1) && Math.abs(patchHighs[i]) - nearest <= tolerance) touches++;
    if (isSwing(patchLows, i, -1) && Math.abs(patchLows[i]) - nearest <= tolerance) touches++;
  }
  out[AT.level_distance] = touches > 0 ? nearest / unit : NaN;
  out[AT.level_touches] = touches > 0 ? Math.log(touches) : NaN;
  let low = 0;
  let high = 0;
  for (let i = 0; i < COARSE_PATCHES; i++) {
    if (patchHighs[i] > high) high = patchHighs[i];
    if (patchLows[i] < low) low = patchLows[i];
  }
  out[AT.extreme_distance] = Math.min(high - logPrices[count - 1], logPrices[count - 1] - low) / unit;
}

function isSwing(values: Float64Array, i: number, sign: 1 | -1): boolean {
  const value = sign * values[i];
  return value >= sign * values[i - 1] && value >= sign * values[i + 1];
}

const RECENT_GAPS = 20;

/** Writes the raw context columns of TEMPO_TABLE, which describe the timing of ticks. `ticks`: as sent, after the session gap. */
export function writeTempo(space: Workspace, ticks: number, horizonMs: number, past: PastOrigins): void {
  const { timesMs, returns, gapsS, medianGapMs, count, contextRaw: out } = space;
  const windowMs = -timesMs[0];
  const gaps = count - 1;
  const meanGapMs = windowMs / gaps;
  const complete = firstAfter(timesMs, count, -horizonMs);
  const horizonS = horizonMs / MS_PER_SECOND;

  out[AT.log_ticks] = Math.log(count / 500);
  out[AT.horizon_to_window] = Math.log(horizonMs / windowMs);
  out[AT.horizon_to_median_gap] = Math.log(horizonMs / medianGapMs);
  out[AT.horizon_to_mean_gap] = Math.log(horizonMs / meanGapMs);
  out[AT.horizon_to_gap_30] = Math.log(horizonS / gapsS[0]);
  out[AT.burst_30_600] = Math.log(gapsS[2] / gapsS[0]);
  out[AT.burst_120_window] = Math.log(gapsS[3] / gapsS[1]);
  out[AT.burst_10s] = burst(count - 1 - firstAfter(timesMs, count, -10_000), Math.min(10_000, windowMs) / meanGapMs);
  out[AT.burst_60s] = burst(count - 1 - firstAfter(timesMs, count, -60_000), Math.min(60_000, windowMs) / meanGapMs);
  out[AT.burst_horizon] = burst(gaps - complete, Math.min(horizonMs, windowMs) / meanGapMs);
  out[AT.burst_20_ticks] = Math.log((medianGapMs * RECENT_GAPS) / -timesMs[gaps - RECENT_GAPS]);
  out[AT.ticks_in_horizon] = Math.log(1 + gaps - complete);
  out[AT.gap_dispersion] = Math.log(meanGapMs / medianGapMs);
  out[AT.last_gap] = Math.log(-timesMs[gaps - 1] / medianGapMs);

  writeGaps(space, horizonMs);

  measurePastOrigins(space, horizonMs, complete, past);
  out[AT.no_price_share] = (past.withoutPrice + 0.5) / (past.complete + 1);
  out[AT.no_move_share] = (past.withoutMove + 0.5) / (past.complete + 1);
  let changed = gaps;
  while (changed > 0 && returns[changed] === 0) changed--;
  // At least 1 ms, because the last tick itself may have changed the price.
  out[AT.since_change] = Math.log(Math.max(1, -timesMs[changed]) / horizonMs);
  out[AT.ticks_per_stamp] = Math.log(ticks / count);
  out[AT.log_median_gap] = Math.log(medianGapMs / MS_PER_SECOND);
  out[AT.log_horizon] = Math.log(horizonMs / 60_000);
}

const burst = (seen: number, expected: number): number => Math.log((seen + 0.5) / (expected + 0.5));

function writeGaps({ timesMs, medianGapMs, count, contextRaw: out }: Workspace, horizonMs: number): void {
  const limit = 10 * medianGapMs;
  const recentFrom = count - RECENT_GAPS;
  let longest = 0, longestRecent = 0, over = 0, overMs = 0; // prettier-ignore
  let sum = 0, squares = 0, products = 0, before = 0; // prettier-ignore
  for (let i = 1; i < count; i++) {
    const gap = timesMs[i] - timesMs[i - 1];
    if (gap > longest) longest = gap;
    if (i >= recentFrom && gap > longestRecent) longestRecent = gap;
    if (gap > horizonMs) {
      over++;
      overMs += gap - horizonMs;
    }
    const capped = gap < limit ? gap : limit;
    sum += capped;
    squares += capped * capped;
    products += capped * before;
    before = capped;
  }
  const gaps = count - 1;
  out[AT.longest_recent_gap] = Math.log(longestRecent / horizonMs);
  out[AT.longest_gap] = Math.log(longest / horizonMs);
  out[AT.gaps_over_horizon] = over / gaps;
  out[AT.time_over_horizon] = overMs / -timesMs[0];
  out[AT.gap_autocorrelation] = lagOne(sum / gaps, squares / gaps, products / (gaps - 1));
}

/** Writes the raw context columns of THRESHOLD_TABLE, all columns that depend on theta. */
export function writeThreshold(space: Workspace, measures: WindowMeasures, theta: number, sums: ReturnSums, ranges: Ranges): void {
  const { moves, pastMoves, pastCount, contextRaw: out } = space;
  const rootHorizon = Math.sqrt(measures.horizonS);
  out[AT.volatility_30_theta] = Math.log((measures.sigmas[0] * rootHorizon) / theta);
  out[AT.volatility_120_theta] = Math.log((measures.sigmas[1] * rootHorizon) / theta);
  out[AT.volatility_600_theta] = Math.log(measures.sigmaHorizon / theta);
  out[AT.volatility_window_theta] = Math.log((measures.sigmas[3] * rootHorizon) / theta);
  out[AT.cost_theta] = measures.cost / theta;
  out[AT.quantile_theta] = measures.quantileMove / theta;
  out[AT.log_quantile_theta] = Math.log(measures.quantileMove / theta);
  out[AT.theta_to_default] = Math.log(theta / measures.thetaDefault);
  out[AT.share_above_theta] = countAbove(moves, MOVE_POINTS, theta) / MOVE_POINTS;
  out[AT.past_label_share] = (countAbove(pastMoves, pastCount, theta) + 1) / (pastCount + 5);
  const steps = theta / sums.step;
  out[AT.theta_in_steps] = Math.log(steps);
  out[AT.step_ceiling] = Math.log((Math.floor(steps + 1e-6) + 1) / steps);
  out[AT.range_horizon_theta] = ranges.horizon / theta;
  out[AT.range_60_theta] = ranges.minute / theta;
  out[AT.largest_return_theta] = sums.largest / theta;
}

function countAbove(values: Float64Array, count: number, theta: number): number {
  let above = 0;
  for (let i = 0; i < count; i++) above += Number(values[i] > theta);
  return above;
}
