import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { ServiceError } from '../../../core/ServiceError.ts';

const READ_BYTES = 256 * 1024;

/** The path that stands for standard input. */
export const STANDARD_INPUT = '-';

export const shownPath = (path: string): string => (path === STANDARD_INPUT ? 'standard input' : path);

export type FileChunks = {
  /** For messages. */
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Bytes of the file as it was found; 0 where that is not known. */
  readonly size: number;
  /** Bytes that were read. */
  bytes(): number;
  /** SHA-256 in hexadecimal of the bytes as stored; to be called once, after all of them were read. */
  sha256(): string;
};

/** The bytes of a regular file, or of standard input. @throws ServiceError file.unreadable, also while the chunks are read */
export async function fileChunks(path: string): Promise<FileChunks> {
  const hash = createHash('sha256');
  let bytes = 0;
  const read = { bytes: () => bytes, sha256: () => hash.digest('hex') };
  const take = (chunk: Uint8Array): Uint8Array => {
    hash.update(chunk);
    bytes += chunk.length;
    return chunk;
  };
  if (path === STANDARD_INPUT) {
    async function* input(): AsyncGenerator<Uint8Array> {
      try {
        for await (const chunk of process.stdin) yield take(chunk as Uint8Array);
      } catch (error) {
        throw unreadable(shownPath(path), error);
      }
    }
    return { name: shownPath(path), chunks: input(), size: 0, ...read };
  }
  const found = await stat(path).catch((error: unknown) => Promise.reject(unreadable(path, error)));
  // Before opening: to open a pipe would wait for its other end.
  if (!found.isFile()) throw new ServiceError('file.unreadable', `${path} is not a regular file.`);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const handle = await open(path, 'r').catch((error: unknown) => Promise.reject(unreadable(path, error)));
    try {
      for (;;) {
        const { bytesRead, buffer } = await handle
          .read(new Uint8Array(READ_BYTES), 0, READ_BYTES, null)
          .catch((error: unknown) => Promise.reject(unreadable(path, error)));
        if (bytesRead === 0) return;
        yield take(buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  }
  return { name: path, chunks: chunks(), size: found.size, ...read };
}

function unreadable(path: string, error: unknown): ServiceError {
  const { code, message = String(error) } = error as NodeJS.ErrnoException;
  return new ServiceError('file.unreadable', `${path} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}.`, {
    cause: error,
  });
}
