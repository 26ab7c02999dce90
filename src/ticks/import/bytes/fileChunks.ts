import { createHash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
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
  const name = shownPath(path);
  const hash = createHash('sha256');
  let [bytes, size] = [0, 0];
  if (path !== STANDARD_INPUT) {
    const found = await stat(path).catch((error: unknown) => Promise.reject(unreadable(name, error)));
    // Before opening: to open a pipe would wait for its other end.
    if (!found.isFile()) throw new ServiceError('file.unreadable', `${path} is not a regular file.`);
    size = found.size;
  }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let handle: FileHandle | undefined;
    try {
      if (path !== STANDARD_INPUT) handle = await open(path, 'r');
      for await (const chunk of handle?.createReadStream({ highWaterMark: READ_BYTES, autoClose: false }) ?? process.stdin) {
        const { buffer, byteOffset, byteLength } = chunk as Uint8Array;
        const read = new Uint8Array(buffer, byteOffset, byteLength);
        hash.update(read);
        bytes += byteLength;
        yield read;
      }
    } catch (error) {
      throw unreadable(name, error);
    } finally {
      await handle?.close();
    }
  }
  return { name, chunks: chunks(), size, bytes: () => bytes, sha256: () => hash.digest('hex') };
}

function unreadable(path: string, error: unknown): ServiceError {
  const { code, message = String(error) } = error as NodeJS.ErrnoException;
  return new ServiceError('file.unreadable', `${path} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}.`, {
    cause: error,
  });
}
