import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../core/ServiceError.ts';
import { type TickFileKind, TickLines } from './TickLines.ts';
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

const READ_BYTES = 256 * 1024;
const GZIP_MAGIC = [0x1f, 0x8b] as const;

/**
 * Reads ticks from a CSV file, gzipped or not (told by its first bytes, not by its name), in one pass and bounded memory.
 * Header `timestamp,bid,ask` (prices are mids rounded to 9 decimals) or `timestamp,price`, in any case; stamps by the rules of
 * `parseTimestampUs`, never a step back. A byte order mark, CRLF and blank lines at the end are accepted; quoted fields are not.
 *
 * @param path a regular file
 * @throws ServiceError file.unreadable where it cannot be opened or read; file.malformed with file, line and value for the first
 *   broken rule of its content
 */
export async function readTickFile(path: string): Promise<TickFile> {
  const handle = await openFile(path);
  try {
    const lines = new TickLines(path);
    const hash = createHash('sha256');
    const source = handle.createReadStream({ start: 0, highWaterMark: READ_BYTES, autoClose: false });
    const consume = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of chunks) lines.add(chunk);
    };
    const tap = (chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> => hashed(chunks, hash);
    if (await isGzip(handle)) await pipeline(source, tap, createGunzip({ chunkSize: READ_BYTES }), consume);
    else await pipeline(source, tap, consume);
    const { series, kind } = lines.end();
    return { path, series, rows: series.prices.length, sha256: hash.digest('hex'), kind };
  } catch (error) {
    throw asServiceError(path, error);
  } finally {
    await handle.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Before opening: to open a pipe would wait for its other end.
    if (!(await stat(path)).isFile()) throw new ServiceError('file.unreadable', `${path} is not a regular file.`);
    return await open(path, 'r');
  } catch (error) {
    throw asServiceError(path, error);
  }
}

async function isGzip(handle: FileHandle): Promise<boolean> {
  const { bytesRead, buffer } = await handle.read(new Uint8Array(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0);
  return bytesRead === GZIP_MAGIC.length && GZIP_MAGIC.every((byte, i) => buffer[i] === byte);
}

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncIterable<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

function asServiceError(path: string, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') {
    return new ServiceError('file.malformed', `${path}: the gzip data end too early: the file is truncated.`, { cause: error });
  }
  if (code.startsWith('Z_'))
    return new ServiceError('file.malformed', `${path}: the gzip data are corrupt (${message}).`, { cause: error });
  const reason = code === 'ENOENT' ? 'there is no such file' : message;
  return new ServiceError('file.unreadable', `${path} cannot be read: ${reason}.`, { cause: error });
}
