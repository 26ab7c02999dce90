import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** Writes a new file from `parts` and syncs it to disk. Throws the system's error; a partly written file then stays. */
export function writeDurably(file: string, ...parts: readonly Uint8Array[]): void {
  const handle = openSync(file, 'wx');
  try {
    for (const bytes of parts) for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at, bytes.length - at);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Syncs a folder to disk; a rename is durable only after that. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Writes lines to a new file that only the owner reads, and makes them last. */
export async function writeLines(file: string, lines: AsyncIterable<string>): Promise<void> {
  const handle = openSync(file, 'wx', 0o600);
  try {
    for await (const line of lines) {
      const bytes = Buffer.from(line);
      for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
