import { ServiceError } from '../../../core/ServiceError.ts';
import { readRegularFile } from '../readRegularFile.ts';

/** The text of a regular file of at most `limit` bytes; null if it does not exist. Throws ServiceError `model.refused` for any other file. */
export function readSmallFile(file: string, limit: number): string | null {
  const content = readRegularFile(file, limit, (why, cause) => {
    if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return null;
    throw new ServiceError('model.refused', `${file} ${why}`, { cause });
  });
  return content?.toString('utf8') ?? null;
}
