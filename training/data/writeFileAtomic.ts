import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../../src/core/ServiceError.ts';

/**
 * Writes `parts` one after the other as `file`, whole or not at all: into a file beside it, on the disk before it takes the name. What had
 * the name stays until then. Throws ServiceError `file.unwritable`; nothing half-written is left behind.
 */
export function writeFileAtomic(file: string, parts: readonly (Uint8Array | string)[]): void {
  const draft = `${file}.${process.pid}.draft`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const handle = openSync(draft, 'w');
    try {
      for (const part of parts) writeWhole(handle, typeof part === 'string' ? Buffer.from(part) : part);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, file);
  } catch (cause) {
    if (existsSync(draft)) rmSync(draft);
    throw new ServiceError('file.unwritable', `${file} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}

function writeWhole(handle: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at, bytes.length - at);
}
