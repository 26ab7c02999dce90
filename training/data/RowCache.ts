import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync, statSync, utimesSync } from 'node:fs';
import * as path from 'node:path';
import { systemClock } from '../../src/core/Clock.ts';
import { makeFolder } from '../../src/core/makeFolder.ts';
import type { RowCounts } from './buildRow.ts';
import { rowArrays, type BuiltRows } from './buildRows.ts';
import { allocateRows } from './RowSet.ts';
import { writeFileAtomic } from './TickStore.ts';

const MAGIC = 'TMROWS01';
const HEADER_BYTES = 4096;
/** Size limit of the cache; the least recently used rows are removed first. */
const MAX_BYTES = 10e9;
const MAX_READ_BYTES = 1 << 28;

type Header = { readonly count: number; readonly draws: number; readonly counts: RowCounts; readonly sha256: string };

/**
 * Rows on disk under a key of data and settings: a header of 4 KiB, then the arrays of the RowSet. A file that is incomplete or whose hash
 * does not match is written again.
 */
export class RowCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the cached rows of the key; otherwise caches and returns the result of `make`. */
  async get(key: unknown, make: () => Promise<BuiltRows>): Promise<BuiltRows> {
    const file = path.join(this.#folder, `${createHash('sha256').update(JSON.stringify(key)).digest('hex')}.rows`);
    const known = this.#read(file);
    if (known !== undefined) return known;
    const made = await make();
    this.#write(file, made);
    return made;
  }

  #write(file: string, { rows, counts }: BuiltRows): void {
    const bytes = rowArrays(rows).map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength));
    const hash = createHash('sha256');
    for (const part of bytes) hash.update(part);
    const header: Header = { count: rows.count, draws: rows.draws, counts, sha256: hash.digest('hex') };
    const head = Buffer.alloc(HEADER_BYTES, ' ');
    head.write(`${MAGIC}${JSON.stringify(header)}`);
    writeFileAtomic(file, [head, ...bytes]);
    this.#prune(file);
  }

  #read(file: string): BuiltRows | undefined {
    if (!existsSync(file)) return undefined;
    const handle = openSync(file, 'r');
    try {
      const header = readHeader(handle);
      if (header === undefined) return undefined;
      const rows = allocateRows(header.count, header.draws);
      if (readArrays(handle, rowArrays(rows)) !== header.sha256) return undefined;
      const now = systemClock.nowMs() / 1000;
      utimesSync(file, now, now);
      return { rows, counts: header.counts };
    } finally {
      closeSync(handle);
    }
  }

  #prune(kept: string): void {
    makeFolder(this.#folder);
    const files = readdirSync(this.#folder)
      .filter((name) => name.endsWith('.rows'))
      .map((name) => path.join(this.#folder, name))
      .map((file) => ({ file, ...pickStat(file) }))
      .sort((a, b) => b.usedMs - a.usedMs);
    let bytes = 0;
    for (const { file, size } of files) {
      bytes += size;
      if (bytes > MAX_BYTES && file !== kept) rmSync(file, { force: true });
    }
  }
}

/** undefined if the file does not belong to this cache. */
function readHeader(handle: number): Header | undefined {
  const head = Buffer.alloc(HEADER_BYTES);
  readSync(handle, head, 0, HEADER_BYTES, null);
  if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  try {
    return JSON.parse(head.toString('utf8', MAGIC.length)) as Header;
  } catch {
    return undefined;
  }
}

/** Fills the arrays from the current position in the file. Returns the hash of the bytes; undefined if the file ends too early. */
function readArrays(handle: number, arrays: ReturnType<typeof rowArrays>): string | undefined {
  const hash = createHash('sha256');
  for (const array of arrays) {
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length;) {
      const got = readSync(handle, bytes, at, Math.min(bytes.length - at, MAX_READ_BYTES), null);
      if (got === 0) return undefined;
      at += got;
    }
    hash.update(bytes);
  }
  return hash.digest('hex');
}

function pickStat(file: string): { size: number; usedMs: number } {
  const { size, mtimeMs } = statSync(file);
  return { size, usedMs: mtimeMs };
}
