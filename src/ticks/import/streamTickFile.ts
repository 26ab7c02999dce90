import { plural } from '../../core/plural.ts';
import { MAX_ENTRIES, US_PER_MS } from '../../core/units.ts';
import type { BarWindow } from '../BarWindow.ts';
import { medianSpreadBps, spreadsBps } from '../tickColumns.ts';
import { SeriesSink, type TickSeries } from '../TickSeries.ts';
import { fileChunks, shownPath } from './bytes/fileChunks.ts';
import { NODE_DECODERS } from './bytes/nodeDecoders.ts';
import type { ImportOptions, ImportReport, ImportSink } from './ImportReport.ts';
import { importTicks } from './importTicks.ts';

export type TickFileOptions = Pick<ImportOptions, 'zone' | 'dateOrder' | 'columns' | 'symbol' | 'event' | 'barTime'>;

export type StreamedTickFile = {
  /** The path for messages: `standard input` for `-`. */
  readonly path: string;
  /** Number of ticks passed to the sink. */
  readonly rows: number;
  /** SHA-256 (hex) and number of the bytes as stored, compressed or not. */
  readonly sha256: string;
  readonly bytes: number;
  readonly report: ImportReport;
};

/**
 * Passes the ticks of a file of any known format, or of standard input where the path is `-`, to a sink, in time order and bounded memory.
 *
 * @throws ServiceError file.unreadable if the file cannot be opened or read, and what `importTicks` throws. Exceptions of the sink pass through.
 */
export async function streamTickFile(path: string, sink: ImportSink, options: TickFileOptions = {}): Promise<StreamedTickFile> {
  const file = await fileChunks(path);
  const report = await importTicks(file.chunks, sink, { name: file.name, ...NODE_DECODERS, ...options });
  return { path: file.name, rows: report.ticks, sha256: file.sha256(), bytes: file.bytes(), report };
}

export type TickFile = StreamedTickFile & {
  readonly series: TickSeries;
  /** Of a file of bars, whose series is their closes at their ends. */
  readonly bars?: BarWindow;
  /** Median spread of the last `count` quotes, 3000 at most, basis points; undefined for a file without bid and ask. */
  spreadBps(count: number): number | undefined;
  /** Spreads of the last ticks, KEPT_SPREADS at most, basis points; empty for a file without bid and ask. */
  readonly spreadsBps: Float64Array;
};

export const KEPT_SPREADS = 20_000;

/** The spreads of the last quotes. */
class LastSpreads {
  #spreads = new Float64Array();

  add(bids: Float64Array, asks: Float64Array): void {
    const count = Math.min(bids.length, KEPT_SPREADS);
    const before = this.#spreads.subarray(Math.max(0, this.#spreads.length + count - KEPT_SPREADS));
    const kept = new Float64Array(before.length + count);
    kept.set(before);
    kept.set(spreadsBps({ Bid: bids.subarray(-count), Ask: asks.subarray(-count) }, count), before.length);
    this.#spreads = kept;
  }

  get last(): Float64Array {
    return this.#spreads;
  }

  readonly median = (count: number): number | undefined => medianSpreadBps(this.#spreads.slice(-Math.min(count, MAX_ENTRIES - 1)));
}

/** Open, high and low of the bars of a file. */
class RangeColumns {
  readonly #blocks: NonNullable<BarWindow['ranges']>[] = [];

  add(ranges: BarWindow['ranges']): void {
    if (ranges === undefined) return;
    const { open, high, low } = ranges;
    this.#blocks.push({ open: open.slice(), high: high.slice(), low: low.slice() });
  }

  /** Undefined without any. */
  get all(): BarWindow['ranges'] {
    if (this.#blocks.length === 0) return undefined;
    const joined = (of: 'open' | 'high' | 'low'): Float64Array => {
      const rows = this.#blocks.reduce((sum, block) => sum + block[of].length, 0);
      const all = new Float64Array(rows);
      let at = 0;
      for (const block of this.#blocks) {
        all.set(block[of], at);
        at += block[of].length;
      }
      return all;
    };
    return { open: joined('open'), high: joined('high'), low: joined('low') };
  }
}

/** Reads a tick file into memory, at most 100 million ticks. Formats and errors are the same as for `streamTickFile`. */
export async function readTickFile(path: string, options: TickFileOptions = {}): Promise<TickFile> {
  const sink = new SeriesSink(shownPath(path));
  const spreads = new LastSpreads();
  const ranges = new RangeColumns();
  const streamed = await streamTickFile(
    path,
    {
      add: (timesUs, prices) => sink.add(timesUs, prices),
      addQuotes: (_, bids, asks) => spreads.add(bids, asks),
      addBars: (_ends, _closes, block) => ranges.add(block),
    },
    options,
  );
  const { bars } = streamed.report;
  return {
    ...{ ...streamed, series: sink.takeSeries(), spreadBps: spreads.median, spreadsBps: spreads.last },
    ...(bars === undefined ? {} : { bars: withRanges(bars.periodUs, ranges.all) }),
  };
}

const withRanges = (periodUs: number, ranges: BarWindow['ranges']): BarWindow => ({
  periodMs: periodUs / US_PER_MS,
  ranges,
});

/** A sentence about the rows without a tick, for commands that do not print all findings; undefined if there are none. */
export function leftOutNote(path: string, rows: number): string | undefined {
  if (rows === 0) return undefined;
  return `${path}: ${plural(rows, 'row')} without a usable price or timestamp ${rows === 1 ? 'was' : 'were'} left out; tickmark doctor FILE lists the reasons.`;
}
