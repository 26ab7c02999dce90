import { expect } from 'chai';
import { compileBodyChecks } from '../../src/contract/compileBodyChecks.ts';
import { writeLastAnswer } from '../../src/contract/writeForecastAnswer.ts';
import type { BarTime } from '../../src/core/barTime.ts';
import { seededRandom, type Random } from '../../src/core/Random.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import {
  readObserved,
  readObservedByJson,
  readTicks,
  readTicksByJson,
  type ObservedTicks,
  type SentTicks,
} from '../../src/service/http/handlers/readTicks.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { scanObserved, scanTickBody } from '../../src/ticks/scanTickBody.ts';

const BODIES = 2_000;
const checks = compileBodyChecks();

/** Texts that break careless parsers, inserted anywhere in a body. */
const SNIPPETS = [
  '"', '\\', ',', ',,', ':', '.', '-', '+', 'e', 'E5', '1e999', '0', '00', '01', '0.0', '-0', '1.', '.5', 'null', 'true', '[]', '{}', '{', '}', '[', ']',
  '\\u0031', '\\"', 'é', '\u2028', '\0', ' ', '\n', '\t', '\ufeff', '"Price":[1],', '"Timestamp":[],', '"x":1,', '9'.repeat(20), 'Z', 'T', '+00:00', '-05:00', '"Bid":[1],',
  '"2024-02-30 00:00:00.000"', '123456789012345678', '1234567890123', '.1234567', '__proto__', 'NaN', '/**/',
]; // prettier-ignore

const SUFFIXES = ['', 'Z', '+00:00', '+02:00', '-0330', '+11'];

/** A valid body in one of the allowed formats, as JSON.stringify or another writer formats it. */
function goodBody(random: Random, hasFuture = true): string {
  const pick = (count: number): number => Math.floor(random.uniform() * count);
  const count = random.uniform() < 0.05 ? 199 + pick(3) : 200 + pick(6);
  const digits = [3, 3, 3, 0, 6, 1, 7, 9][pick(8)];
  const [mark, separator, suffix] = [pick(8) === 0 ? ':' : '.', pick(4) === 0 ? 'T' : ' ', SUFFIXES[pick(SUFFIXES.length)]];
  const space = [',', ', ', ',\n  '][pick(3)];
  let us = Date.UTC(2024, pick(12), 1 + pick(28), pick(24), 59) * 1000;
  const isShort = pick(4) === 0;
  const isBars = pick(3) === 0;
  const epochUs = [0, 0, 1, 1000][pick(4)];
  const stamps = Array.from({ length: count }, (_, i) => {
    us += isBars
      ? i === count - 1
        ? 240_000_000
        : 60_000_000 * [1, 1, 1, 3][pick(4)]
      : i === count - 1
        ? 1_000_000
        : [0, 1000, 250_000, 60_000_000][pick(4)];
    if (epochUs > 0) return String(Math.floor(us / epochUs));
    const fraction = String(us % 1_000_000)
      .padStart(6, '0')
      .padEnd(9, '0');
    // Some writers leave out a fraction of 0.
    const hasFraction = digits > 0 && !(isShort && us % 1_000_000 === 0);
    return `"${formatTimestamp(us).slice(0, 19).replace(' ', separator)}${hasFraction ? mark + fraction.slice(0, digits) : ''}${suffix}"`;
  });
  const decimals = pick(7);
  // As they are written, with all digits of a mid, with an exponent.
  const write = [(price: number) => price.toFixed(decimals), String, (price: number) => price.toExponential(decimals)][pick(3)];
  const prices = (least = 100): string =>
    stamps
      .map((_, i) => (i === count - 1 && hasFuture ? ['0', '0.0', '0', '-0', '0e0'][pick(5)] : write(least + random.uniform())))
      .join(space);
  const ranges = [`"Open":[${prices()}]`, `"High": [${prices(102)}]`, `"Low":[${prices(98)}]`];
  const bars = [...(pick(3) === 0 ? [] : ranges), `"Close":[${prices()}]`, ...(pick(3) === 0 ? [`"Volume":[${prices()}]`] : [])];
  const ticks = pick(3) === 0 ? [`"Bid":[${prices()}]`, `"Ask": [${prices()}]`] : [`"Price": [${prices()}]`];
  const sides = isBars ? bars : ticks;
  const lists = [`"Timestamp":${pick(2) === 0 ? ' ' : ''}[${stamps.join(space)}]`, ...sides];
  if (pick(4) === 0) lists.reverse();
  return `{${lists.join(space)}}`;
}

/** Mostly one that fits the body. */
function barTimeFor(body: Buffer, random: Random): BarTime | undefined {
  const fits = body.includes('"Close"') === random.uniform() < 0.95;
  return fits ? (random.uniform() < 0.5 ? 'open' : 'close') : undefined;
}

/** 0 to 3 changes at any position. */
function changed(text: string, random: Random): Buffer {
  let body = text;
  const pick = (count: number): number => Math.floor(random.uniform() * count);
  for (let changes = pick(4); changes > 0; changes--) {
    const at = pick(body.length);
    const snippet = SNIPPETS[pick(SNIPPETS.length)];
    const kind = pick(4);
    if (kind === 0) body = body.slice(0, at) + body.slice(at + 1 + pick(30));
    else if (kind === 1) body = body.slice(0, at) + snippet + body.slice(at);
    else if (kind === 2) body = body.slice(0, at) + snippet + body.slice(at + snippet.length);
    else body = body.slice(0, at) + String(pick(10)) + body.slice(at + 1);
  }
  const bytes = Buffer.from(body);
  if (pick(50) === 0) bytes[pick(bytes.length)] = pick(256);
  return bytes;
}

type Outcome = {
  readonly ticks?: Pick<SentTicks['ticks'], 'series' | 'futureUs'> & { readonly spread: unknown; readonly bars: unknown };
  readonly answer?: string;
  readonly last?: string;
  readonly refused?: unknown;
};

function outcomeOf(read: () => SentTicks): Outcome {
  try {
    const { ticks, futureStamp, write } = read();
    const last = writeLastAnswer(futureStamp(), null);
    const spread = `${ticks.spreadBps?.()} ${ticks.isCrossed?.()}`;
    return { ticks: { series: ticks.series, futureUs: ticks.futureUs, spread, bars: barsText(ticks) }, answer: write(1).toString(), last };
  } catch (error) {
    expect(error).to.be.instanceOf(ServiceError);
    const { code, message, errors } = error as ServiceError;
    return { refused: { code, message, errors } };
  }
}

describe('readObserved', () => {
  it(`agrees with JSON, schema and parseObservedTicks on ${BODIES / 10} bodies`, () => {
    const random = seededRandom(2025);
    const good = Array.from({ length: BODIES / 100 }, () => goodBody(random, false));
    const outcome = (read: () => ObservedTicks): unknown => {
      try {
        const { series, bars, spreadBps, isCrossed, stampOf } = read();
        return [
          [...series.timesUs],
          [...series.prices],
          barsText({ bars }),
          spreadBps?.(),
          isCrossed?.(),
          stampOf(series.timesUs.at(-1)! + 1e7),
        ];
      } catch (error) {
        const { code, message, errors } = error as ServiceError;
        return { code, message, errors };
      }
    };
    let short = 0;
    for (let i = 0; i < BODIES / 10; i++) {
      const bytes = changed(good[i % good.length], random);
      const barTime = barTimeFor(bytes, random);
      if (scanObserved(bytes, barTime) !== undefined) short++;
      const [one, other] = [readObserved, readObservedByJson].map((read) => JSON.stringify(outcome(() => read(bytes, checks, barTime))));
      if (one !== other) expect.fail(`${bytes.toString('latin1')} is read as ${one}, not as ${other}`);
    }
    expect(short).to.be.above(BODIES / 100);
  });
});

describe('readTicks', () => {
  it(`agrees with JSON, schema and parseTickRequest on ${BODIES} bodies: ticks, results, errors and pointers`, () => {
    const random = seededRandom(2024);
    const good = Array.from({ length: BODIES / 100 }, () => goodBody(random));
    const count = { short: 0, long: 0, refused: 0 };
    let bars = 0;
    for (let i = 0; i < BODIES; i++) {
      const bytes = changed(good[i % good.length], random);
      const barTime = barTimeFor(bytes, random);
      const isShort = scanTickBody(bytes, barTime) !== undefined;
      if (isShort && barTime !== undefined) bars++;
      const long = outcomeOf(() => readTicksByJson(bytes, checks, barTime));
      // Bodies that are not scanned take the general path; only one in ten is compared.
      const short = isShort || i % 10 === 0 ? outcomeOf(() => readTicks(bytes, checks, barTime)) : long;
      // Compares two lists of numbers without an assertion each; deep.equal of all would take minutes.
      const isSame =
        short.answer === long.answer &&
        short.last === long.last &&
        (i % 10 !== 0 || short.last === (long.refused === undefined ? lastByJson(bytes) : undefined)) &&
        short.ticks?.futureUs === long.ticks?.futureUs &&
        short.ticks?.spread === long.ticks?.spread &&
        short.ticks?.bars === long.ticks?.bars &&
        isSameNumbers(short.ticks?.series.timesUs, long.ticks?.series.timesUs) &&
        isSameNumbers(short.ticks?.series.prices, long.ticks?.series.prices);
      if (!isSame) expect.fail(`body ${i} is read differently: ${bytes.toString('latin1')}`);
      if (long.refused !== undefined) expect(short.refused).to.deep.equal(long.refused);
      count[long.refused !== undefined ? 'refused' : isShort ? 'short' : 'long']++;
    }
    // Every path was taken.
    for (const [way, times] of Object.entries(count)) expect(times, way).to.be.above(BODIES / 20);
    expect(bars).to.be.above(BODIES / 30);
  });
});

function barsText({ bars }: { readonly bars?: SentTicks['ticks']['bars'] | undefined }): string {
  const { open = [], high = [], low = [] } = bars?.ranges ?? {};
  return JSON.stringify([bars?.periodMs, [...open], [...high], [...low]]);
}

/** The last timestamp according to JSON.parse. */
function lastByJson(bytes: Buffer): string {
  const { Timestamp } = JSON.parse(bytes.toString()) as { Timestamp: (string | number)[] };
  return JSON.stringify({ timestamp: String(Timestamp.at(-1)), trend_identified: 1, status: 'identified', reason: null });
}

function isSameNumbers(one: Float64Array | undefined, other: Float64Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.length === other.length && one.every((value, i) => value === other[i]);
}
