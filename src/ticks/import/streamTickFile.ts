import { plural } from '../../core/plural.ts';
import { MAX_ENTRIES, US_PER_MS } from '../../core/units.ts';
import type { BarWindow, Ranges } from '../BarWindow.ts';
import { medianSpreadBps, spreadsBps } from '../tickColumns.ts';
import { joinBlocks, SeriesSink, type TickSeries } from '../TickSeries.ts';
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

/** `keptSpreads`: of so many last quotes. */
export type ReadTickOptions = TickFileOptions & { readonly keptSpreads?: number };

/** Reads a tick file into memory, at most 100 million ticks. Formats and errors are the same as for `streamTickFile`. */
export async function readTickFile(path: string, { keptSpreads = KEPT_SPREADS, ...options }: ReadTickOptions = {}): Promise<TickFile> {
  const sink = new SeriesSink(shownPath(path));
  const spreads: Float64Array[] = [];
  const ranges: Readonly<Record<keyof Ranges, Float64Array[]>> = { open: [], high: [], low: [] };
  let held = 0;
  const streamed = await streamTickFile(
    path,
    {
      add: (timesUs, prices) => sink.add(timesUs, prices),
      addQuotes(_timesUs, bids, asks) {
        spreads.push(spreadsBps({ Bid: bids, Ask: asks }, bids.length));
        held += bids.length;
        while (held - spreads[0].length >= keptSpreads) held -= spreads.shift()!.length;
      },
      addBars(_endsUs, _closes, block) {
        if (block !== undefined) for (const name of ['open', 'high', 'low'] as const) ranges[name].push(block[name].slice());
      },
    },
    options,
  );
  const { bars } = streamed.report;
  const last = joinBlocks(spreads).subarray(Math.max(0, held - keptSpreads));
  const spreadBps = (count: number): number | undefined => medianSpreadBps(last.slice(-Math.min(count, MAX_ENTRIES - 1)));
  const { open, high, low } = ranges;
  const all = open.length === 0 ? undefined : { open: joinBlocks(open), high: joinBlocks(high), low: joinBlocks(low) };
  return {
    ...{ ...streamed, series: sink.takeSeries(), spreadBps, spreadsBps: last },
    ...(bars === undefined ? {} : { bars: { periodMs: bars.periodUs / US_PER_MS, ranges: all } }),
  };
}

/** A sentence about the rows without a tick, for commands that do not print all findings; undefined if there are none. */
export function leftOutNote(path: string, rows: number): string | undefined {
  if (rows === 0) return undefined;
  return `${path}: ${plural(rows, 'row')} without a usable price or timestamp ${rows === 1 ? 'was' : 'were'} left out; tickmark doctor FILE lists the reasons.`;
}
