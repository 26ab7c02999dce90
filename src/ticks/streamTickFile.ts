import { readFileBytes } from './readFileBytes.ts';
import { type TickFileKind, TickLines } from './TickLines.ts';
import { type TickSink } from './TickSink.ts';

export type StreamedTickFile = {
  readonly path: string;
  /** Rows of data: the ticks that the sink was given. */
  readonly rows: number;
  /** SHA-256 in hexadecimal of the file's bytes as stored (compressed, where they are), and their number. */
  readonly sha256: string;
  readonly bytes: number;
  readonly kind: TickFileKind;
};

/**
 * Gives the ticks of a CSV file, gzipped or not (told by its first bytes, not by its name), to `sink` in one pass and bounded
 * memory, however long it is. Header `timestamp,bid,ask` (prices are mids rounded to 9 decimals) or `timestamp,price`, in any case;
 * stamps by the rules of `parseTimestampUs`, all of one form, never a step back. A byte order mark, CRLF and blank lines at the end are
 * accepted; quoted fields are not.
 *
 * @param path a regular file
 * @throws ServiceError file.unreadable where it cannot be opened or read; file.malformed with file, line and value for the first
 *   broken rule of its content; the sink has then been given some of the lines before it. Also what the sink throws.
 */
export async function streamTickFile(path: string, sink: TickSink): Promise<StreamedTickFile> {
  const lines = new TickLines(path, sink);
  const { sha256, bytes } = await readFileBytes(path, { unpacks: true }, (chunk) => lines.add(chunk));
  return { path, sha256, bytes, ...lines.end() };
}
