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
  /** Spreads of the last ticks, as many as are kept, basis points; empty for a file without bid and ask. */
  readonly spreadsBps: Float64Array;
};

export const KEPT_SPREADS = 20_000;

/** The spreads of the last quotes. */
class LastSpreads {
  readonly #most: number;
  readonly #blocks: Float64Array[] = [];
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(bids: Float64Array, asks: Float64Array): void {
    this.#blocks.push(spreadsBps({ Bid: bids, Ask: asks }, bids.length));
    this.#count += bids.length;
    while (this.#count - this.#blocks[0].length >= this.#most) this.#count -= this.#blocks.shift()!.length;
  }

  take(): Float64Array {
    const all = new Float64Array(this.#count);
    let at = 0;
    for (const block of this.#blocks.splice(0)) {
      all.set(block, at);
      at += block.length;
    }
    return all.subarray(Math.max(0, all.length - this.#most));
  }
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

/** `keptSpreads`: of so many last quotes. */
export type ReadTickOptions = TickFileOptions & { readonly keptSpreads?: number };

/** Reads a tick file into memory, at most 100 million ticks. Formats and errors are the same as for `streamTickFile`. */
export async function readTickFile(path: string, { keptSpreads = KEPT_SPREADS, ...options }: ReadTickOptions = {}): Promise<TickFile> {
  const sink = new SeriesSink(shownPath(path));
  const quotes = new LastSpreads(keptSpreads);
  const ranges = new RangeColumns();
  const streamed = await streamTickFile(
    path,
    {
      add: (timesUs, prices) => sink.add(timesUs, prices),
      addQuotes: (_, bids, asks) => quotes.add(bids, asks),
      addBars: (_ends, _closes, block) => ranges.add(block),
    },
    options,
  );
  const { bars } = streamed.report;
  const spreads = quotes.take();
  const spreadBps = (count: number): number | undefined => medianSpreadBps(spreads.slice(-Math.min(count, MAX_ENTRIES - 1)));
  return {
    ...{ ...streamed, series: sink.takeSeries(), spreadBps, spreadsBps: spreads },
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
