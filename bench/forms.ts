import { gunzipSync, gzipSync } from 'node:zlib';
import { compileBodyChecks } from '../src/contract/compileBodyChecks.ts';
import { readTicks, readTicksByJson } from '../src/service/http/handlers/readTicks.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import { formatTimestamp } from '../src/ticks/timestamps.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { measure } from './measure.ts';

const TICKS = 500;
const HORIZON_US = 60_000_000;

/** The same ticks in each documented form of a body; the last entry is the future one. */
function formsOf(): Record<string, string> {
  const { timesUs, prices } = syntheticTicks({ seed: 1, count: TICKS });
  const allUs = [...timesUs, timesUs.at(-1)! + HORIZON_US];
  const Timestamp = allUs.map((us) => formatTimestamp(us));
  const listOf = (price: (value: number, i: number) => number): number[] => [...Array.from(prices, price), 0];
  const Price = listOf((price) => price);
  const body = { Timestamp, Price };
  // Bars of a minute with the same closes.
  const ends = [...Price.keys()].map((i) => formatTimestamp(60_000_000 * (Math.floor(timesUs[0]! / 60_000_000) + i)));
  const ranges = {
    Open: Price,
    High: listOf((price) => Number((1.01 * price).toFixed(2))),
    Low: listOf((price) => Number((0.99 * price).toFixed(2))),
  };
  return {
    compact: JSON.stringify(body),
    'indented by 2': JSON.stringify(body, null, 2),
    'epoch milliseconds': JSON.stringify({ Timestamp: allUs.map((us) => Math.floor(us / 1000)), Price }),
    'T, microseconds and +00:00': JSON.stringify({ Timestamp: Timestamp.map((text) => `${text.replace(' ', 'T')}000+00:00`), Price }),
    'nine digits of fraction': JSON.stringify({ Timestamp: Timestamp.map((text) => `${text}000000`), Price }),
    'one timestamp without fraction': JSON.stringify({ Timestamp: Timestamp.with(-1, formatTimestamp(allUs.at(-1)!, 0)), Price }),
    'Bid and Ask': JSON.stringify({ Timestamp, Bid: Price, Ask: listOf((price) => Number((price + 0.01).toFixed(2))) }),
    'prices of 16 or 17 digits': JSON.stringify({ Timestamp, Price: listOf((price, i) => price * (1 + 1e-9 * ((i % 7) + 1))) }),
    'bars, Close alone': JSON.stringify({ Timestamp: ends, Close: Price }),
    'bars with Open, High and Low': JSON.stringify({ Timestamp: ends, ...ranges, Close: Price }),
    'prices with an exponent': `{"Timestamp":${JSON.stringify(Timestamp)},"Price":[${Price.map((price) => price.toExponential()).join()}]}`,
  };
}

/** Steps of time and price between neighbours, as a compact form would send them. */
function differencesOf(compact: string): string {
  const { Timestamp, Price } = JSON.parse(compact) as { readonly Timestamp: readonly string[]; readonly Price: readonly number[] };
  const ms = Timestamp.map((text) => Math.floor(Date.parse(`${text.replace(' ', 'T')}Z`)));
  const cents = Price.map((price) => Math.round(100 * price));
  const steps = (values: readonly number[]): number[] => values.slice(1).map((value, i) => value - values[i]!);
  return JSON.stringify({ start: ms[0], dt: steps(ms), price: Price[0], step: 0.01, dp: steps(cents) });
}

/** What less bytes could save: the length of other forms, and the time to unpack one. */
async function sizeRows(forms: Readonly<Record<string, string>>): Promise<BenchRow[]> {
  const compact = forms['compact']!;
  const packed = gzipSync(compact, { level: 1 });
  const size = (what: string, value: number): BenchRow => ({
    ...{ what, value, unit: 'bytes', peer: 'compact', peerValue: compact.length, ratio: compact.length / value },
  });
  const [unpackUs = NaN, packUs = NaN] = await measure([() => gunzipSync(packed), () => gzipSync(compact, { level: 1 })]);
  return [
    size('compact, packed by gzip', packed.length),
    size('epoch milliseconds', forms['epoch milliseconds']!.length),
    size('differences of time and price as JSON', differencesOf(compact).length),
    size('two doubles a tick', 16 * TICKS),
    { what: 'unpacking the packed body', value: unpackUs, unit: 'us', peer: 'packing it', peerValue: packUs, ratio: packUs / unpackUs },
  ];
}

/** Ticks and answer of one body. */
async function row(what: string, text: string): Promise<BenchRow> {
  const [bytes, checks] = [Buffer.from(text), compileBodyChecks()];
  const barTime = text.includes('"Close"') ? 'close' : undefined;
  const [value = NaN, peerValue = NaN] = await measure([
    () => readTicks(bytes, checks, barTime).write(null),
    () => readTicksByJson(bytes, checks, barTime).write(null),
  ]);
  return { what, value, unit: 'us', peer: 'JSON and schema', peerValue, ratio: peerValue / value };
}

export const bench: Bench = {
  name: 'forms',
  about: `Bodies of ${TICKS} ticks in each form, from bytes to ticks and from timestamps to the answer, compared with JSON.parse and the schema.`,
  async run() {
    const rows: BenchRow[] = [];
    const forms = formsOf();
    for (const [what, text] of Object.entries(forms)) rows.push(await row(what, text));
    return [...rows, ...(await sizeRows(forms))];
  },
};
