import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { ServiceError } from '../../core/ServiceError.ts';

/**
 * The text of a plain file of at most `limit` bytes, null where there is none. Throws ServiceError `model.refused` for a larger one, a link,
 * a pipe, and what cannot be read.
 */
export function readSmallFile(file: string, limit: number): string | null {
  let handle: number | undefined;
  try {
    // A pipe would wait for its other end, and a link lead elsewhere.
    if (!lstatSync(file).isFile()) throw new ServiceError('model.refused', `${file} is not a plain file.`);
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
