import { ServiceError } from '../../src/core/ServiceError.ts';
import { US_PER_MS, US_PER_SECOND } from '../../src/core/units.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import type { SegmentMemory } from './SegmentMemory.ts';
import type { Segment } from './TickSource.ts';
import { TickStoreReader } from './TickStore.ts';

export type SegmentOptions = {
  /** Most origins of a segment; ticks of one millisecond stay together even beyond it. Lead-in and look-ahead come on top. */
  readonly maxSegmentTicks: number;
  readonly leadTicks: number;
  readonly lookAheadS: number;
};

/** Ticks [first, end) of a file, of which [from, to) may be origins. */
export type SegmentSpan = { readonly first: number; readonly from: number; readonly to: number; readonly end: number };

/** Where to cut a file of ticks. Some hundred small reads a segment. Throws ServiceError file.unreadable. */
export function planSegments(file: string, sha256: string, { maxSegmentTicks, leadTicks, lookAheadS }: SegmentOptions): SegmentSpan[] {
  const reader = openStore(file, sha256);
  try {
    const { rows } = reader.header;
    const spans: SegmentSpan[] = [];
    for (let from = 0, to = 0; from < rows; from = to) {
      to = segmentEnd(reader, from, maxSegmentTicks);
      const untilUs = reader.timeAt(to - 1) + lookAheadS * US_PER_SECOND;
      // One tick more than labels need: it shows whether a session gap follows.
      const end = Math.min(rows, reader.firstAtOrAfter(untilUs + 1, to, rows) + 1);
      spans.push({ first: Math.max(0, from - leadTicks), from, to, end });
    }
    return spans;
  } finally {
    reader.close();
  }
}

/** At most `maxTicks` after `from`, and between two milliseconds: labels see stamps cut to ms, and an origin is the last tick of its stamp. */
function segmentEnd(reader: TickStoreReader, from: number, maxTicks: number): number {
  const { rows } = reader.header;
  const wanted = from + maxTicks;
  if (wanted >= rows) return rows;
  const us = reader.timeAt(wanted);
  const ms = us - (us % US_PER_MS);
  const to = reader.firstAtOrAfter(ms, from, wanted);
  return to > from ? to : reader.firstAtOrAfter(ms + US_PER_MS, wanted, rows);
}

/**
 * The ticks of a file of ticks, segment by segment. A segment is over when the next one is taken or the iteration ends: its memory is
 * used again, and to ask it for its arrays throws. The file is open as long as the iteration.
 *
 * @throws ServiceError file.unreadable where the file is gone, cut short or another one than it was
 */
export function* readSegments(file: string, sha256: string, spans: readonly SegmentSpan[], memory: SegmentMemory): Generator<Segment> {
  const reader = openStore(file, sha256);
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

/** A series whose arrays are handed out until `end`: whoever kept it is told, instead of reading the ticks of another segment. */
class LentSeries {
  readonly series: TickSeries;
  #lent: TickSeries | undefined;

  constructor(lent: TickSeries) {
    this.#lent = lent;
    const held = (): TickSeries => {
      if (this.#lent === undefined) throw new Error('this segment is over: its memory holds other ticks');
      return this.#lent;
    };
    // Own and enumerable, so that a message to a thread carries the arrays.
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

function openStore(file: string, sha256: string): TickStoreReader {
  const reader = TickStoreReader.open(file);
  if (reader?.header.sha256 === sha256) return reader;
  reader?.close();
  throw new ServiceError('file.unreadable', `${file} was removed or changed during the run: start it again.`);
}
