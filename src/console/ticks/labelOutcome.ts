import { BPS_PER_UNIT, US_PER_MS, US_PER_S, type TickSeries } from './TickSeries.ts';

/** The first index from `from` on whose stamp is not before `us`; the length where there is none. */
export function firstAtOrAfter(timesUs: Float64Array, us: number, from = 0): number {
  let [low, high] = [from, timesUs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timesUs[middle]! < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The last index whose stamp is not after `us`; -1 where there is none. */
export function lastAtOrBefore(timesUs: Float64Array, us: number): number {
  let [low, high] = [0, timesUs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timesUs[middle]! <= us) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A trade cannot happen at the tick that triggers it: the entry is the first price at least this long after it. */
export const ENTRY_DELAY_US = US_PER_S;

/** A log return at or below this is the rounding of a price, not a move. */
const ZERO_MOVE = 1e-9;

export type Outcome =
  | {
      readonly status: 'known';
      /** 10⁴ × ln(exit / entry); 0 without a price in between. */
      readonly moveBps: number;
      /** Null without a price in between. */
      readonly entry: number | null;
      readonly exit: number | null;
    }
  /** The file ends before the future time, or the market paused on the way there. */
  | { readonly status: 'unknown'; readonly why: 'file_ends' | 'market_paused' };

/** A gap longer than this is a pause of the market, in microseconds; the service cuts windows at the same length. */
function pauseUs(medianGapMs: number | null): number {
  return Math.max(1800, (50 * (medianGapMs ?? 0)) / 1000) * US_PER_S;
}

const toMs = (us: number): number => Math.floor(us / US_PER_MS);

/**
 * The outcome of a forecast made at a tick, by the rule of the model evaluation (docs/explanation/evaluation.md): stamps cut to
 * milliseconds, of equal ones the last counts. The move is measured from the first price at least 1 s after the last tick sent to the last
 * price at or before the future time.
 */
export function labelOutcome({ timesUs, prices }: TickSeries, origin: number, horizonMs: number, medianGapMs: number | null): Outcome {
  const startMs = toMs(timesUs[origin]!);
  const endMs = startMs + horizonMs;
  if (toMs(timesUs[timesUs.length - 1]!) < endMs) return { status: 'unknown', why: 'file_ends' };
  // Whole milliseconds: every stamp within the last one counts.
  const exit = lastAtOrBefore(timesUs, (Math.floor(endMs) + 1) * US_PER_MS - 1);
  if (hasPause(timesUs, origin, exit, pauseUs(medianGapMs))) return { status: 'unknown', why: 'market_paused' };
  const first = firstAtOrAfter(timesUs, startMs * US_PER_MS + ENTRY_DELAY_US, origin);
  if (first > exit) return { status: 'known', moveBps: 0, entry: null, exit: null };
  const entry = lastAtOrBefore(timesUs, (toMs(timesUs[first]!) + 1) * US_PER_MS - 1);
  const move = Math.log(prices[exit]! / prices[entry]!);
  return { status: 'known', moveBps: Math.abs(move) <= ZERO_MOVE ? 0 : move * BPS_PER_UNIT, entry, exit };
}

/** Whether two neighbours from the origin to the one after the exit are further apart than that. */
function hasPause(timesUs: Float64Array, origin: number, exit: number, limitUs: number): boolean {
  const end = Math.min(exit + 1, timesUs.length - 1);
  for (let i = origin; i < end; i++) if (timesUs[i + 1]! - timesUs[i]! > limitUs) return true;
  return false;
}
