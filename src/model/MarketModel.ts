import { US_PER_SECOND } from '../core/units.ts';
import type { DaylightRule } from '../features/daylightMinutes.ts';
import { MarketClock, type ClockReading } from '../features/MarketClock.ts';

/** logit = intercept + base * (log-odds of the base) + clock * clock + level * ln(usual move / theta). */
export type MarketWeights = { readonly intercept: number; readonly base: number; readonly clock: number; readonly level: number };

/** One horizon bucket of a market. */
export type MarketHead = {
  /** Weights while the level is new, and weights without the level. */
  readonly fresh: MarketWeights;
  readonly aged: MarketWeights;
  /** As in HeadManifest, fitted on the log-odds of the market. */
  readonly bands: { readonly upper: readonly number[]; readonly decision: readonly (number | null)[] };
};

/** `market.json` of a version: what weeks of ticks say about the time of day in one market. */
export type MarketFile = {
  readonly format: 'tickmark-market/1';
  /** First and last tick of the weeks, microseconds. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly daylight: DaylightRule;
  /** As in MarketProfile. */
  readonly shape: readonly number[];
  readonly openHours: readonly number[];
  readonly level: number;
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
export type MarketPoint = Pick<MarketHead, 'bands'> & {
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

  /** `originUs`: the last tick, microseconds; `windowS` and `horizonS` in seconds, above 0. */
  at(originUs: number, windowS: number, horizonS: number, bucket: number): MarketPoint | MarketAbsence {
    const head = this.file.heads[bucket];
    if (head === null || head === undefined) return 'no_head';
    if (originUs >= this.file.clockEndsUs) return 'market_stale';
    const originS = originUs / US_PER_SECOND;
    if (this.#clock.isClosed(originS)) return 'clock_mismatch';
    const { clock, usualMove } = this.#clock.read(originS, windowS, horizonS, this.#reading);
    const { fresh, aged, bands } = head;
    const share = this.#levelWeight(originUs);
    const mix = (name: keyof MarketWeights): number => share * fresh[name] + (1 - share) * aged[name];
    const [intercept, slope, level] = [mix('intercept') + mix('clock') * clock, mix('base'), mix('level')];
    return { bands, logit: (base, logTheta) => intercept + slope * base + level * (usualMove - logTheta) };
  }

  /** 1 while the level is new, 0 when it is too old. */
  #levelWeight(originUs: number): number {
    const { levelFallsFromUs: from, levelEndsUs: end } = this.file;
    return Math.min(1, Math.max(0, (end - originUs) / (end - from)));
  }
}
