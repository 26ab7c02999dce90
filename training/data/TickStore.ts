import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync, closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import * as path from 'node:path';
import { makeFolder } from '../../src/core/makeFolder.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
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
    throw new ServiceError('file.unwritable', `${file} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}

/*
 * The tick file format: a header of 64 bytes (magic and version, rows, bytes and SHA-256 of the source file), then blocks of `BLOCK_TICKS`
 * ticks; the last block may be shorter. A block is its timestamps followed by its prices, all doubles in the byte order of the machine. The
 * header is written last: a file without it is incomplete.
 */
const MAGIC = Buffer.from('tmticks1', 'latin1');
const HEADER_BYTES = 64;
const [ROWS_AT, SOURCE_BYTES_AT, SHA256_AT] = [8, 16, 24];
const DOUBLE = 8;

export type TickStoreHeader = { readonly rows: number; readonly sourceBytes: number; readonly sha256: string };

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
    try {
      makeFolder(folder);
      this.#fd = openSync(this.#draft, 'wx');
    } catch (error) {
      throw unwritable(this.#draft, error);
    }
  }

  add(timesUs: Float64Array, prices: Float64Array): void {
    if (this.#rows % BLOCK_TICKS !== 0 || timesUs.length > BLOCK_TICKS)
      throw new RangeError('TickStoreWriter: only the last block may be shorter');
    this.#guarded(() => {
      this.#write(bytesOf(timesUs, 0, timesUs.length));
      this.#write(bytesOf(prices, 0, prices.length));
    });
    this.#rows += timesUs.length;
  }

  /** Writes the header, flushes the draft to disk, then renames it to `file`. */
  commit(file: string, source: { readonly sourceBytes: number; readonly sha256: string }): void {
    const header = Buffer.alloc(HEADER_BYTES);
    MAGIC.copy(header);
    header.writeDoubleLE(this.#rows, ROWS_AT);
    header.writeDoubleLE(source.sourceBytes, SOURCE_BYTES_AT);
    header.write(source.sha256, SHA256_AT, 'hex');
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
  readonly header: TickStoreHeader;
  readonly #file: string;
  readonly #fd: number;

  private constructor(file: string, fd: number, header: TickStoreHeader) {
    this.#file = file;
    this.#fd = fd;
    this.header = header;
  }

  /** undefined if the file is missing, incomplete, truncated or not a tick file. */
  static open(file: string): TickStoreReader | undefined {
    let fd: number;
    try {
      fd = openSync(file, 'r');
    } catch {
      return undefined;
    }
    const header = readHeader(fd);
    if (header !== undefined) return new TickStoreReader(file, fd, header);
    closeSync(fd);
    return undefined;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Timestamp of tick `at`, microseconds. Throws ServiceError file.unreadable, as `read` does. */
  timeAt(at: number): number {
    const one = new Float64Array(1);
    this.#fill(one, 0, 1, positionOf(at, this.header.rows).time);
    return one[0];
  }

  /** First index in [from, to) with a timestamp at or after `us`, or `to`. About twenty reads of eight bytes. */
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
    for (let done = 0; done < timesUs.length;) {
      const at = from + done;
      const count = Math.min(timesUs.length - done, BLOCK_TICKS - (at % BLOCK_TICKS));
      const { time, price } = positionOf(at, this.header.rows);
      this.#fill(timesUs, done, count, time);
      this.#fill(prices, done, count, price);
      done += count;
    }
  }

  #fill(values: Float64Array, from: number, count: number, position: number): void {
    const bytes = bytesOf(values, from, from + count);
    for (let done = 0; done < bytes.length;) {
      const read = readSync(this.#fd, bytes, done, bytes.length - done, position + done);
      if (read === 0) throw new ServiceError('file.unreadable', `${this.#file} ends too early: it was changed while tickmark read it.`);
      done += read;
    }
  }
}

function readHeader(fd: number): TickStoreHeader | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const { size } = fstatSync(fd);
  if (size < HEADER_BYTES || readSync(fd, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
  const rows = header.readDoubleLE(ROWS_AT);
  if (!header.subarray(0, MAGIC.length).equals(MAGIC) || size !== HEADER_BYTES + 2 * DOUBLE * rows) return undefined;
  return { rows, sourceBytes: header.readDoubleLE(SOURCE_BYTES_AT), sha256: header.toString('hex', SHA256_AT, SHA256_AT + 32) };
}

/** Byte positions of timestamp and price of tick `at`. */
function positionOf(at: number, rows: number): { time: number; price: number } {
  const inBlock = at % BLOCK_TICKS;
  const blockFrom = at - inBlock;
  const blockTicks = Math.min(BLOCK_TICKS, rows - blockFrom);
  const time = HEADER_BYTES + DOUBLE * (2 * blockFrom + inBlock);
  return { time, price: time + DOUBLE * blockTicks };
}

function bytesOf(values: Float64Array, from: number, to: number): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset + DOUBLE * from, DOUBLE * (to - from));
}

function unwritable(file: string, cause: unknown): ServiceError {
  return new ServiceError('file.unwritable', `${file} cannot be written: ${(cause as Error).message}.`, { cause });
}
