import { US_PER_MS, US_PER_SECOND } from '../../core/units.ts';
import type { Touches } from './Touches.ts';
import { changesLevel } from '../../ticks/LevelWatch.ts';
import { firstAtOrAfter } from '../../ticks/searchTimes.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { type LiveWindow, rangeAt } from '../../ticks/TickWindow.ts';

/** Index of the first tick whose timestamp, cut to ms, is at or after `ms`; the length if there is none. Starts at index `from`. */
export function firstAtOrAfterMs(timesUs: Float64Array, ms: number, from = 0): number {
  // floor(us / 1000) >= ms is equivalent to us >= 1000 * ceil(ms).
  return firstAtOrAfter(timesUs, Math.ceil(ms) * US_PER_MS, from);
}

/**
 * Index of the last tick whose timestamp, cut to ms, is at or before `ms` (the last of equal timestamps); `from` − 1 if there is none from
 * `from` on.
 */
export function lastAtOrBeforeMs(timesUs: Float64Array, ms: number, from = 0): number {
  return firstAtOrAfterMs(timesUs, Math.floor(ms) + 1, from) - 1;
}

/** The entry is the first price at least this long after the origin: an order cannot be filled at the tick that triggered it. */
export const ENTRY_DELAY_MS = 1000;
/** Of bars the entry is the close at the origin, and the exit the last close at or before the future timestamp. */
export const entryDelayMs = (barPeriodMs: number): number => (barPeriodMs > 0 ? 0 : ENTRY_DELAY_MS);

/** A log return at or below this is rounding of a mid price to 9 decimals, not a move. */
const ZERO_MOVE = 1e-9;

/** ln exit − ln entry. */
export function moveBetween(entryPrice: number, exitPrice: number): number {
  const move = Math.log(exitPrice / entryPrice);
  return Math.abs(move) <= ZERO_MOVE ? 0 : move;
}

export type OriginLabel =
  | {
      readonly status: 'ok';
      /** ln exit − ln entry; 0 without a price. */
      readonly move: number;
      /** Ticks of the first price in [t + 1 s, t + H] and of the last one; null without a price. */
      readonly entry: number | null;
      readonly exit: number | null;
    }
  | {
      readonly status: 'dropped';
      /**
       * `data_ends`: the last timestamp is before t + H. `session_gap`: a gap over the threshold overlaps (t, t + H]. `level_changed`: the price
       * goes to another level there, in one step that it has not taken back at t + H.
       */
      readonly why: 'data_ends' | 'session_gap' | 'level_changed';
    };

const DATA_ENDS: OriginLabel = { status: 'dropped', why: 'data_ends' };
const LEVEL_CHANGED: OriginLabel = { status: 'dropped', why: 'level_changed' };
/** A smaller move has no such step in it. */
const LEAST_LEVEL_MOVE = 0.04;
/** Ticks before the origin that show how the market moves. */
const LEVEL_TICKS = 500;
const SESSION_GAP: OriginLabel = { status: 'dropped', why: 'session_gap' };
const NO_PRICE: OriginLabel = { status: 'ok', move: 0, entry: null, exit: null };

/**
 * The outcome of a forecast at a tick (docs/explanation/evaluation.md, "What is predicted"): timestamps are cut to ms, equal timestamps
 * collapse to their last price, entry = first price at or after t + 1 s, exit = last price at or before t + H; without a price between
 * them, the move is 0. O((1 + H / sessionGapS) log ticks).
 *
 * @param originIndex a tick of the series; only its timestamp t is used, so all ticks of one timestamp have the same label
 * @param horizonS H in seconds, above 0
 * @param sessionGapS gaps above this are pauses of the market, seconds, above 0
 * @param barPeriodMs above 0 for a series of closes at the ends of bars
 * @throws RangeError if one of the three is out of range (a fault of the caller, not of the data)
 */
export function labelOrigin(series: TickSeries, originIndex: number, horizonS: number, sessionGapS: number, barPeriodMs = 0): OriginLabel {
  const { timesUs, prices } = series;
  const originUs = timesUs[originIndex];
  if (originUs === undefined) throw new RangeError(`labelOrigin: origin ${originIndex} is not in a series of ${timesUs.length} ticks`);
  if (!(horizonS > 0 && sessionGapS > 0)) throw new RangeError(`labelOrigin: horizon ${horizonS} s, session gap ${sessionGapS} s`);
  const startMs = Math.floor(originUs / US_PER_MS);
  // Rounded to whole microseconds first: 0.06 * 1e6 is not an integer, and a timestamp exactly at t + H must count.
  const endMs = startMs + Math.round(horizonS * US_PER_SECOND) / US_PER_MS;
  if (Math.floor(timesUs[timesUs.length - 1] / US_PER_MS) < endMs) return DATA_ENDS;
  if (gapTouches(timesUs, originIndex, startMs, endMs, sessionGapS * 1000)) return SESSION_GAP;

  const entryFirst = firstAtOrAfterMs(timesUs, startMs + entryDelayMs(barPeriodMs), originIndex);
  const exit = lastAtOrBeforeMs(timesUs, endMs, originIndex);
  if (entryFirst > exit) return NO_PRICE;
  const entry = lastAtOrBeforeMs(timesUs, Math.floor(timesUs[entryFirst] / US_PER_MS), entryFirst);
  const move = moveBetween(prices[entry], prices[exit]);
  if (Math.abs(move) > LEAST_LEVEL_MOVE && isAcrossLevels(series, originIndex, exit, sessionGapS, barPeriodMs)) return LEVEL_CHANGED;
  return { status: 'ok', move, entry, exit };
}

/** Whether the step to another level lies behind the origin: the ticks up to it have none. */
function isAcrossLevels(series: TickSeries, origin: number, exit: number, sessionGapS: number, barPeriodMs: number): boolean {
  const from = Math.max(0, origin + 1 - LEVEL_TICKS);
  const rule = { periodUs: barPeriodMs * US_PER_MS, pauseUs: sessionGapS * US_PER_SECOND };
  return changesLevel(series, from, exit + 1, rule) && !changesLevel(series, from, origin + 1, rule);
}

/**
 * Whether a gap above `gapMs` between consecutive timestamps overlaps (startMs, endMs]. Such a gap that begins at or after startMs covers
 * one of the points startMs + k·gapMs, so it is enough to check these points instead of all ticks.
 */
function gapTouches(timesUs: Float64Array, from: number, startMs: number, endMs: number, gapMs: number): boolean {
  for (let probeMs = startMs; probeMs < endMs + gapMs; probeMs += gapMs) {
    const before = lastAtOrBeforeMs(timesUs, probeMs, from);
    if (before + 1 >= timesUs.length) return false;
    const gapStartMs = Math.floor(timesUs[before] / US_PER_MS);
    if (gapStartMs >= endMs) return false;
    if (Math.floor(timesUs[before + 1] / US_PER_MS) - gapStartMs > gapMs) return true;
  }
  return false;
}

/**
 * Passes the prices after the entry of a label, up to its exit, to `touches`: of equal timestamps the last one, of bars with low and high, of quotes
 * with their spread. Without an entry there are none.
 */
export function followTouches(
  { timesUs, prices, ranges, spreadsBps }: LiveWindow,
  { entry, exit }: Pick<OriginLabel & { readonly status: 'ok' }, 'entry' | 'exit'>,
  touches: Pick<Touches, 'add'>,
): void {
  if (entry === null || exit === null) return;
  for (let at = entry + 1; at <= exit; at++) {
    const isLastOfItsTime = at === exit || Math.floor(timesUs[at + 1] / US_PER_MS) > Math.floor(timesUs[at] / US_PER_MS);
    if (isLastOfItsTime) touches.add(prices[at], rangeAt(ranges, at), spreadsBps?.[at]);
  }
}
