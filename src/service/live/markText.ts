import { formatSpan } from '../../ticks/formatSpan.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { BPS_PER_UNIT, US_PER_MS } from '../../core/units.ts';
import type { SeriesForecast } from './ForecastEvents.ts';

type Told = Pick<SeriesForecast, 'lastUs' | 'futureUs' | 'lastPrice' | 'probability' | 'minMoveBps' | 'ownThreshold' | 'costBps' | 'touch'>;

/** The prices at the threshold below and above the last price. */
export function levelsOf({ lastPrice, minMoveBps }: Pick<Told, 'lastPrice' | 'minMoveBps'>): {
  readonly low: number;
  readonly high: number;
} {
  const at = (moveBps: number): number => Number((lastPrice * Math.exp(moveBps / BPS_PER_UNIT)).toPrecision(PRICE_DIGITS));
  return { low: at(-minMoveBps), high: at(minMoveBps) };
}
const PRICE_DIGITS = 7;

/**
 * What a forecast means, in words: a move beyond the cost of the caller with an own threshold, with the default one an unusually large move, or
 * with `touched` that this price is reached; and whether the move can pay.
 */
export function markText(forecast: Told, touched?: { readonly price: number; readonly probability: number }): string {
  const { lastUs, futureUs, probability, minMoveBps, ownThreshold, costBps } = forecast;
  const until = `within ${formatSpan((futureUs - lastUs) / US_PER_MS)} (by ${writeTimestamp(futureUs).replace(/\.000$/, '')} UTC)`;
  if (touched !== undefined) return `The price ${touched.price} is reached ${until} with a probability of ${percent(touched.probability)}.`;
  const { low, high } = levelsOf(forecast);
  const move = ownThreshold
    ? `A move beyond your cost of ${short(minMoveBps)} bps`
    : `An unusually large move for this market, of more than ${short(minMoveBps)} bps`;
  const words = `${move}, below ${low} or above ${high}, ${until} has a probability of ${percent(probability)}.`;
  if (costBps === null || minMoveBps >= costBps) return words;
  return `${words} That is less than the spread of ${short(costBps)} bps: such a move does not pay.`;
}

const percent = (probability: number): string => `${Math.round(100 * probability)} %`;
const short = (value: number): string => String(Number(value.toPrecision(4)));
