import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { ServiceError } from '../../../core/ServiceError.ts';

/**
 * The text of a regular file of at most `limit` bytes; null if it does not exist. Throws ServiceError `model.refused` for a larger file,
 * a link, a pipe, and a file that cannot be read.
 */
export function readSmallFile(file: string, limit: number): string | null {
  let handle: number | undefined;
  try {
    // Reading a pipe would wait for its other end, and a link could lead elsewhere.
    if (!lstatSync(file).isFile()) throw new ServiceError('model.refused', `${file} is not a regular file.`);
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size } = fstatSync(handle);
    if (size > limit) throw new ServiceError('model.refused', `${file} has ${size} bytes, more than ${limit}.`);
    return readFileSync(handle, 'utf8');
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ServiceError('model.refused', `${file} cannot be read: ${(cause as Error).message}.`, { cause });
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
