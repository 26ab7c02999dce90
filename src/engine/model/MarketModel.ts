import { US_PER_SECOND } from '../../core/units.ts';
import type { DaylightRule } from '../features/daylightMinutes.ts';
import { MarketClock, type ClockReading } from '../features/MarketClock.ts';
import { closesLevel } from '../features/recentLevel.ts';

/** logit = intercept + base * (log-odds of the base) + clock * clock + level * ln(usual move / theta). */
export type MarketWeights = { readonly intercept: number; readonly base: number; readonly clock: number; readonly level: number };

/** The same with the level of the day before the window too: + recent * ln(usual move at that level / theta). */
export type RecentWeights = MarketWeights & { readonly recent: number };

/** One horizon bucket of a market. */
export type MarketHead = {
  /** Weights while the level is new, and weights without the level. */
  readonly fresh: MarketWeights;
  readonly aged: MarketWeights;
  /** As in HeadManifest, for the probability with the market. */
  readonly cut: number | null;
  /** For callers who send the closes of the day before the window; null: they gain nothing. */
  readonly recent: { readonly weights: RecentWeights; readonly cut: number | null } | null;
};

/** `market.json` of a version: what weeks of ticks say about the time of day in one market. */
export type MarketFile = {
  readonly format: 'tickmark-market/2';
  /** First and last tick of the weeks, microseconds. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly daylight: DaylightRule;
  /** As in MarketProfile. */
  readonly shape: readonly number[];
  readonly openHours: readonly number[];
  readonly level: number;
  /** Mean over the training windows of ln(volatility of the window / that which shape and level expect in it). */
  readonly windowRatio: number;
  /** The weight of the level falls linearly from 1 to 0 between these times, microseconds. */
  readonly levelFallsFromUs: number;
  readonly levelEndsUs: number;
  /** From here on the base answers. */
  readonly clockEndsUs: number;
  /** One for each horizon bucket; null: the base answers. */
  readonly heads: readonly (MarketHead | null)[];
};

/** Why the base answers in place of the market. */
export type MarketAbsence = 'clock_mismatch' | 'market_stale' | 'no_head';

/** The market at one origin: log-odds for any threshold. */
export type MarketPoint = Pick<MarketHead, 'cut'> & {
  /** Whether the recent level was used. */
  readonly usesRecent: boolean;
  /** `base`: log-odds of the base; `logTheta`: ln of the threshold in log price. */
  logit(base: number, logTheta: number): number;
};

/** Adds the time of day and the usual level of one market to the log-odds of the base. */
export class MarketModel {
  readonly file: MarketFile;
  readonly #clock: MarketClock;
  readonly #reading: ClockReading = { clock: 0, usualMove: 0 };

  constructor(file: MarketFile) {
    this.file = file;
    const { daylight, shape, openHours, level } = file;
    this.#clock = new MarketClock({ daylight, level, shape: Float64Array.from(shape), openHours: Uint8Array.from(openHours) });
  }

  /** The level of one-minute closes before the first tick of a window, microseconds; null if they are too few. */
  levelOf(closes: Parameters<typeof closesLevel>[0], firstUs: number): number | null {
    return closesLevel(closes, firstUs, this.#clock.profile);
  }

  /** How much livelier a window is than the market usually is in its minutes, ln, compared with training; NaN in closed hours. */
  driftAt(originUs: number, windowS: number, volatility: number): number {
    const originS = originUs / US_PER_SECOND;
    if (this.#clock.isClosed(originS)) return NaN;
    // For a horizon of 1 s, usual move less clock is ln(level * shape of the window).
    const { clock, usualMove } = this.#clock.read(originS, windowS, 1, this.#reading);
    return Math.log(volatility) - (usualMove - clock) - this.file.windowRatio;
  }

  /** `originUs`: the last tick, microseconds; `windowS` and `horizonS` in seconds, above 0; `recent`: the level of the day before the window. */
  at(originUs: number, windowS: number, horizonS: number, bucket: number, recent: number | null = null): MarketPoint | MarketAbsence {
    const head = this.file.heads[bucket];
    if (head === null || head === undefined) return 'no_head';
    if (originUs >= this.file.clockEndsUs) return 'market_stale';
    const originS = originUs / US_PER_SECOND;
    if (this.#clock.isClosed(originS)) return 'clock_mismatch';
    const { clock, usualMove } = this.#clock.read(originS, windowS, horizonS, this.#reading);
    const share = fallingShare(originUs, this.file.levelFallsFromUs, this.file.levelEndsUs);
    const stored = mixLines(share, lineOf(head.fresh, clock, usualMove), lineOf(head.aged, clock, usualMove));
    const closesShare = recent === null || head.recent === null ? 0 : this.#recentShare(originUs);
    if (recent === null || head.recent === null || closesShare === 0) return pointOf(head.cut, stored, false);
    const { weights, cut } = head.recent;
    const recentMove = usualMove + Math.log(recent / this.file.level);
    // An old level gives way to the recent one.
    const { constant, base, logTheta } = lineOf(weights, clock, share * usualMove + (1 - share) * recentMove);
    const line = { constant: constant + weights.recent * recentMove, base, logTheta: logTheta + weights.recent };
    return pointOf(cut, mixLines(closesShare, line, stored), true);
  }

  /** Weights for the recent level are used longer than the stored level, but not until the end of the clock (docs/adr/0025). */
  #recentShare(originUs: number): number {
    const { levelFallsFromUs, levelEndsUs } = this.file;
    return fallingShare(originUs, levelEndsUs, levelEndsUs + 2 * (levelEndsUs - levelFallsFromUs));
  }
}

/** log-odds = constant + base * (log-odds of the base) - logTheta * ln theta. */
type Line = { readonly constant: number; readonly base: number; readonly logTheta: number };

function lineOf({ intercept, base, clock: ofClock, level }: MarketWeights, clock: number, usualMove: number): Line {
  return { constant: intercept + ofClock * clock + level * usualMove, base, logTheta: level };
}

function mixLines(share: number, first: Line, second: Line): Line {
  const mix = (name: keyof Line): number => share * first[name] + (1 - share) * second[name];
  return { constant: mix('constant'), base: mix('base'), logTheta: mix('logTheta') };
}

function pointOf(cut: number | null, { constant, base: slope, logTheta: fall }: Line, usesRecent: boolean): MarketPoint {
  return { cut, usesRecent, logit: (base, logTheta) => constant + slope * base - fall * logTheta };
}

/** 1 up to a time, 0 from a later one on, linear in between. */
function fallingShare(us: number, fromUs: number, endUs: number): number {
  return Math.min(1, Math.max(0, (endUs - us) / (endUs - fromUs)));
}
