import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { canWrite } from '../../core/canWrite.ts';
import { storeRefused } from './sqliteSchema.ts';

const TRIES = 3;

export type StoreCopy = { readonly folder: string; remove(): void };

/**
 * A private copy of a store that this process may not write, because SQLite writes next to a file that it reads. Undefined if it may. The
 * log belongs to the file: both are copied until neither has changed meanwhile. Throws ServiceError `store.refused`.
 */
export function copyUnwritable(file: string): StoreCopy | undefined {
  if (!existsSync(file) || (canWrite(file) && canWrite(path.dirname(file)))) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-store-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const before = stateOf(file);
      for (const source of partsOf(file)) {
        const copy = path.join(folder, path.basename(source));
        rmSync(copy, { force: true });
        copyFileSync(source, copy);
        // The copy has the mode of its source.
        chmodSync(copy, 0o600);
      }
      if (stateOf(file) === before) return { folder, remove };
    }
  } catch (error) {
    remove();
    throw storeRefused(file, `cannot be copied to ${tmpdir()} (${(error as Error).message})`, 'Make it readable, or set TMPDIR', error);
  }
  remove();
  throw storeRefused(file, 'is written by a service while it is read', 'Run the command where it may write DATA_DIR, or stop the service');
}

const partsOf = (file: string): string[] => [file, `${file}-wal`].filter((part) => existsSync(part));

const stateOf = (file: string): string =>
  partsOf(file)
    .map((part) => {
      const { ino, size, mtimeMs } = statSync(part);
      return [ino, size, mtimeMs].join(':');
    })
    .join();
