import { isEpochList } from '../core/isEpochList.ts';
import { midPrice } from './midPrice.ts';
import { PRICE_LIMIT } from './TickSeries.ts';
import { epochUnitUs, parseEpochUs, parseTimestampUs, TIMESTAMP_MALFORMED } from './timestamps.ts';

/** All texts, or all numbers of one unit since 1970. */
export type Timestamps = readonly string[] | readonly number[];

/** Bids and asks, whose mid is the price. */
type Quotes = { readonly Bid: readonly number[]; readonly Ask: readonly number[] };

export type PriceLists = readonly number[] | Quotes;

export type PriceColumn = { readonly name: 'Price' | 'Bid' | 'Ask'; readonly values: readonly unknown[] };

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

/** The price of an entry: of one column as it was sent, of two the mid. NaN if a value is no price. */
export function readPrice(columns: readonly PriceColumn[], index: number): number {
  const first = columns[0]!.values[index];
  if (!isPrice(first)) return NaN;
  if (columns.length === 1) return first;
  const second = columns[1]!.values[index];
  if (!isPrice(second)) return NaN;
  return midPrice(first, second);
}

/** Reads the entries of a list to microseconds, or a fault below 0. The first number decides the unit of all. */
export function timeReader(timestamps: Timestamps): (value: unknown) => number {
  if (!isEpochList(timestamps)) return (value) => (typeof value === 'string' ? parseTimestampUs(value) : TIMESTAMP_MALFORMED);
  const unitUs = epochUnitUs(timestamps[0] as number);
  return (value) => (typeof value === 'number' ? parseEpochUs(value, unitUs) : TIMESTAMP_MALFORMED);
}
