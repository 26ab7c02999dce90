import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { syncFolder, writeDurably } from '../../src/model/writeDurably.ts';

/**
 * Writes `parts` one after the other as `file`, whole or not at all: into a file beside it, on the disk before it takes the name. What had
 * the name stays until then. Throws ServiceError `file.unwritable`; nothing half-written is left behind.
 */
export function writeFileAtomic(file: string, parts: readonly (Uint8Array | string)[]): void {
  const draft = `${file}.${process.pid}.draft`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    // Of a killed process that had this one's number.
    rmSync(draft, { force: true });
    writeDurably(draft, ...parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    renameSync(draft, file);
    syncFolder(path.dirname(file));
  } catch (cause) {
    if (existsSync(draft)) rmSync(draft);
    throw new ServiceError('file.unwritable', `${file} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}
