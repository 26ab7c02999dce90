import { mkdirSync, statSync } from 'node:fs';
import * as path from 'node:path';

const isFolder = (name: string): boolean => statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Creates a folder and the missing ones above it. `mkdirSync` with `recursive` never returns where the system refuses a folder with ENOENT
 * although the one above exists, as in /proc. Throws the system's error.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (isFolder(folder)) return;
  makeFolder(path.dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it.
    if (!isFolder(folder)) throw error;
  }
}
