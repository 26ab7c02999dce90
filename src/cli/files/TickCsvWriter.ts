import { closeSync, createReadStream, createWriteStream, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { unwritable, writing } from '../../core/fileErrors.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { BarWindow } from '../../ticks/BarWindow.ts';
import type { ImportSink } from '../../ticks/import/ImportReport.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';

/**
 * Writes ticks as the CSV that every command reads: `timestamp,bid,ask` for quotes, `bar_end,open,high,low,close` or `bar_end,close` for bars,
 * else `timestamp,price`. Writes a temporary file in the same folder and renames it when it is complete; compresses it if the name ends in .gz. End with `finish` or `abandon`.
 */
export class TickCsvWriter implements ImportSink {
  readonly #path: string;
  readonly #partial: string;
  readonly #fd: number;
  #header: string | undefined;
  #lastUs = -Infinity;
  /** The ticks were written by another call, just before. */
  #isWritten = false;
  #isOpen = true;
  ticks = 0;

  /** @throws ServiceError file.unwritable where the file exists and `force` is not set, or cannot be written */
  constructor(path: string, force: boolean) {
    if (existsSync(path) && !force)
      throw new ServiceError('file.unwritable', `${path} exists already.`, { remedy: 'Replace it with --force, or give another name.' });
    this.#path = path;
    this.#partial = `${path}.${process.pid}.partial`;
    this.#fd = writing(this.#path, () => openSync(this.#partial, 'wx'));
  }

  addQuotes(timesUs: Float64Array, bids: Float64Array, asks: Float64Array): void {
    this.#begin('timestamp,bid,ask', timesUs);
    this.#isWritten = true;
    this.#write(Array.from(timesUs, (us, i) => `${writeTimestamp(us)},${bids[i]},${asks[i]}\n`));
  }

  addBars(endsUs: Float64Array, closes: Float64Array, ranges: BarWindow['ranges']): void {
    this.#begin(ranges === undefined ? 'bar_end,close' : 'bar_end,open,high,low,close', endsUs);
    this.#isWritten = true;
    const range = (i: number): string => (ranges === undefined ? '' : `${ranges.open[i]},${ranges.high[i]},${ranges.low[i]},`);
    this.#write(Array.from(endsUs, (us, i) => `${writeTimestamp(us)},${range(i)}${closes[i]}\n`));
  }

  add(timesUs: Float64Array, prices: Float64Array): void {
    if (!this.#isWritten) {
      this.#begin('timestamp,price', timesUs);
      this.#write(Array.from(timesUs, (us, i) => `${writeTimestamp(us)},${prices[i]}\n`));
    }
    this.#isWritten = false;
    this.#lastUs = timesUs.at(-1)!;
    this.ticks += timesUs.length;
  }

  async finish(): Promise<void> {
    writing(this.#path, () => fsyncSync(this.#fd));
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
      throw unwritable(this.#path, error);
    }
  }

  abandon(): void {
    this.#close();
    rmSync(this.#partial, { force: true });
    rmSync(`${this.#partial}.gz`, { force: true });
  }

  #begin(header: string, timesUs: Float64Array): void {
    if (this.#header !== undefined && this.#header !== header)
      throw new ServiceError('file.malformed', `${this.#path} cannot hold both ${this.#header} and ${header}.`, {
        remedy: 'Import the files one by one.',
      });
    if (timesUs[0] < this.#lastUs)
      throw new ServiceError('file.malformed', `${writeTimestamp(timesUs[0])} is earlier than the end of the file before.`, {
        remedy: 'Name the files in time order.',
      });
    if (this.#header === undefined) this.#write([`${header}\n`]);
    this.#header = header;
  }

  #write(lines: readonly string[]): void {
    const bytes = Buffer.from(lines.join(''));
    writing(this.#path, () => {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
    });
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
  }
}
