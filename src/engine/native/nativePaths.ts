import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import type { NativeParts } from '../runtime/nativeParts.ts';
import type { Wheel } from './pins.ts';

/** Downloaded wheels before they are unpacked. Files in this folder are complete: they were renamed, or copied by the operator. */
export const wheelFile = ({ folder }: NativeParts, { file }: Wheel): string => path.join(folder, 'wheels', file);

/** Records of unpacked wheels, named by their hashes. */
export const unpackedFolder = ({ folder }: NativeParts): string => path.join(folder, 'unpacked');

/** Partial results and temporary files of programs (TMPDIR), so that nothing is left elsewhere. Can be deleted after a setup. */
export const temporaryFolder = ({ folder }: NativeParts): string => path.join(folder, 'tmp');

/** Node.js headers that node-gyp downloads. */
export const headersFolder = ({ folder }: NativeParts): string => path.join(folder, 'node-headers');

/** Makes an empty folder for partial results of one step. */
export function freshTemporary(parts: NativeParts, name: string): string {
  const folder = path.join(temporaryFolder(parts), name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Total size of the files in a folder tree. Tolerates changes by a running program, and does not follow links. */
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

export const MB = 1_000_000;

/** Decimal units, as on download pages and disks: `274 MB`, `3.4 GB`. */
export const formatMegabytes = (bytes: number): string =>
  bytes >= 1000 * MB ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / MB)} MB`;
