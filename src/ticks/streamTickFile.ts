import { type TickFileKind, TickLines } from './TickLines.ts';
import { type TickSink, SeriesSink, type TickSeries } from './TickSeries.ts';
import { readFileBytes } from './readFileBytes.ts';

export type StreamedTickFile = {
  readonly path: string;
  /** Number of ticks passed to the sink. */
  readonly rows: number;
  /** SHA-256 (hex) and number of the bytes as stored, compressed or not. */
  readonly sha256: string;
  readonly bytes: number;
  readonly kind: TickFileKind;
};

/**
 * Passes the ticks of a CSV file to `sink` in one pass and bounded memory. Gzip is detected by the first bytes, not by the name.
 * Header: `timestamp,bid,ask` (prices are mids rounded to 9 decimals) or `timestamp,price`, in upper or lower case. Timestamps: the format
 * of `parseTimestampUs`, the same in the whole file, in ascending order. A byte order mark, CRLF and blank lines at the end are accepted;
 * quoted fields are not.
 *
 * @param path a regular file
 * @throws ServiceError file.unreadable if the file cannot be opened or read; file.malformed with file, line and value for the first
 *   invalid line, after the sink has received some of the lines before it. Exceptions of the sink pass through.
 */
export async function streamTickFile(path: string, sink: TickSink): Promise<StreamedTickFile> {
  const lines = new TickLines(path, sink);
  const { sha256, bytes } = await readFileBytes(path, { unpacks: true }, (chunk) => lines.add(chunk));
  return { path, sha256, bytes, ...lines.end() };
}

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
