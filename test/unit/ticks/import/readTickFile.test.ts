import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ErrorCode } from '../../../../src/core/errorTable.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { formatTimestamp } from '../../../../src/ticks/timestamps.ts';
import { leftOutNote, readTickFile, type TickFile } from '../../../../src/ticks/import/streamTickFile.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { hasRealTicks, REAL_TICKS_DIR, REAL_TICKS_SKIPPED } from '../../../support/realTicks.ts';

const HEADER = 'timestamp,bid,ask\n';
const ROWS = '2024-03-01 09:30:00.100,1.1,1.3\n2024-03-01 09:30:00.100,1.2,1.3\n2024-03-01 09:30:01,1.25,1.25\n';

describe('readTickFile', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-ticks-'));
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  async function read(content: string | Uint8Array, name = 'ticks.csv'): Promise<TickFile> {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return readTickFile(file);
  }

  async function refusal(reading: Promise<unknown>, code: ErrorCode): Promise<string> {
    try {
      await reading;
    } catch (error) {
      expect(error).to.be.instanceOf(ServiceError);
      expect((error as ServiceError).code, (error as ServiceError).message).to.equal(code);
      return (error as ServiceError).message;
    }
    return expect.fail('was read');
  }

  it('accepts any case of the header, a byte order mark, CRLF, no line end and blank lines at the end', async () => {
    const expected = (await read(HEADER + ROWS)).series;
    const same = ['Timestamp,Bid,ASK\n' + ROWS, '\ufeff' + HEADER + ROWS, HEADER + ROWS.trimEnd(), HEADER + ROWS + '\r\n\n\n'];
    for (const text of [...same, (HEADER + ROWS).replaceAll('\n', '\r\n')]) expect((await read(text)).series).to.deep.equal(expected);
  });

  it('detects gzip by the first bytes, not by the file name, and hashes the bytes as stored', async () => {
    const packed = gzipSync(HEADER + ROWS);
    const fromGzip = await read(packed, 'named.csv');
    const plain = await read(HEADER + ROWS, 'named.gz');
    expect(fromGzip.series).to.deep.equal(plain.series);
    expect(fromGzip.sha256).to.equal(createHash('sha256').update(packed).digest('hex'));
    expect(plain.sha256).to.equal(
      createHash('sha256')
        .update(HEADER + ROWS)
        .digest('hex'),
    );
  });

  it('reads a long series in many chunks bit for bit', async () => {
    const series = syntheticTicks({ seed: 3, count: 66_000 });
    const rows = Array.from(series.prices, (price, i) => `${formatTimestamp(series.timesUs[i])},${price}\n`);
    const text = 'timestamp,price\n' + rows.join('');
    for (const content of [text, gzipSync(text)]) {
      const file = await read(content);
      expect(file.rows).to.equal(66_000);
      expect(Buffer.from(file.series.prices.buffer).equals(Buffer.from(series.prices.buffer))).to.equal(true);
      expect(Buffer.from(file.series.timesUs.buffer).equals(Buffer.from(series.timesUs.buffer))).to.equal(true);
    }
  });

  it('counts the rows that it leaves out, in words too', async () => {
    const good = Array.from({ length: 20 }, (_, i) => `2024-03-01 09:30:${String(i + 10)},1,2\n`).join('');
    const { rows, report } = await read(`${HEADER}2024-03-01 09:30:00,0,2\n2024-03-01 09:30:01,,2\n${good}`);
    expect([rows, report.rows]).to.deep.equal([20, 22]);
    expect(leftOutNote('a.csv', 2)).to.equal(
      'a.csv: 2 rows without a usable price or timestamp were left out; tickmark doctor FILE lists the reasons.',
    );
    expect(leftOutNote('a.csv', 0)).to.equal(undefined);
  });

  it('refuses a missing file and a folder', async () => {
    expect(await refusal(readTickFile(path.join(folder, 'missing.csv')), 'file.unreadable'))
      .to.include('missing.csv')
      .and.include('no such file');
    expect(await refusal(readTickFile(folder), 'file.unreadable')).to.include('not a regular file');
  });

  it('closes every file, read or refused', async function () {
    const openFiles = '/proc/self/fd';
    if (!existsSync(openFiles)) {
      process.stdout.write('skipped: /proc/self/fd is not here\n');
      this.skip();
    }
    // Loading a module or writing a log opens others of its own: those of this folder alone are looked at.
    const opened = (): string[] =>
      readdirSync(openFiles).flatMap((fd) => {
        try {
          return [readlinkSync(path.join(openFiles, fd))].filter((file) => file.startsWith(folder));
        } catch {
          // It was closed meanwhile, as that of this list is.
          return [];
        }
      });
    const held = openSync(path.join(folder, 'held.csv'), 'w');
    expect(opened()).to.have.length(1);
    closeSync(held);
    for (let i = 0; i < 5; i++) {
      await read(gzipSync(HEADER + ROWS));
      await refusal(read(HEADER), 'file.malformed');
      await refusal(read(gzipSync(HEADER + 'x\n')), 'file.malformed');
    }
    expect(opened()).to.deep.equal([]);
  });

  it('reads real ticks with the count, hash, and first and last timestamp of their index', async function () {
    if (!hasRealTicks) {
      process.stdout.write(`skipped: ${REAL_TICKS_SKIPPED}\n`);
      this.skip();
    }
    type Entry = { file: string; ticks: number; sha256: string; first: string; last: string };
    const index = JSON.parse(readFileSync(path.join(REAL_TICKS_DIR, 'index.json'), 'utf8')) as Entry[];
    for (const entry of index.filter(({ ticks }) => ticks < 200_000)) {
      const file = await readTickFile(path.join(REAL_TICKS_DIR, entry.file));
      expect([file.rows, file.sha256], entry.file).to.deep.equal([entry.ticks, entry.sha256]);
      const { timesUs } = file.series;
      const ends = [formatTimestamp(timesUs[0]), formatTimestamp(timesUs[timesUs.length - 1])];
      expect(ends, entry.file).to.deep.equal([entry.first, entry.last]);
    }
  });
});
