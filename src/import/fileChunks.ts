import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { ServiceError } from '../core/ServiceError.ts';

const READ_BYTES = 256 * 1024;

export type FileChunks = {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Bytes of the file as it was found. */
  readonly size: number;
  /** SHA-256 in hexadecimal of the bytes as stored; to be called once, after all of them were read. */
  sha256(): string;
};

/** The bytes of a regular file. @throws ServiceError file.unreadable, also while the chunks are read */
export async function fileChunks(path: string): Promise<FileChunks> {
  const hash = createHash('sha256');
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
        const chunk = buffer.subarray(0, bytesRead);
        hash.update(chunk);
        yield chunk;
      }
    } finally {
      await handle.close();
    }
  }
  return { chunks: chunks(), size: found.size, sha256: () => hash.digest('hex') };
}

function unreadable(path: string, error: unknown): ServiceError {
  const { code, message = String(error) } = error as NodeJS.ErrnoException;
  return new ServiceError('file.unreadable', `${path} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}.`, {
    cause: error,
  });
}
