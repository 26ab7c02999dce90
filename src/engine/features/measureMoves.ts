import { MS_PER_SECOND } from '../../core/units.ts';
import { selectKth } from './selectKth.ts';
import { MOVE_POINTS, PAST_ORIGINS, type Workspace } from './Workspace.ts';

/** Time from the origin to the entry of the label. */
const ENTRY_DELAY_MS = MS_PER_SECOND;

/** q in mean moves: for normal moves the 77 % quantile. With it, about one past move in five is larger than theta*. */
const MEAN_MOVES = 1.5;

/**
 * q before its floor: 1.5 times the mean of |lp(t) - lp(t - H')| * sqrt(H / H') over 512 times t from T[0] + H' to T[-1], where
 * H' = min(H, W / 20) and lp is linear between ticks. As a mean over a continuous path, it hardly changes with a tick more or less at the
 * far end. Fills `moves`. Horizons above W / 20 have the same H'.
 */
export function measureMoves(space: Workspace, horizonMs: number): number {
  const { timesMs, spans, moves } = space;
  const lagMs = Math.min(horizonMs, -timesMs[0] / 20);
  const factor = Math.sqrt(horizonMs / lagMs);
  if (space.spansMs !== lagMs) measureSpans(space, lagMs);
  let sum = 0;
  for (let k = 0; k < MOVE_POINTS; k++) {
    const move = spans[k] * factor;
    moves[k] = move;
    sum += move;
  }
  return (MEAN_MOVES * sum) / MOVE_POINTS;
}

function measureSpans(space: Workspace, lagMs: number): void {
  const { timesMs, logPrices, spans, startCounts, endCounts } = space;
  const first = timesMs[0];
  const stepMs = (-first - lagMs) / (MOVE_POINTS - 1);
  countTicks(space, lagMs, stepMs);
  let earlier = 0;
  let later = 0;
  for (let k = 0; k < MOVE_POINTS; k++) {
    earlier += startCounts[k];
    later += endCounts[k];
    const start = first + k * stepMs;
    spans[k] = Math.abs(lineAt(timesMs, logPrices, later, start + lagMs) - lineAt(timesMs, logPrices, earlier, start));
  }
  space.spansMs = lagMs;
}

/**
 * Counts the ticks, but for the first and the last one, by the first point at or after them: of `startCounts` without the lag, of `endCounts`
 * with it. Counting takes half of the time of two searches that go along with the points, whose comparisons are unpredictable.
 */
function countTicks({ timesMs, startCounts, endCounts, count }: Workspace, lagMs: number, stepMs: number): void {
  const first = timesMs[0];
  const perStep = 1 / stepMs;
  startCounts.fill(0);
  endCounts.fill(0);
  for (let i = 1; i + 1 < count; i++) {
    const timeMs = timesMs[i];
    let point = Math.min(MOVE_POINTS, Math.ceil((timeMs - first) * perStep));
    // The estimate can be wrong by rounding.
    while (point > 0 && first + (point - 1) * stepMs >= timeMs) point--;
    while (point < MOVE_POINTS && first + point * stepMs < timeMs) point++;
    startCounts[point]++;
    point = Math.min(MOVE_POINTS, Math.max(0, Math.ceil((timeMs - lagMs - first) * perStep)));
    while (point > 0 && first + (point - 1) * stepMs + lagMs >= timeMs) point--;
    while (point < MOVE_POINTS && first + point * stepMs + lagMs < timeMs) point++;
    endCounts[point]++;
  }
}

/** lp at `timeMs` on the line through ticks i and i + 1. */
function lineAt(timesMs: Float64Array, logPrices: Float64Array, i: number, timeMs: number): number {
  const from = logPrices[i];
  return from + ((logPrices[i + 1] - from) * (timeMs - timesMs[i])) / (timesMs[i + 1] - timesMs[i]);
}

/** Outcomes of past origins of the window, all known at its origin. */
export type PastOrigins = { complete: number; withoutPrice: number; withoutMove: number };

/**
 * Writes the label's move into `pastMoves`, for at most 256 evenly spaced ticks t of the window with t + H at or before the origin.
 * The entry is the first price at or after t + 1 s, the exit the last at or before t + H. The move is 0 if no price lies between them.
 */
export function measurePastOrigins(space: Workspace, horizonMs: number, complete: number, out: PastOrigins): void {
  const { timesMs, logPrices, pastMoves } = space;
  const samples = Math.min(complete, PAST_ORIGINS);
  out.complete = samples;
  out.withoutPrice = 0;
  out.withoutMove = 0;
  space.pastCount = samples;
  let entry = 0;
  let exit = 0;
  for (let k = 0; k < samples; k++) {
    const origin = timesMs[samples === complete ? k : Math.floor((k * complete) / samples)];
    const fromMs = origin + ENTRY_DELAY_MS;
    const endMs = origin + horizonMs;
    // Two steps that no branch decides, as their comparisons are unpredictable; more are rare.
    entry += Number(timesMs[entry] < fromMs);
    entry += Number(timesMs[entry] < fromMs);
    while (timesMs[entry] < fromMs) entry++;
    exit += Number(timesMs[exit + 1] <= endMs);
    exit += Number(timesMs[exit + 1] <= endMs);
    while (timesMs[exit + 1] <= endMs) exit++;
    const move = exit > entry ? Math.abs(logPrices[exit] - logPrices[entry]) : 0;
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
  /** Smallest usual |r|, from `priceStep`; Infinity if no price changed. */
  step: number;
  zeros: number;
  /** cov(r_k, r_(k-1)) with divisor n - 1; 0 for fewer than 3 returns. */
  covariance: number;
};

/** The price step is the mean of this fraction of the nonzero |r|, the smallest ones. */
const STEP_FRACTION = 0.2;

/** The smallest usual change of the price: a mean, so that one odd tick hardly changes it. Infinity if no price changed. */
function priceStep({ returns, scratch, count }: Workspace): number {
  let changes = 0;
  for (let i = 1; i < count; i++) if (returns[i] !== 0) scratch[changes++] = Math.abs(returns[i]);
  if (changes === 0) return Infinity;
  const smallest = Math.max(1, Math.round(STEP_FRACTION * changes));
  selectKth(scratch, changes, smallest - 1);
  let sum = 0;
  for (let i = 0; i < smallest; i++) sum += scratch[i];
  return sum / smallest;
}

export function measureReturns(space: Workspace, out: ReturnSums): void {
  const { returns, logPrices, count } = space;
  let absolute = 0, squares = 0, products = 0, absoluteProducts = 0, largest = 0, zeros = 0; // prettier-ignore
  let before = 0;
  for (let i = 1; i < count; i++) {
    const r = returns[i];
    const size = Math.abs(r);
    const product = r * before;
    absolute += size;
    squares += r * r;
    products += product;
    absoluteProducts += Math.abs(product);
    zeros += Number(r === 0);
    if (size > largest) largest = size;
    before = r;
  }
  const pairs = count - 2;
  // Sums of r_2.. and of ..r_(n-2) telescope to differences of log prices.
  const laterSum = logPrices[count - 1] - logPrices[1];
  const earlierSum = logPrices[count - 2] - logPrices[0];
  out.absolute = absolute;
  out.squares = squares;
  out.products = products;
  out.absoluteProducts = absoluteProducts;
  out.largest = largest;
  out.step = priceStep(space);
  out.zeros = zeros;
  out.covariance = pairs < 2 ? 0 : (products - (laterSum * earlierSum) / pairs) / (pairs - 1);
}
