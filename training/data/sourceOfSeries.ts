import { createHash } from 'node:crypto';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
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
