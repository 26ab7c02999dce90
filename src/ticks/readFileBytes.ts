import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../core/ServiceError.ts';

const READ_BYTES = 256 * 1024;
const GZIP_MAGIC = [0x1f, 0x8b] as const;

/**
 * Reads a regular file once from start to end in bounded memory.
 *
 * @param take receives the bytes in order, decompressed if `unpacks` is set and they start with a gzip header; an exception stops reading
 * @returns SHA-256 (hex) and number of the bytes as stored
 * @throws ServiceError file.unreadable if the file cannot be opened or read, file.malformed for invalid gzip data
 */
export async function readFileBytes(
  path: string,
  { unpacks }: { readonly unpacks: boolean },
  take: (chunk: Buffer) => void,
): Promise<{ sha256: string; bytes: number }> {
  const handle = await openFile(path);
  try {
    const hash = createHash('sha256');
    const source = handle.createReadStream({ start: 0, highWaterMark: READ_BYTES, autoClose: false });
    const consume = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of chunks) take(chunk);
    };
    const tap = (chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> => hashed(chunks, hash);
    if (unpacks && (await isGzip(handle))) await pipeline(source, tap, createGunzip({ chunkSize: READ_BYTES }), consume);
    else await pipeline(source, tap, consume);
    return { sha256: hash.digest('hex'), bytes: source.bytesRead };
  } catch (error) {
    throw asServiceError(path, error);
  } finally {
    await handle.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Checked before opening, because opening a pipe would wait for its other end.
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
    return new ServiceError('file.malformed', `${path}: the gzip data end too early: the file is truncated. `, { cause: error });
  }
  if (code.startsWith('Z_'))
    return new ServiceError('file.malformed', `${path}: the gzip data are corrupt (${message}).`, { cause: error });
  const reason = code === 'ENOENT' ? 'there is no such file' : message;
  return new ServiceError('file.unreadable', `${path} cannot be read: ${reason}.`, { cause: error });
}
