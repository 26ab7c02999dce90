import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { ServiceError } from '../../core/ServiceError.ts';

/** The bytes of a regular file of at most `limit` bytes; what `refuse` gives for a larger one, a link, a pipe, and one that cannot be read. */
export function readRegularFile<R>(file: string, limit: number, refuse: (why: string, cause?: unknown) => R): Buffer<ArrayBuffer> | R {
  let handle: number | undefined;
  let why = 'is not a regular file.';
  let cause: unknown;
  try {
    // Reading a pipe would wait for its other end, and a link could lead elsewhere; O_NOFOLLOW covers one that appears in between.
    if (lstatSync(file).isFile()) {
      handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const { size } = fstatSync(handle);
      if (size <= limit) return readFileSync(handle);
      why = `has ${size} bytes, more than ${limit}.`;
    }
  } catch (error) {
    cause = error;
    why = `cannot be read: ${(error as Error).message}.`;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
  return refuse(why, cause);
}

/** The text of a regular file of at most `limit` bytes; null if it does not exist. Throws ServiceError `model.refused` for any other file. */
export function readSmallFile(file: string, limit: number): string | null {
  const content = readRegularFile(file, limit, (why, cause) => {
    if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return null;
    throw new ServiceError('model.refused', `${file} ${why}`, { cause });
  });
  return content?.toString('utf8') ?? null;
}
