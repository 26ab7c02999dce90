import type { LogicalType } from 'hyparquet/src/index.js';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { ImportOptions } from '../../src/ticks/import/ImportReport.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';

/** A tick of the series that every case holds, and the second market that some mix in. */
export type CaseTick = { readonly us: number; readonly price: number; readonly bid: number; readonly ask: number; readonly size: number };

export type FileCase = {
  /** The layout or the mishap, in words. */
  readonly name: string;
  readonly write: (ticks: readonly CaseTick[]) => string | Uint8Array;
  /** The ticks of a right reading. Default: the prices of all. */
  readonly ticks?: (ticks: readonly CaseTick[]) => readonly { readonly us: number; readonly price: number }[];
  /** Words of the refusal; undefined: it is read without a question. */
  readonly refused?: string;
  /** What the refusal says to add, with which the file is read right. */
  readonly then?: Partial<ImportOptions>;
  /** A finding that must be among those of the reading. */
  readonly finding?: string;
  /** Words that must stand in the plan by which it is read. */
  readonly plan?: string;
};

export const HOUR_US = 3_600_000_000;
export const DAY_US = 24 * HOUR_US;
export const START_US = Date.UTC(2024, 0, 19, 14, 30) * 1000;

/** A quiet market with a tick every 0.3 to 1.5 s; prices in quarters, sizes without order. */
export function caseTicks(count = 240, startUs = START_US): CaseTick[] {
  let us = startUs;
  let level = 0;
  let state = 7;
  const draw = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  return Array.from({ length: count }, () => {
    us += (300 + draw(1200)) * 1000;
    level += draw(5) - 2;
    const price = 4790.25 + level * 0.25;
    return { us, price, bid: price - 0.25, ask: price + 0.25, size: 1 + draw(60) };
  });
}

/** As `at`, and {price}, {bid}, {ask}, {size}, {us}, {ms}, {iso}, {plain} of a tick, {i} its place. */
export type Row = string | ((tick: CaseTick, i: number) => string);
const cells = (row: string, tick: CaseTick, i: number): string => {
  const { us } = tick;
  const all: Record<string, unknown> = { ...tick, i, ms: us / 1000, iso: iso(us), plain: plain(us) };
  return at(
    us,
    row.replace(/\{(\w{2,}|i)\}/g, (_, name: string) => String(all[name])),
  );
};
export const table =
  (header: string, row: Row, end = '\n') =>
  (ticks: readonly CaseTick[]): string =>
    [
      ...(header === '' ? [] : [header]),
      ...ticks.map((tick, i) => (typeof row === 'string' ? cells(row, tick, i) : row(tick, i))),
      '',
    ].join(end);

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/**
 * {Y} {M} {D} {h} {m} {s}, {f} milliseconds, {u} microseconds; {N} {d} {H} month, day and hour without a leading zero, {y} the year in two digits,
 * {B} and {b} the name of the month, whole and cut, {I} and {j} the hour of a clock of twelve, with and without it, {P} AM or PM.
 */
export function at(us: number, form: string): string {
  const [Y, M, D, h, m, s, u] = formatTimestamp(us, 6).split(/\D/) as [string, string, string, string, string, string, string];
  const [N, H] = [Number(M), Number(h)];
  const B = MONTHS[N - 1];
  const parts: Record<string, unknown> = {
    ...{ Y, M, D, h, m, s, u, f: u.slice(0, 3), N, H, d: Number(D), y: Y.slice(2), B, b: B.slice(0, 3) },
    ...{ I: String(H % 12 || 12).padStart(2, '0'), j: H % 12 || 12, P: H < 12 ? 'AM' : 'PM' },
  };
  return form.replace(/\{(\w)\}/g, (_, part: string) => String(parts[part]));
}
export const plain = (us: number): string => at(us, '{Y}-{M}-{D} {h}:{m}:{s}.{f}');
export const iso = (us: number): string => at(us, '{Y}-{M}-{D}T{h}:{m}:{s}.{f}Z');
export const ms = (us: number): number => us / 1000;
export const comma = (value: number): string => value.toFixed(2).replace('.', ',');
export const grouped = (value: number): string => value.toFixed(2).replace(/^(\d)(\d{3})/, '$1,$2');
export const big = (us: number, factor: bigint, offset: bigint): string => String(BigInt(us) * factor + offset);
export const whole = (ticks: readonly CaseTick[]): { us: number; price: number }[] =>
  ticks.map(({ us, price }) => ({ us: Math.floor(us / 1e6) * 1e6, price }));
export const shifted =
  (hours: number) =>
  (ticks: readonly CaseTick[]): { us: number; price: number }[] =>
    ticks.map(({ us, price }) => ({ us: us + hours * HOUR_US, price }));
export const every = (part: number, of: number) => (ticks: readonly CaseTick[]) => ticks.filter((_, i) => i % of === part);
export const without = (part: number, of: number) => (ticks: readonly CaseTick[]) => ticks.filter((_, i) => i % of !== part);
/** Lines of text below a header. */
export const file = (name: string, header: string, row: Row, more: Partial<FileCase> = {}): FileCase => ({
  ...{ name, write: table(header, row) },
  ...more,
});
export const one = (name: string, stamp: string | ((us: number) => string), more: Partial<FileCase> = {}): FileCase =>
  file(name, 'time,price', typeof stamp === 'string' ? `${stamp},{price}` : ({ us, price }) => `${stamp(us)},${price}`, more);
export const lines = (name: string, message: (tick: CaseTick, i: number) => unknown, more: Partial<FileCase> = {}): FileCase => ({
  name,
  write: table('', (tick, i) => JSON.stringify(message(tick, i))),
  ...more,
});
export const json = (name: string, value: (ticks: readonly CaseTick[]) => unknown, more: Partial<FileCase> = {}): FileCase => ({
  name,
  write: (ticks) => JSON.stringify(value(ticks)),
  ...more,
});
export const OTHER = { name: 'NQH4', factor: 3.5 };
export const other = (price: number): number => Math.round(price * OTHER.factor * 4) / 4;
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const own = table('timestamp,price', '{plain},{price}');
export const barTicks = (ticks: readonly CaseTick[]): CaseTick[] => ticks.map((tick, i) => ({ ...tick, us: START_US + i * 60_000_000 }));
export const atEnd = (ticks: readonly CaseTick[]): { us: number; price: number }[] =>
  barTicks(ticks).map(({ us, price }) => ({ us: us + 60_000_000, price }));
/** A tick at each second. */
export const secondTicks = (): CaseTick[] => secondBars(caseTicks());
export const secondBars = (ticks: readonly CaseTick[]): CaseTick[] => ticks.map((tick, i) => ({ ...tick, us: START_US + i * 1_000_000 }));
export const bar = ({ price }: CaseTick): string => `${price - 0.5},${price + 1},${price - 1},${price}`;
export const bars = (header: string, row: Row) => (ticks: readonly CaseTick[]) => table(header, row)(barTicks(ticks));

export const RAW_BID: ParquetColumn = { name: 'bid_price', data: ({ bid }) => rawBytes(bid), type: 'FIXED_LEN_BYTE_ARRAY' };
export const RAW_ASK: ParquetColumn = { name: 'ask_price', data: ({ ask }) => rawBytes(ask), type: 'FIXED_LEN_BYTE_ARRAY' };
export const RAW_TIME: ParquetColumn = { name: 'ts_event', data: ({ us }) => BigInt(us) * 1000n, type: 'INT64' };

/** As Nautilus writes prices: billionths, little end first. */
function rawBytes(price: number): Uint8Array {
  const raw = new Uint8Array(8);
  new DataView(raw.buffer).setBigInt64(0, BigInt(price * 100) * 10_000_000n, true);
  return raw;
}

export type ParquetColumn = {
  readonly name: string;
  readonly data: (tick: CaseTick) => unknown;
  readonly type: 'DOUBLE' | 'FLOAT' | 'INT32' | 'INT64' | 'STRING' | 'TIMESTAMP' | 'FIXED_LEN_BYTE_ARRAY';
  readonly logical?: LogicalType;
};

/** Columns with a logical type of their own, or of raw bytes, need a schema; the writer makes that of the others. */
export function parquet(
  name: string,
  columns: readonly ParquetColumn[],
  { precision, ...more }: Partial<FileCase> & { readonly precision?: string } = {},
): FileCase {
  const needsSchema = columns.some(({ logical, type }) => logical !== undefined || type === 'FIXED_LEN_BYTE_ARRAY');
  const schema = (): object[] => [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name: column, type, logical }) => ({
      ...{ name: column, type, repetition_type: 'REQUIRED' },
      ...(logical === undefined ? {} : { logical_type: logical }),
      ...(type === 'FIXED_LEN_BYTE_ARRAY' ? { type_length: 8 } : {}),
    })),
  ];
  return {
    name: `Parquet: ${name}`,
    write: (all) =>
      new Uint8Array(
        parquetWriteBuffer({
          columnData: columns.map(({ name: column, data, type }) => ({
            name: column,
            data: all.map(data),
            ...(needsSchema ? {} : { type }),
          })),
          ...(needsSchema ? { schema: schema() } : {}),
          ...(precision === undefined ? {} : { kvMetadata: [{ key: 'price_precision', value: precision }] }),
        } as unknown as Parameters<typeof parquetWriteBuffer>[0]),
      ),
    ...more,
  };
}

/** The evening of the day before, then the morning. */
export function session(ticks: readonly CaseTick[]): CaseTick[] {
  return ticks.map((tick, i) => ({ ...tick, us: tick.us - (i < 120 ? 17.5 : 5) * HOUR_US }));
}

export function aroundMidnight(ticks: readonly CaseTick[]): CaseTick[] {
  const midnight = START_US - (START_US % DAY_US);
  const shift = midnight - ticks[120].us;
  return ticks.map((tick) => ({ ...tick, us: tick.us + shift }));
}

/** Some neighbours change places. */
export function swapped(ticks: CaseTick[]): CaseTick[] {
  for (let i = 5; i < ticks.length - 1; i += 7) [ticks[i], ticks[i + 1]] = [ticks[i + 1], ticks[i]];
  return ticks;
}
