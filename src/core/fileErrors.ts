import { ServiceError } from './ServiceError.ts';

export const unwritable = (file: string, cause: unknown): ServiceError =>
  new ServiceError('file.unwritable', `${file} cannot be written: ${(cause as Error).message}.`, { cause });

/** Runs `work`, which writes `file`. Throws ServiceError `file.unwritable`, and those of `work`. */
export function writing<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : unwritable(file, cause);
  }
}

/** Runs `work`, which reads `file`. Throws ServiceError `file.unreadable`, and those of `work`. */
export function reading<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('file.unreadable', `${file} cannot be read: ${(cause as Error).message}.`, { cause });
  }
}
