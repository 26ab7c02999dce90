import { SeriesSink } from './SeriesSink.ts';
import { streamTickFile } from './streamTickFile.ts';
import type { TickFileKind } from './TickLines.ts';
import type { TickSeries } from './TickSeries.ts';

export type TickFile = {
  readonly path: string;
  readonly series: TickSeries;
  /** Number of ticks in the series. */
  readonly rows: number;
  /** SHA-256 (hex) of the file as stored, compressed or not. */
  readonly sha256: string;
  readonly kind: TickFileKind;
};

/** Reads a tick file into memory, at most `MAX_ROWS` ticks. Format and errors are the same as for `streamTickFile`. */
export async function readTickFile(path: string): Promise<TickFile> {
  const sink = new SeriesSink(path);
  const { rows, sha256, kind } = await streamTickFile(path, sink);
  return { path, series: sink.takeSeries(), rows, sha256, kind };
}
