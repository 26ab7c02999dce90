import { SeriesSink } from './SeriesSink.ts';
import { streamTickFile } from './streamTickFile.ts';
import { type TickFileKind } from './TickLines.ts';
import { type TickSeries } from './TickSeries.ts';

export type TickFile = {
  readonly path: string;
  readonly series: TickSeries;
  /** Rows of data: the ticks of the series. */
  readonly rows: number;
  /** SHA-256 in hexadecimal of the file's bytes as stored (compressed, where they are). */
  readonly sha256: string;
  readonly kind: TickFileKind;
};

/** Reads a tick file into memory, at most `MAX_ROWS` ticks. The format and the errors are those of `streamTickFile`. */
export async function readTickFile(path: string): Promise<TickFile> {
  const sink = new SeriesSink(path);
  const { rows, sha256, kind } = await streamTickFile(path, sink);
  return { path, series: sink.takeSeries(), rows, sha256, kind };
}
