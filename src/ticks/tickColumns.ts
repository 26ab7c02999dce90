import { isEpochList } from '../core/isEpochList.ts';
import { BPS_PER_UNIT } from '../core/units.ts';
import { PRICE_LIMIT } from './TickSeries.ts';
import { epochUnitUs, parseEpochUs, parseTimestampUs, TIMESTAMP_MALFORMED } from './timestamps.ts';

/** All texts, or all numbers of one unit since 1970. */
export type Timestamps = readonly string[] | readonly number[];

/** Bids and asks, whose mid is the price. */
type Quotes = { readonly Bid: readonly number[]; readonly Ask: readonly number[] };

export type PriceLists = readonly number[] | Quotes;

export type PriceColumn = { readonly name: string; readonly values: readonly unknown[] };

const isQuotes = (prices: unknown): prices is Quotes => typeof prices === 'object' && prices !== null && 'Bid' in prices;

export function priceColumns(prices: PriceLists): readonly PriceColumn[] {
  if (isQuotes(prices)) {
    return [
      { name: 'Bid', values: prices.Bid },
      { name: 'Ask', values: prices.Ask },
    ];
  }
  return [{ name: 'Price', values: prices }];
}

export function isPrice(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < PRICE_LIMIT;
}

/** (ask - bid) / mid of the first `count` quotes, basis points; below 0 where quotes cross. */
export function spreadsBps({ Bid, Ask }: { readonly [side in keyof Quotes]: ArrayLike<number> }, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => (2 * BPS_PER_UNIT * (Ask[i] - Bid[i])) / (Ask[i] + Bid[i]));
}

/** The median of the spreads that are not NaN, at least 0; undefined if all are. */
export function medianSpreadBps(spreads: Float64Array): number | undefined {
  const known = spreads.filter((spread) => !Number.isNaN(spread)).sort();
  if (known.length === 0) return undefined;
  return Math.max(0, (known[(known.length - 1) >> 1] + known[known.length >> 1]) / 2);
}

/** Whether a move above 0 is smaller than the median spread, without sorting spreads that are not half and half on its two sides. */
export function isBelowMedian(moveBps: number, spreads: Float64Array): boolean {
  let [larger, known] = [0, 0];
  for (const spread of spreads) {
    if (Number.isNaN(spread)) continue;
    known++;
    if (spread > moveBps) larger++;
  }
  return 2 * larger === known ? known > 0 && moveBps < medianSpreadBps(spreads)! : 2 * larger > known;
}

/** Reads the entries of a list to microseconds, or a fault below 0. The first number decides the unit of all. */
export function timeReader(timestamps: Timestamps): (value: unknown) => number {
  if (!isEpochList(timestamps)) return (value) => (typeof value === 'string' ? parseTimestampUs(value) : TIMESTAMP_MALFORMED);
  const unitUs = epochUnitUs(timestamps[0] as number);
  return (value) => (typeof value === 'number' ? parseEpochUs(value, unitUs) : TIMESTAMP_MALFORMED);
}
