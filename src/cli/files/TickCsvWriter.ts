import { closeSync, createReadStream, createWriteStream, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ServiceError } from '../../core/ServiceError.ts';
import type { ImportKind, ImportSink } from '../../ticks/import/ImportReport.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';

/**
 * Writes ticks as the CSV that every command reads: `timestamp,bid,ask` for quotes, else `timestamp,price`. Writes a
 * temporary file in the same folder and renames it when it is complete; compresses it if the name ends in .gz. End with `finish` or `abandon`.
 */
export class TickCsvWriter implements ImportSink {
  readonly #path: string;
  readonly #partial: string;
  readonly #fd: number;
  #kind: 'quotes' | 'trades' | undefined;
  #lastUs = -Infinity;
  #isQuoted = false;
  #isOpen = true;
  ticks = 0;

  /** @throws ServiceError file.unwritable where the file exists and `force` is not set, or cannot be written */
  constructor(path: string, force: boolean) {
    if (existsSync(path) && !force)
      throw new ServiceError('file.unwritable', `${path} exists already.`, { remedy: 'Replace it with --force, or give another name.' });
    this.#path = path;
    this.#partial = `${path}.${process.pid}.partial`;
    this.#fd = this.#try(() => openSync(this.#partial, 'wx'));
  }

  addQuotes(timesUs: Float64Array, bids: Float64Array, asks: Float64Array): void {
    this.#begin('quotes', timesUs);
    this.#isQuoted = true;
    this.#write(Array.from(timesUs, (us, i) => `${writeTimestamp(us)},${bids[i]},${asks[i]}\n`));
  }

  add(timesUs: Float64Array, prices: Float64Array): void {
    // Quotes were written with both sides, just before.
    if (!this.#isQuoted) {
      this.#begin('trades', timesUs);
      this.#write(Array.from(timesUs, (us, i) => `${writeTimestamp(us)},${prices[i]}\n`));
    }
    this.#isQuoted = false;
    this.#lastUs = timesUs.at(-1)!;
    this.ticks += timesUs.length;
  }

  async finish(): Promise<ImportKind | undefined> {
    this.#try(() => fsyncSync(this.#fd));
    this.#close();
    try {
      if (this.#path.endsWith('.gz')) {
        const packed = `${this.#partial}.gz`;
        await pipeline(createReadStream(this.#partial), createGzip(), createWriteStream(packed));
        renameSync(packed, this.#partial);
      }
      renameSync(this.#partial, this.#path);
    } catch (error) {
      this.abandon();
      throw this.#fault(error);
    }
    return this.#kind;
  }

  abandon(): void {
    this.#close();
    rmSync(this.#partial, { force: true });
    rmSync(`${this.#partial}.gz`, { force: true });
  }

  #begin(kind: 'quotes' | 'trades', timesUs: Float64Array): void {
    if (this.#kind !== undefined && this.#kind !== kind)
      throw new ServiceError('file.malformed', `${this.#path} cannot hold both quotes and trades.`, {
        remedy: 'Import the files one by one.',
      });
    if (timesUs[0]! < this.#lastUs)
      throw new ServiceError('file.malformed', `${writeTimestamp(timesUs[0]!)} is earlier than the end of the file before.`, {
        remedy: 'Name the files in time order.',
      });
    if (this.#kind === undefined) this.#write([kind === 'quotes' ? 'timestamp,bid,ask\n' : 'timestamp,price\n']);
    this.#kind = kind;
  }

  #write(lines: readonly string[]): void {
    const bytes = Buffer.from(lines.join(''));
    this.#try(() => {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
    });
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#fault(error);
    }
  }

  #fault(error: unknown): ServiceError {
    return new ServiceError('file.unwritable', `${this.#path} cannot be written: ${(error as Error).message}.`, { cause: error });
  }
}

/** Three digits of fraction where they hold all there is. */
