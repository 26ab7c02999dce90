import { ServiceError } from '../../src/core/ServiceError.ts';
import { US_PER_MS, US_PER_SECOND } from '../../src/core/units.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { TickStoreReader } from './TickStore.ts';

/**
 * Reusable shared memory for segments. The garbage collector does not count the size of a SharedArrayBuffer, so separate memory for each
 * segment would reach gigabytes before a collection.
 */
export class SegmentMemory {
  #ticks = 0;
  readonly #free: TickSeries[] = [];

  /** Declares the most ticks of a segment. Call it for all segments before the first `take`. */
  reserve(ticks: number): void {
    this.#ticks = Math.max(this.#ticks, ticks);
  }

  /** Arrays for the largest segment, with old content. Concurrent iterations get different arrays. */
  take(): TickSeries {
    const shared = (): Float64Array => new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT * this.#ticks));
    return this.#free.pop() ?? { timesUs: shared(), prices: shared() };
  }

  giveBack(series: TickSeries): void {
    this.#free.push(series);
  }
}

/**
 * A part of a series in memory. Ticks before `from` are lead-in for windows; labels need the ticks from `to` on. A segment is valid until
 * the iteration takes the next one or ends: then its memory is reused and `series` throws. Copy the ticks that you need longer.
 */
export type Segment = {
  /** Arrays over a SharedArrayBuffer, so that worker threads read them without a copy. */
  readonly series: TickSeries;
  /** Origins may be ticks [from, to) of the series. Every tick of the file is in the [from, to) of exactly one segment. */
  readonly from: number;
  readonly to: number;
};

export type SegmentOptions = {
  /** Most origins of a segment, except that ticks of one millisecond stay together. Lead-in and look-ahead are not counted. */
  readonly maxSegmentTicks: number;
  readonly leadTicks: number;
  readonly lookAheadS: number;
};

/** Ticks [first, end) of a file; ticks [from, to) may be origins. */
export type SegmentSpan = { readonly first: number; readonly from: number; readonly to: number; readonly end: number };

/** The segments of a tick file. About a hundred small reads per segment. Throws ServiceError file.unreadable. */
export function planSegments(file: string, { maxSegmentTicks, leadTicks, lookAheadS }: SegmentOptions): SegmentSpan[] {
  const reader = openStore(file);
  try {
    const { rows } = reader;
    const spans: SegmentSpan[] = [];
    for (let from = 0, to = 0; from < rows; from = to) {
      to = segmentEnd(reader, from, maxSegmentTicks);
      const untilUs = reader.timeAt(to - 1) + lookAheadS * US_PER_SECOND;
      // One tick more than labels need, to detect a session gap.
      const end = Math.min(rows, reader.firstAtOrAfter(untilUs + 1, to, rows) + 1);
      spans.push({ first: Math.max(0, from - leadTicks), from, to, end });
    }
    return spans;
  } finally {
    reader.close();
  }
}

/**
 * The end of a segment: at most `maxTicks` after `from`, and between two milliseconds, because labels use timestamps in ms and an origin is
 * the last tick of its timestamp.
 */
function segmentEnd(reader: TickStoreReader, from: number, maxTicks: number): number {
  const { rows } = reader;
  const wanted = from + maxTicks;
  if (wanted >= rows) return rows;
  const us = reader.timeAt(wanted);
  const ms = us - (us % US_PER_MS);
  const to = reader.firstAtOrAfter(ms, from, wanted);
  return to > from ? to : reader.firstAtOrAfter(ms + US_PER_MS, wanted, rows);
}

/**
 * Reads a tick file segment by segment. A segment is valid until the iteration takes the next one or ends: then its memory is reused and
 * reading its arrays throws. The file stays open during the iteration.
 *
 * @throws ServiceError file.unreadable if the file was removed, truncated or replaced
 */
export function* readSegments(file: string, spans: readonly SegmentSpan[], memory: SegmentMemory): Generator<Segment> {
  const reader = openStore(file);
  const arrays = memory.take();
  try {
    for (const { first, from, to, end } of spans) {
      const series = { timesUs: arrays.timesUs.subarray(0, end - first), prices: arrays.prices.subarray(0, end - first) };
      reader.read(first, series.timesUs, series.prices);
      const lent = new LentSeries(series);
      try {
        yield { series: lent.series, from: from - first, to: to - first };
      } finally {
        lent.end();
      }
    }
  } finally {
    memory.giveBack(arrays);
    reader.close();
  }
}

/** A series whose arrays are available until `end`. Later access throws instead of reading the ticks of another segment. */
class LentSeries {
  readonly series: TickSeries;
  #lent: TickSeries | undefined;

  constructor(lent: TickSeries) {
    this.#lent = lent;
    const held = (): TickSeries => {
      if (this.#lent === undefined) throw new Error('this segment is no longer valid: its memory was reused');
      return this.#lent;
    };
    // Own and enumerable properties, so that a message to a thread contains the arrays.
    this.series = {
      get timesUs() {
        return held().timesUs;
      },
      get prices() {
        return held().prices;
      },
    };
  }

  end(): void {
    this.#lent = undefined;
  }
}

export function openStore(file: string): TickStoreReader {
  const reader = TickStoreReader.open(file);
  if (reader !== undefined) return reader;
  throw new ServiceError('file.unreadable', `${file} was removed or changed during the run. Start the run again.`);
}
