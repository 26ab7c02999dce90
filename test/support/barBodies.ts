import type { Random } from '../../src/core/Random.ts';
import type { BarLists } from '../../src/ticks/parseBarRequest.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';

const US_PER_SECOND = 1_000_000;

export type BarOptions = {
  /** With the future entry, if there is one. */
  readonly count: number;
  readonly periodS?: number;
  readonly hasFuture?: boolean;
  readonly closesOnly?: boolean;
  readonly hasVolume?: boolean;
  /** Of the first timestamp. */
  readonly startUs?: number;
  /** Fraction of bars that are missing. */
  readonly missing?: number;
  /** Bars that the future timestamp is after the last one. */
  readonly ahead?: number;
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] | undefined ? E[] : T[K] };
/** Lists that a test may change. */
export type BarBody = { Timestamp: string[]; Close: number[] } & Mutable<Omit<BarLists, 'Timestamp' | 'Close'>>;

/** A body of bars that keeps all rules: a walk of prices with two decimals, whose timestamps are those of `bar_time=close`. */
export function barBody(random: Random, options: BarOptions): BarBody {
  const { count, periodS = 60, hasFuture = true, closesOnly = false, hasVolume = false, missing = 0, ahead = 5 } = options;
  const periodUs = periodS * US_PER_SECOND;
  let us = options.startUs ?? Date.UTC(2024, 0, 2, 9) * 1000;
  let cents = 10_000;
  const body = { Timestamp: [] as string[], Close: [] as number[], Open: [] as number[], High: [] as number[], Low: [] as number[] };
  const Volume: number[] = [];
  for (let i = 0; i < count; i++) {
    if (hasFuture && i === count - 1) {
      body.Timestamp.push(formatTimestamp(us + (ahead - 1) * periodUs));
      for (const list of [body.Close, body.Open, body.High, body.Low, Volume]) list.push(0);
      break;
    }
    const step = (): number => Math.round(20 * random.uniform()) - 10;
    const open = cents + step();
    const close = Math.max(100, open + step());
    const high = Math.max(open, close) + Math.abs(step());
    const low = Math.min(open, close) - Math.floor(5 * random.uniform());
    cents = close;
    body.Timestamp.push(formatTimestamp(us));
    body.Open.push(open / 100);
    body.High.push(high / 100);
    body.Low.push(low / 100);
    body.Close.push(close / 100);
    Volume.push(Math.floor(1000 * random.uniform()));
    us += periodUs * (random.uniform() < missing ? 2 + Math.floor(3 * random.uniform()) : 1);
  }
  const { Timestamp, Close } = body;
  return { ...(closesOnly ? { Timestamp, Close } : body), ...(hasVolume ? { Volume } : {}) };
}

/** The same bars, stamped with their beginnings; the future timestamp is a moment and stays. */
export function stampedAtOpen(body: BarBody, periodS = 60, hasFuture = true): BarBody {
  const last = body.Timestamp.length - 1;
  const Timestamp = body.Timestamp.map((stamp, i) => {
    if (hasFuture && i === last) return stamp;
    return formatTimestamp(Date.parse(`${stamp.replace(' ', 'T')}Z`) * 1000 - periodS * US_PER_SECOND);
  });
  return { ...body, Timestamp };
}
