import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync, closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import * as path from 'node:path';
import { unwritable, writing } from '../../src/core/fileErrors.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { makeFolder } from '../../src/core/makeFolder.ts';
import { syncFolder, writeDurably } from '../../src/core/writeDurably.ts';
import { BLOCK_TICKS, type TickSink } from '../../src/ticks/TickSeries.ts';

/**
 * Writes `parts` to `file` atomically: to a temporary file in the same folder, flushed to disk and then renamed. The old file stays until
 * then. Throws ServiceError `file.unwritable` and leaves no partial file.
 */
export function writeFileAtomic(file: string, parts: readonly (Uint8Array | string)[]): void {
  // Containers that share a folder may have the same process id.
  const draft = `${file}.${hostname()}-${process.pid}.draft`;
  try {
    makeFolder(path.dirname(file));
    // Left by a killed process with the same process id.
    rmSync(draft, { force: true });
    writeDurably(draft, ...parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    renameSync(draft, file);
    syncFolder(path.dirname(file));
  } catch (cause) {
    if (existsSync(draft)) rmSync(draft);
    throw unwritable(file, cause);
  }
}

/*
 * The tick file format: a header (magic and version, number of ticks, rows of the source without a tick), then timestamp and price of each
 * tick, all doubles in the byte order of the machine. The header is written last: a file without it is incomplete. The version changes with
 * the format, and with the ticks that are read from a source.
 */
const MAGIC = Buffer.from('tmticks6', 'latin1');
const HEADER_BYTES = 24;
const [ROWS_AT, LEFT_OUT_AT] = [8, 16];
const TICK_BYTES = 16;

export const DRAFT_END = '.draft';

/**
 * Writes a tick file: call `add` for each block, then `commit` or `abandon` once. Until `commit` only a draft exists; a failure removes it.
 * All three throw ServiceError file.unwritable.
 */
export class TickStoreWriter implements TickSink {
  readonly #draft: string;
  readonly #fd: number;
  #at = HEADER_BYTES;
  #rows = 0;

  constructor(folder: string) {
    this.#draft = path.join(folder, `.${randomBytes(6).toString('hex')}${DRAFT_END}`);
    this.#fd = writing(this.#draft, () => {
      makeFolder(folder);
      return openSync(this.#draft, 'wx');
    });
  }

  add(timesUs: Float64Array, prices: Float64Array): void {
    const pairs = new Float64Array(2 * timesUs.length);
    for (let i = 0; i < timesUs.length; i++) {
      pairs[2 * i] = timesUs[i];
      pairs[2 * i + 1] = prices[i];
    }
    this.#guarded(() => this.#write(new Uint8Array(pairs.buffer)));
    this.#rows += timesUs.length;
  }

  /** Writes the header, flushes the draft to disk, then renames it to `file`. */
  commit(file: string, leftOut: number): void {
    const header = Buffer.alloc(HEADER_BYTES);
    MAGIC.copy(header);
    header.writeDoubleLE(this.#rows, ROWS_AT);
    header.writeDoubleLE(leftOut, LEFT_OUT_AT);
    this.#guarded(() => {
      this.#at = 0;
      this.#write(header);
      fsyncSync(this.#fd);
      closeSync(this.#fd);
      renameSync(this.#draft, file);
    });
  }

  abandon(): void {
    try {
      closeSync(this.#fd);
    } catch {
      // Already closed by a failed commit.
    }
    rmSync(this.#draft, { force: true });
  }

  #guarded(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.abandon();
      throw unwritable(this.#draft, error);
    }
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) done += writeSync(this.#fd, bytes, done, bytes.length - done, this.#at + done);
    this.#at += bytes.length;
  }
}

/** An open tick file. Call `close` after use. */
export class TickStoreReader {
  readonly rows: number;
  /** Rows of the source without a tick. */
  readonly leftOut: number;
  readonly #file: string;
  readonly #fd: number;
  readonly #pairs = new Float64Array(2 * BLOCK_TICKS);

  private constructor(file: string, fd: number, header: Buffer) {
    this.#file = file;
    this.#fd = fd;
    this.rows = header.readDoubleLE(ROWS_AT);
    this.leftOut = header.readDoubleLE(LEFT_OUT_AT);
  }

  /** undefined if the file is missing, incomplete, truncated or not a tick file. */
  static open(file: string): TickStoreReader | undefined {
    let fd: number;
    try {
      fd = openSync(file, 'r');
    } catch {
      return undefined;
    }
    const header = Buffer.alloc(HEADER_BYTES);
    const isWhole = readSync(fd, header, 0, HEADER_BYTES, 0) === HEADER_BYTES && header.subarray(0, MAGIC.length).equals(MAGIC);
    if (isWhole && fstatSync(fd).size === HEADER_BYTES + TICK_BYTES * header.readDoubleLE(ROWS_AT))
      return new TickStoreReader(file, fd, header);
    closeSync(fd);
    return undefined;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Timestamp of tick `at`, microseconds. Throws ServiceError file.unreadable, as `read` does. */
  timeAt(at: number): number {
    return this.#pairsAt(at, 1)[0];
  }

  /** First index in [from, to) with a timestamp at or after `us`, or `to`. About twenty small reads. */
  firstAtOrAfter(us: number, from: number, to: number): number {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.timeAt(middle) < us) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Reads ticks [from, from + length of the arrays) into the arrays. */
  read(from: number, timesUs: Float64Array, prices: Float64Array): void {
    for (let done = 0; done < timesUs.length; done += BLOCK_TICKS) {
      const count = Math.min(timesUs.length - done, BLOCK_TICKS);
      const pairs = this.#pairsAt(from + done, count);
      for (let i = 0; i < count; i++) {
        timesUs[done + i] = pairs[2 * i];
        prices[done + i] = pairs[2 * i + 1];
      }
    }
  }

  #pairsAt(from: number, count: number): Float64Array {
    const bytes = new Uint8Array(this.#pairs.buffer, 0, TICK_BYTES * count);
    for (let done = 0; done < bytes.length;) {
      const read = readSync(this.#fd, bytes, done, bytes.length - done, HEADER_BYTES + TICK_BYTES * from + done);
      if (read === 0) throw new ServiceError('file.unreadable', `${this.#file} ends too early: it was changed while tickmark read it.`);
      done += read;
    }
    return this.#pairs;
  }
}
