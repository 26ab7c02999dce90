import { type Random, seededRandom } from '../core/Random.ts';
import { BPS_PER_UNIT, US_PER_MS } from '../core/units.ts';
import { type TickSeries } from './TickSeries.ts';

export type SyntheticOptions = {
  readonly seed: number;
  readonly count: number;
  /** Stamp of the start, microseconds; cut to whole milliseconds. Default 2024-01-02 00:00:00. */
  readonly startUs?: number;
  /** At least 1e-9. Every price is a multiple of it (but for the rounding of a double). Default 0.01. */
  readonly tickSize?: number;
  /** Default 100. */
  readonly startPrice?: number;
  /** Median gap between two stamps outside of bursts, milliseconds, at least 1. Default 200. */
  readonly medianGapMs?: number;
  /** Spread between the two sides that prices bounce between, in tick sizes; 0 is no bounce. Default 1. */
  readonly spreadTicks?: number;
  /** Typical volatility, 1e-4 of log price per sqrt(second). Default 0.6. */
  readonly volatilityBps?: number;
  /** How much a burst raises the volatility that follows: by the factor 1 + 2 * strength; 0 is not at all. Default 1. */
  readonly signalStrength?: number;
  /** Standard deviation of the log volatility of regimes; 0 is one volatility throughout. Default 0.6. */
  readonly regimeSpread?: number;
  /** A pause of `pauseS` seconds after each `lengthS` seconds of trading. Default none. */
  readonly sessions?: { readonly lengthS: number; readonly pauseS: number };
};

const DEFAULT_START_US = Date.UTC(2024, 0, 2) * US_PER_MS;

/** Share of ticks that carry the stamp of the tick before. */
export const EQUAL_STAMP_SHARE = 0.08;
/** Standard deviation of the log gap: the largest gap of a thousand is about 20 times the median. */
const GAP_SPREAD = 1;

/**
 * Times of the planted structure in seconds, for median gaps up to 200 ms; longer in proportion for longer gaps
 * (`structureScale`), so that a burst always holds some tens of ticks.
 */
export const BURST_S = 3;
export const BURST_EVERY_S = 60;
/** From the start of a burst to the start of the volatility it announces. */
export const BURST_LEAD_S = 5;
export const SHOCK_S = 20;
export const REGIME_S = 300;
/** Ticks come this many times faster in a burst. */
export const BURST_RATE = 5;

export function structureScale(medianGapMs: number): number {
  return Math.max(1, medianGapMs / 200);
}

/**
 * Ticks with a known structure, for tests and for a first training run without data. Three facts and no more:
 * - **Volatility comes in regimes** of 300 s on average, at least half of that, the log volatility of each normal around the typical
 *   one. Regimes outlive a horizon, so an average of past squared returns predicts the size of the next move.
 * - **Bursts lead.** Every 60 s on average, never sooner than 30 s, ticks come five times faster for 3 s; 5 s after the burst began volatility is
 *   (1 + 2 * strength) times higher for 20 s. An average of past returns sees that late, the tick rate shows it before. With strength
 *   0 the bursts are there and mean nothing.
 * - **Direction is chance**: the log price is a random walk; prices are seen at one of two sides around it, drawn by a fair
 *   coin (bid-ask bounce), on the grid of the tick size.
 *
 * Gaps are log-normal, stamps are whole milliseconds, 8 % of the ticks repeat the stamp before. Nothing moves in a pause.
 * The same options give the same bits (on one platform: `Random.normal`).
 *
 * @returns `count` ticks in time order
 * @throws RangeError for options outside of their ranges
 */
export function syntheticTicks(options: SyntheticOptions): TickSeries {
  const { count, tickSize = 0.01, startPrice = 100, medianGapMs = 200, spreadTicks = 1, sessions } = options;
  const { volatilityBps = 0.6, signalStrength = 1, regimeSpread = 0.6, startUs = DEFAULT_START_US } = options;
  const usable = tickSize >= 1e-9 && startPrice >= tickSize && medianGapMs >= 1 && spreadTicks >= 0 && startUs >= 0;
  const usableSessions = sessions === undefined || (sessions.lengthS > 0 && sessions.pauseS >= 0);
  if (!(Number.isSafeInteger(count) && count >= 0 && usable && usableSessions && signalStrength >= 0)) {
    throw new RangeError(`syntheticTicks: ${JSON.stringify(options)}`);
  }

  const random = seededRandom(options.seed);
  const scale = structureScale(medianGapMs);
  const startMs = Math.floor(startUs / US_PER_MS);
  const timesUs = new Float64Array(count);
  const prices = new Float64Array(count);
  const typicalSigma = volatilityBps / BPS_PER_UNIT;
  const halfSpread = (spreadTicks * tickSize) / 2;

  /** Seconds of trading since the start; pauses are not counted. */
  let atS = 0;
  let pausedS = 0;
  let logPrice = Math.log(startPrice);
  let burstStartS = nextAfter(0, BURST_EVERY_S * scale, random);
  /** Start of the last burst that is over. A shock begins after its burst has ended and ends before the next one begins. */
  let lastBurstS = -Infinity;
  let regimeEndS = 0;
  let regimeSigma = typicalSigma;

  for (let i = 0; i < count; i++) {
    const isRepeat = random.uniform() < EQUAL_STAMP_SHARE;
    if (!isRepeat || i === 0) {
      const inBurst = atS >= burstStartS;
      const gapS = ((medianGapMs / 1000) * Math.exp(GAP_SPREAD * random.normal())) / (inBurst ? BURST_RATE : 1);
      const sinceBurstS = atS - lastBurstS;
      const inShock = sinceBurstS >= BURST_LEAD_S * scale && sinceBurstS < (BURST_LEAD_S + SHOCK_S) * scale;
      const sigma = regimeSigma * (inShock ? 1 + 2 * signalStrength : 1);
      atS += gapS;
      logPrice += sigma * Math.sqrt(gapS) * random.normal();
      if (atS >= burstStartS + BURST_S * scale) {
        lastBurstS = burstStartS;
        burstStartS = nextAfter(lastBurstS, BURST_EVERY_S * scale, random);
      }
      if (atS >= regimeEndS) {
        regimeEndS = nextAfter(atS, REGIME_S * scale, random);
        regimeSigma = typicalSigma * Math.exp(regimeSpread * random.normal());
      }
      if (sessions !== undefined) pausedS = Math.floor(atS / sessions.lengthS) * sessions.pauseS;
    }
    const side = random.uniform() < 0.5 ? -halfSpread : halfSpread;
    timesUs[i] = (startMs + Math.floor((atS + pausedS) * 1000)) * US_PER_MS;
    prices[i] = onGrid(Math.exp(logPrice) + side, tickSize);
  }
  return { timesUs, prices };
}

/** The next event of a kind that comes every `meanS` seconds: never sooner than half of that, exponential beyond it. */
function nextAfter(fromS: number, meanS: number, random: Random): number {
  return fromS + meanS / 2 - (meanS / 2) * Math.log(1 - random.uniform());
}

/** The nearest multiple of the tick size, at least one; rounded to 9 decimals like every mid. */
function onGrid(price: number, tickSize: number): number {
  return Math.round(Math.max(1, Math.round(price / tickSize)) * tickSize * 1e9) / 1e9;
}
