import { MS_PER_SECOND } from '../core/units.ts';
import { quantile } from './selectKth.ts';
import { GRID_POINTS, type Workspace } from './Workspace.ts';

/** Time from the origin to the entry of the label. */
const ENTRY_DELAY_MS = MS_PER_SECOND;

/**
 * The quantile of q before its floor: quantile75 of |lp(t) - lp(t - H')| * sqrt(H / H') at 256 points from T[0] + H' to T[-1],
 * H' = min(H, W / 20). Fills `moves`. Times are whole ms from the first tick, so a tie of grid and tick is exact.
 */
export function measureMoves(space: Workspace, horizonMs: number): number {
  const { timesMs, logPrices, moves, count } = space;
  const first = timesMs[0]!;
  const windowMs = -first;
  const lagMs = Math.min(horizonMs, windowMs / 20);
  const factor = Math.sqrt(horizonMs / lagMs);
  const steps = GRID_POINTS - 1;
  let earlier = 0;
  let later = 0;
  for (let k = 0; k < GRID_POINTS; k++) {
    const start = (k * (windowMs - lagMs)) / steps;
    const end = k === steps ? windowMs : start + lagMs;
    while (earlier + 1 < count && timesMs[earlier + 1]! - first <= start) earlier++;
    while (later + 1 < count && timesMs[later + 1]! - first <= end) later++;
    moves[k] = Math.abs(logPrices[later]! - logPrices[earlier]!) * factor;
  }
  return quantile(moves, GRID_POINTS, 0.75);
}

/** Outcomes of past origins of the window, all known at its origin. */
export type PastOrigins = { complete: number; withoutPrice: number; withoutMove: number };

/**
 * Writes the label's move into `pastMoves`, for at most 256 evenly spaced ticks t of the window with t + H at or before the origin.
 * The entry is the first price at or after t + 1 s, the exit the last at or before t + H. The move is 0 if no price lies between them.
 */
export function measurePastOrigins(space: Workspace, horizonMs: number, complete: number, out: PastOrigins): void {
  const { timesMs, logPrices, pastMoves, count } = space;
  const samples = Math.min(complete, GRID_POINTS);
  out.complete = samples;
  out.withoutPrice = 0;
  out.withoutMove = 0;
  space.pastCount = samples;
  let entry = 0;
  let exit = 0;
  for (let k = 0; k < samples; k++) {
    const origin = timesMs[samples === complete ? k : Math.floor((k * complete) / samples)]!;
    while (entry < count && timesMs[entry]! < origin + ENTRY_DELAY_MS) entry++;
    while (exit + 1 < count && timesMs[exit + 1]! <= origin + horizonMs) exit++;
    const move = exit > entry ? Math.abs(logPrices[exit]! - logPrices[entry]!) : 0;
    if (entry > exit) out.withoutPrice++;
    if (move === 0) out.withoutMove++;
    pastMoves[k] = move;
  }
}
