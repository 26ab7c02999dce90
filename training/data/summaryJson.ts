import type { DayFingerprint } from '../../src/model/dayFingerprints.ts';
import type { TickStats, TickSummary } from './TickSummary.ts';

/** Increase it when the format changes, or the results of `SummarySink` for the same ticks. */
const VERSION = 1;

type Stored = {
  readonly version: number;
  readonly rows: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly days: readonly DayFingerprint[];
  readonly stats: TickStats;
  /** Arrays are little-endian in base64: years of minutes take a few megabytes. */
  readonly bars: { readonly barS: number; readonly index: string; readonly close: string };
};

export function summaryToJson(summary: TickSummary): string {
  const { rows, firstUs, lastUs, days, stats, bars } = summary;
  const base64 = (array: Int32Array | Float64Array): string =>
    Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');
  const packed = { barS: bars.barS, index: base64(bars.index), close: base64(bars.close) };
  return JSON.stringify({ version: VERSION, rows, firstUs, lastUs, days, stats, bars: packed } satisfies Stored);
}

/** Parses the summary of `rows` ticks; undefined if the text is damaged or belongs to another version or file. */
export function summaryFromJson(text: string, rows: number): TickSummary | undefined {
  let stored: Partial<Stored> | null;
  try {
    stored = JSON.parse(text) as Partial<Stored> | null;
  } catch {
    return undefined;
  }
  if (stored?.version !== VERSION || stored.rows !== rows) return undefined;
  const { firstUs, lastUs, days, stats, bars } = stored;
  if (firstUs === undefined || lastUs === undefined || days === undefined || stats === undefined || bars === undefined) return undefined;
  const index = new Int32Array(bytesOf(bars.index));
  const close = new Float64Array(bytesOf(bars.close));
  if (index.length !== close.length || days.reduce((sum, day) => sum + day.rows, 0) !== rows) return undefined;
  return { rows, firstUs, lastUs, days, stats, bars: { barS: bars.barS, index, close } };
}

function bytesOf(base64: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(base64, 'base64')).buffer;
}
