import { MS_PER_SECOND } from '../core/units.ts';
import { CONTEXT_AT as AT } from './columns.ts';
import { lagOne } from './measureVolatility.ts';
import { measurePastOrigins, type PastOrigins } from './measureMoves.ts';
import { firstAfter, type Workspace } from './Workspace.ts';

const RECENT_GAPS = 20;

/** Writes the raw context columns of TEMPO_TABLE, which describe the timing of ticks. `ticks`: as sent, after the session gap. */
export function writeTempo(space: Workspace, ticks: number, horizonMs: number, past: PastOrigins): void {
  const { timesMs, returns, gapsS, medianGapMs, count, contextRaw: out } = space;
  const windowMs = -timesMs[0]!;
  const gaps = count - 1;
  const meanGapMs = windowMs / gaps;
  const complete = firstAfter(timesMs, count, -horizonMs);
  const horizonS = horizonMs / MS_PER_SECOND;

  out[AT.log_ticks] = Math.log(count / 500);
  out[AT.horizon_to_window] = Math.log(horizonMs / windowMs);
  out[AT.horizon_to_median_gap] = Math.log(horizonMs / medianGapMs);
  out[AT.horizon_to_mean_gap] = Math.log(horizonMs / meanGapMs);
  out[AT.horizon_to_gap_30] = Math.log(horizonS / gapsS[0]!);
  out[AT.burst_30_600] = Math.log(gapsS[2]! / gapsS[0]!);
  out[AT.burst_120_window] = Math.log(gapsS[3]! / gapsS[1]!);
  out[AT.burst_10s] = burst(count - 1 - firstAfter(timesMs, count, -10_000), Math.min(10_000, windowMs) / meanGapMs);
  out[AT.burst_60s] = burst(count - 1 - firstAfter(timesMs, count, -60_000), Math.min(60_000, windowMs) / meanGapMs);
  out[AT.burst_horizon] = burst(gaps - complete, Math.min(horizonMs, windowMs) / meanGapMs);
  out[AT.burst_20_ticks] = Math.log((medianGapMs * RECENT_GAPS) / -timesMs[gaps - RECENT_GAPS]!);
  out[AT.ticks_in_horizon] = Math.log(1 + gaps - complete);
  out[AT.gap_dispersion] = Math.log(meanGapMs / medianGapMs);
  out[AT.last_gap] = Math.log(-timesMs[gaps - 1]! / medianGapMs);

  writeGaps(space, horizonMs);

  measurePastOrigins(space, horizonMs, complete, past);
  out[AT.no_price_share] = (past.withoutPrice + 0.5) / (past.complete + 1);
  out[AT.no_move_share] = (past.withoutMove + 0.5) / (past.complete + 1);
  let changed = gaps;
  while (changed > 0 && returns[changed] === 0) changed--;
  // At least 1 ms, because the last tick itself may have changed the price.
  out[AT.since_change] = Math.log(Math.max(1, -timesMs[changed]!) / horizonMs);
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
    const gap = timesMs[i]! - timesMs[i - 1]!;
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
  out[AT.time_over_horizon] = overMs / -timesMs[0]!;
  out[AT.gap_autocorrelation] = lagOne(sum / gaps, squares / gaps, products / (gaps - 1));
}
