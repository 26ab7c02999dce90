import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** Writes a new file, `parts` one after the other, that is on the disk when this returns. Throws the system's error; what was written until then stays. */
export function writeDurably(file: string, ...parts: readonly Uint8Array[]): void {
  const handle = openSync(file, 'wx');
  try {
    for (const bytes of parts) for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at, bytes.length - at);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Makes the names in a folder last: a rename is on the disk only with its folder. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
