import { type Random, seededRandom } from '../core/Random.ts';
import { BPS_PER_UNIT, US_PER_MS } from '../core/units.ts';
import type { TickSeries } from './TickSeries.ts';

export type SyntheticOptions = {
  readonly seed: number;
  readonly count: number;
  /** Start time, microseconds; cut to whole milliseconds. Default 2024-01-02 00:00:00. */
  readonly startUs?: number;
  /** At least 1e-9. Every price is a multiple of it, up to the rounding of a double. Default 0.01. */
  readonly tickSize?: number;
  /** Median gap between two timestamps outside of bursts, milliseconds, at least 1. Default 200. */
  readonly medianGapMs?: number;
  /** Spread between the two sides that prices bounce between, in tick sizes; 0 means no bounce. Default 1. */
  readonly spreadTicks?: number;
  /** Typical volatility, 1e-4 of log price per sqrt(second). Default 0.6. */
  readonly volatilityBps?: number;
  /** How much a burst raises the volatility that follows: by the factor 1 + 2 * strength; 0 means not at all. Default 1. */
  readonly signalStrength?: number;
  /** Standard deviation of the log volatility of regimes; 0 means constant volatility. Default 0.6. */
  readonly regimeSpread?: number;
};

const START_PRICE = 100;
const DEFAULT_START_US = Date.UTC(2024, 0, 2) * US_PER_MS;

/** Fraction of ticks with the same timestamp as the tick before. */
export const EQUAL_TIMESTAMP_FRACTION = 0.08;
/** Standard deviation of the log gap: the largest gap of a thousand is about 20 times the median. */
const GAP_SPREAD = 1;

/**
 * Times of the planted structure in seconds, for median gaps up to 200 ms. They grow in proportion to longer gaps
 * (`structureScale`), so that a burst always contains some tens of ticks.
 */
const BURST_S = 3;
const BURST_EVERY_S = 60;
/** From the start of a burst to the start of the higher volatility that follows it. */
export const BURST_LEAD_S = 5;
export const SHOCK_S = 20;
const REGIME_S = 300;
/** Ticks come this many times faster in a burst. */
const BURST_RATE = 5;

function structureScale(medianGapMs: number): number {
  return Math.max(1, medianGapMs / 200);
}

/**
 * Generates ticks with a known structure, for tests and for a first training run without data. The structure has three parts:
 * - **Volatility has regimes** of 300 s on average and at least 150 s. The log volatility of each regime is normally distributed around
 *   the typical one. A regime is longer than a horizon, so an average of past squared returns predicts the size of the next move.
 * - **Bursts precede volatility.** Every 60 s on average, and at least 30 s apart, ticks come five times faster for 3 s. Volatility is
 *   (1 + 2 * strength) times higher for 20 s, starting 5 s after the start of the burst. The tick rate shows this before an average of past
 *   returns does. With strength 0, bursts have no effect.
 * - **Direction is random**: the log price is a random walk. Prices are observed at one of two sides around it, chosen by a fair coin
 *   (bid-ask bounce), on the grid of the tick size.
 *
 * Gaps are log-normal, timestamps are whole milliseconds, and 8 % of the ticks repeat the timestamp before. The same options give the same bits
 * on one platform (`Random.normal`).
 *
 * @returns `count` ticks in time order
 * @throws RangeError if an option is out of range
 */
export function syntheticTicks(options: SyntheticOptions): TickSeries {
  const { count, tickSize = 0.01, medianGapMs = 200, spreadTicks = 1 } = options;
  const { volatilityBps = 0.6, signalStrength = 1, regimeSpread = 0.6, startUs = DEFAULT_START_US } = options;
  const usable = tickSize >= 1e-9 && START_PRICE >= tickSize && medianGapMs >= 1 && spreadTicks >= 0 && startUs >= 0;
  if (!(Number.isSafeInteger(count) && count >= 0 && usable && signalStrength >= 0)) {
    throw new RangeError(`syntheticTicks: ${JSON.stringify(options)}`);
  }

  const random = seededRandom(options.seed);
  const scale = structureScale(medianGapMs);
  const startMs = Math.floor(startUs / US_PER_MS);
  const timesUs = new Float64Array(count);
  const prices = new Float64Array(count);
  const typicalSigma = volatilityBps / BPS_PER_UNIT;
  const halfSpread = (spreadTicks * tickSize) / 2;

  /** Seconds since the start. */
  let atS = 0;
  let logPrice = Math.log(START_PRICE);
  let burstStartS = nextAfter(0, BURST_EVERY_S * scale, random);
  /** Start of the last finished burst. A volatility shock starts after its burst ends, and ends before the next burst starts. */
  let lastBurstS = -Infinity;
  let regimeEndS = 0;
  let regimeSigma = typicalSigma;

  for (let i = 0; i < count; i++) {
    const isRepeat = random.uniform() < EQUAL_TIMESTAMP_FRACTION;
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
    }
    const side = random.uniform() < 0.5 ? -halfSpread : halfSpread;
    timesUs[i] = (startMs + Math.floor(atS * 1000)) * US_PER_MS;
    prices[i] = onGrid(Math.exp(logPrice) + side, tickSize);
  }
  return { timesUs, prices };
}

/** Time of the next event. The mean interval is `meanS`: half of it is fixed, the rest is exponentially distributed. */
function nextAfter(fromS: number, meanS: number, random: Random): number {
  return fromS + meanS / 2 - (meanS / 2) * Math.log(1 - random.uniform());
}

/** The nearest multiple of the tick size, at least one tick size; rounded to 9 decimals like every mid. */
function onGrid(price: number, tickSize: number): number {
  return Math.round(Math.max(1, Math.round(price / tickSize)) * tickSize * 1e9) / 1e9;
}
