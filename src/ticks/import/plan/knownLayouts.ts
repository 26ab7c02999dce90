import { type Column, movementOf, movesBySteps } from './columns.ts';
import { POINT_FORM } from './numbers.ts';
import type { PricePlan } from './PricePlan.ts';
import type { Table } from './Table.ts';

/** Fewer rows show little of how a column moves. */
const MIN_ROWS = 30;

export type BinanceShape = 'trades' | 'aggtrades' | 'klines';

/** Trades, aggTrades and klines of Binance, which had no header for years, by all of their columns. */
export function binanceShape({ rows, names }: Pick<Table, 'rows' | 'names'>): BinanceShape | undefined {
  if (names !== undefined) return undefined;
  const first = rows[0];
  const all = (at: number, look: RegExp): boolean => rows.every((row) => look.test(row[at] ?? ''));
  const isFlag = (at: number): boolean => all(at, /^(?:true|false)$/i);
  const isEpoch = (at: number): boolean => /^(?:\d{13}|\d{16})$/.test(first[at] ?? '');
  const isWhole = (at: number): boolean => all(at, /^\d+$/);
  const value = (row: readonly string[], at: number): number => Number(row[at]);
  if (isWhole(0) && isEpoch(4) && isFlag(5) && (first.length === 6 || (first.length === 7 && isFlag(6)))) return 'trades';
  if (isWhole(0) && isWhole(3) && isWhole(4) && isEpoch(5) && isFlag(6) && (first.length === 7 || (first.length === 8 && isFlag(7))))
    return 'aggtrades';
  const isBars = (): boolean =>
    rows.every(
      (row) =>
        value(row, 2) >= Math.max(value(row, 1), value(row, 4)) &&
        value(row, 3) <= Math.min(value(row, 1), value(row, 4)) &&
        value(row, 3) > 0,
    );
  if (first.length === 12 && isEpoch(0) && isEpoch(6) && isBars()) return 'klines';
  return undefined;
}

/** A table without a header whose columns, all of them, are those of a known source. */
export function knownPlan(table: Table, columns: readonly Column[]): { readonly time: number; readonly prices: PricePlan } | undefined {
  const plan = (firstColumn: number, evidence: string, kind: PricePlan['kind'] = 'trades', range: readonly number[] = []): PricePlan => ({
    ...{ kind, firstColumn, askColumn: -1, range, form: POINT_FORM, divisor: 1, evidence },
  });
  const shape = binanceShape(table);
  if (shape === 'klines') return { time: 0, prices: plan(4, 'klines of Binance', 'bars', [1, 2, 3]) };
  // Of an order number between a sum and a flag the columns may look the same.
  const second = movementOf(columns[1].numbers[0]?.values ?? []);
  const isPrice = table.rows.length < MIN_ROWS || second.isConstant || movesBySteps(second);
  if (shape !== undefined && isPrice) return { time: shape === 'trades' ? 4 : 5, prices: plan(1, `${shape} of Binance`) };
  if (table.names !== undefined) return undefined;
  // NinjaTrader 8: 20240109 143001 0530000;last;bid;ask;volume
  if (table.width === 5 && columns[0].texts.every((text) => /^\d{8} \d{6} \d{7}$/.test(text))) {
    const [last, bid, ask] = [1, 2, 3].map((at) => columns[at].numbers[0]?.values ?? []);
    const isBetween = last!.length > 0 && ask!.every((value, i) => value >= bid![i]) && movementOf(last!).positive === 1;
    if (isBetween) return { time: 0, prices: plan(1, 'ticks of NinjaTrader: last, bid, ask, volume') };
  }
  return undefined;
}
