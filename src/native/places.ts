import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import type { NativeParts } from '../runtime/nativeParts.ts';
import type { Wheel } from './pins.ts';

/** Downloaded wheels that wait to be unpacked. What is in here is whole: it comes by rename, or from the hand of the operator. */
export const wheelFile = ({ folder }: NativeParts, { file }: Wheel): string => path.join(folder, 'wheels', file);

/** What each wheel was unpacked to; the names are the wheels' hashes. */
export const unpackedFolder = ({ folder }: NativeParts): string => path.join(folder, 'unpacked');

/** Half-made things and the programs' temporary files (TMPDIR), so that nothing is left outside. Worth nothing after a set-up. */
export const temporaryFolder = ({ folder }: NativeParts): string => path.join(folder, 'tmp');

/** Node.js headers, where node-gyp has to download them. */
export const headersFolder = ({ folder }: NativeParts): string => path.join(folder, 'node-headers');

/** An empty folder for one step's half-made results. */
export function freshTemporary(parts: NativeParts, name: string): string {
  const folder = path.join(temporaryFolder(parts), name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Bytes of the files below a folder, as far as they are there: a program may be at work in it. Links are not followed. */
export function bytesBelow(folder: string): number {
  let bytes = 0;
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const full = path.join(folder, entry.name);
      bytes += entry.isDirectory() ? bytesBelow(full) : lstatSync(full).size;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return bytes;
}
