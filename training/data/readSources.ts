import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { US_PER_MS, US_PER_SECOND } from '../../src/core/units.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import type { TickSource } from './TickSource.ts';
import { SummarySink } from './TickSummary.ts';

/**
 * A source over ticks in memory, such as generated ones: one segment and its own group. The hash covers timestamps and prices. Reports show
 * `fileName`. Throws RangeError for a series without ticks.
 */
export function sourceOfSeries(name: string, series: TickSeries, fileName: string): TickSource {
  if (series.timesUs.length === 0) throw new RangeError('sourceOfSeries: no ticks');
  const shared = { timesUs: inSharedMemory(series.timesUs), prices: inSharedMemory(series.prices) };
  const found = new SummarySink(fileName);
  found.add(shared.timesUs, shared.prices);
  const { rows, ...summary } = found.end();
  const sha256 = createHash('sha256').update(bytesOf(shared.timesUs)).update(bytesOf(shared.prices)).digest('hex');
  return { name, group: name, file: { name: fileName, sha256, rows }, ...summary, segments: () => [{ series: shared, from: 0, to: rows }] };
}

function inSharedMemory(values: Float64Array): Float64Array {
  if (values.buffer instanceof SharedArrayBuffer) return values;
  const shared = new Float64Array(new SharedArrayBuffer(values.byteLength));
  shared.set(values);
  return shared;
}

const bytesOf = (values: Float64Array): Uint8Array => new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** The source of a tick file, for the card. */
export type Source = {
  readonly file: string;
  readonly instrument: string;
  readonly source: string;
  readonly licence: string;
  /** Market class, such as `Foreign Exchange`. */
  readonly market?: string;
};

const FIELDS = ['file', 'instrument', 'source', 'licence'] as const;

/** Reads the JSON array of the file that `--sources` names; '' gives an empty list. Throws ServiceError `file.unreadable`. */
export function readSources(file: string): Source[] {
  if (file === '') return [];
  const refuse = (detail: string, cause?: unknown): never => {
    throw new ServiceError('file.unreadable', `The list of sources ${file} ${detail}.`, { cause });
  };
  let list: unknown;
  try {
    list = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return refuse(`cannot be read: ${(error as Error).message}`, error);
  }
  if (!Array.isArray(list)) return refuse('is not a JSON array');
  list.forEach((entry: Partial<Source> | null, at) => {
    const missing = FIELDS.find((field) => typeof entry?.[field] !== 'string');
    if (missing !== undefined) refuse(`has no string ${missing} in entry ${at}`);
    if (!['string', 'undefined'].includes(typeof entry?.market)) refuse(`has a market that is no string in entry ${at}`);
  });
  return list as Source[];
}

/** Figures of a source that a dry run prints. */
export type SourceReport = {
  readonly name: string;
  readonly group: string;
  readonly rows: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly from: string;
  readonly to: string;
  readonly spanHours: number;
  /** Median gap between two different timestamps, seconds. */
  readonly medianGapS: number;
  /** Fraction of ticks with the timestamp of the previous tick, in ms. */
  readonly equalTimestampFraction: number;
  /** UTC days with ticks. */
  readonly days: number;
  /** True if all prices are equal: there is nothing to learn. */
  readonly constant: boolean;
};

export function describeSources(sources: readonly TickSource[]): SourceReport[] {
  return sources.map(({ name, group, file, firstUs, lastUs, days, stats }) => ({
    name,
    group,
    rows: file.rows,
    from: isoOf(firstUs),
    to: isoOf(lastUs),
    spanHours: (lastUs - firstUs) / US_PER_SECOND / 3600,
    ...stats,
    days: days.length,
  }));
}

const isoOf = (us: number): string => new Date(Math.floor(us / US_PER_MS)).toISOString();

/** Ticks of each generated instrument: one day; the last seven hours are test data. */
const TICKS = 130_000;
const INSTRUMENTS = 5;
const HOUR_US = 3_600_000_000;

/**
 * Generated instruments, each with its own seed, hours and days, and therefore its own group. Bursts of ticks precede moves (the planted
 * signal), so a model that uses the tempo beats one that uses only past volatility.
 */
export function syntheticSources(seed: number, count = INSTRUMENTS, ticks = TICKS, signalStrength = 1): TickSource[] {
  return Array.from({ length: count }, (_, i) => {
    const startUs = Date.UTC(2024, 0, 2 + i) * 1000 + i * HOUR_US;
    const name = `synthetic-${seed + i}`;
    const series = syntheticTicks({ seed: seed + i, count: ticks, medianGapMs: 500, startUs, signalStrength });
    return sourceOfSeries(name, series, `${name} (generated)`);
  });
}
