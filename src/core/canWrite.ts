import { accessSync, constants } from 'node:fs';

/** Whether this process may change a file or folder that exists; no on a file system that is mounted read-only. */
export function canWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
