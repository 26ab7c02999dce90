import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { syncFolder, writeDurably } from '../../src/model/writeDurably.ts';

/**
 * Writes `parts` to `file` atomically: to a temporary file in the same folder, flushed to disk and then renamed. The old file stays until
 * then. Throws ServiceError `file.unwritable` and leaves no partial file.
 */
export function writeFileAtomic(file: string, parts: readonly (Uint8Array | string)[]): void {
  const draft = `${file}.${process.pid}.draft`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    // Left by a killed process with the same process id.
    rmSync(draft, { force: true });
    writeDurably(draft, ...parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    renameSync(draft, file);
    syncFolder(path.dirname(file));
  } catch (cause) {
    if (existsSync(draft)) rmSync(draft);
    throw new ServiceError('file.unwritable', `${file} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}
