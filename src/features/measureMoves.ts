import { MS_PER_SECOND } from '../core/units.ts';
import { GRID_POINTS, type Workspace } from './Workspace.ts';
import { quantile } from './selectKth.ts';

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

/** Sums over the tick returns r of a window; n distinct timestamps give n - 1 returns. */
export type ReturnSums = {
  /** sum |r|, sum r^2, sum r_k r_(k-1), sum |r_k| |r_(k-1)|. */
  absolute: number;
  squares: number;
  products: number;
  absoluteProducts: number;
  largest: number;
  /** Smallest nonzero |r|; Infinity if there is none. */
  smallest: number;
  zeros: number;
  /** cov(r_k, r_(k-1)) with divisor n - 1; 0 for fewer than 3 returns. */
  covariance: number;
};

export function measureReturns({ returns, logPrices, count }: Workspace, out: ReturnSums): void {
  let absolute = 0, squares = 0, products = 0, absoluteProducts = 0, largest = 0, smallest = Infinity, zeros = 0; // prettier-ignore
  let before = 0;
  for (let i = 1; i < count; i++) {
    const r = returns[i]!;
    if (r === 0) {
      zeros++;
      before = 0;
      continue;
    }
    const size = Math.abs(r);
    const product = r * before;
    absolute += size;
    squares += r * r;
    products += product;
    absoluteProducts += Math.abs(product);
    if (size > largest) largest = size;
    if (size < smallest) smallest = size;
    before = r;
  }
  const pairs = count - 2;
  // Sums of r_2.. and of ..r_(n-2) telescope to differences of log prices.
  const laterSum = logPrices[count - 1]! - logPrices[1]!;
  const earlierSum = logPrices[count - 2]! - logPrices[0]!;
  out.absolute = absolute;
  out.squares = squares;
  out.products = products;
  out.absoluteProducts = absoluteProducts;
  out.largest = largest;
  out.smallest = smallest;
  out.zeros = zeros;
  out.covariance = pairs < 2 ? 0 : (products - (laterSum * earlierSum) / pairs) / (pairs - 1);
}
