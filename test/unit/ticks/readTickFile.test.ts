import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ErrorCode } from '../../../src/core/errorTable.ts';
import { ServiceError } from '../../../src/core/ServiceError.ts';
import { formatTimestamp } from '../../../src/ticks/timestamps.ts';
import { readTickFile, type TickFile } from '../../../src/ticks/streamTickFile.ts';
import { syntheticTicks } from '../../../src/ticks/syntheticTicks.ts';
import { hasRealTicks, REAL_TICKS_DIR, REAL_TICKS_SKIPPED } from '../../support/realTicks.ts';

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

  it('reads quotes as mids rounded to 9 decimals, in order', async () => {
    const file = await read(HEADER + ROWS);
    expect(file.kind).to.equal('quotes');
    expect(file.rows).to.equal(3);
    expect([...file.series.prices]).to.deep.equal([1.2, 1.25, 1.25]);
    const firstUs = Date.UTC(2024, 2, 1, 9, 30, 0, 100) * 1000;
    expect([...file.series.timesUs]).to.deep.equal([firstUs, firstUs, firstUs + 900_000]);
  });

  it('reads trade prices unchanged', async () => {
    const file = await read('timestamp,price\n2024-03-01T09:30:00.123456789Z,1e-05\n2024-03-01T09:30:01Z,61837.63000000\n');
    expect(file.kind).to.equal('trades');
    expect([...file.series.prices]).to.deep.equal([0.00001, 61837.63]);
    expect(file.series.timesUs[0]! % 1_000_000).to.equal(123_456);
  });

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
    const rows = Array.from(series.prices, (price, i) => `${formatTimestamp(series.timesUs[i]!)},${price}\n`);
    const text = 'timestamp,price\n' + rows.join('');
    for (const content of [text, gzipSync(text)]) {
      const file = await read(content);
      expect(file.rows).to.equal(66_000);
      expect(Buffer.from(file.series.prices.buffer).equals(Buffer.from(series.prices.buffer))).to.equal(true);
      expect(Buffer.from(file.series.timesUs.buffer).equals(Buffer.from(series.timesUs.buffer))).to.equal(true);
    }
  });

  describe('names file, line and value of an invalid line', () => {
    const good = '2024-03-01 09:30:00,1,2\n';
    const refused: [string, string | Uint8Array, string[]][] = [
      ['a step back', HEADER + good + '2024-03-01 09:29:59.999,1,2\n', ['line 3', '2024-03-01 09:29:59.999', 'earlier']],
      ['no header', good, ['line 1', 'timestamp,bid,ask', '2024-03-01 09:30:00,1,2']],
      ['another header', 'time,bid,ask\n' + good, ['line 1', 'time,bid,ask']],
      ['a repeated header', HEADER + good + HEADER + good, ['line 3', 'repeats the header', '"timestamp,bid,ask"']],
      ['another header in the middle', HEADER + good + '\ufeffTimestamp,Price\n', ['line 3', 'repeats the header']],
      ['a header that is a key of every object', 'constructor\n' + good, ['line 1', 'is not a header']],
      ['a date that does not exist', HEADER + good + '2024-02-31 09:30:00,1,2\n', ['line 3', '2024-02-31 09:30:00', 'does not exist']],
      ['mixed zones', HEADER + good + '2024-03-01 09:31:00+01:00,1,2\n', ['line 3', '+01:00', 'UTC']],
      [
        'a suffix in some rows',
        HEADER + good + '2024-03-01 09:31:00Z,1,2\n',
        ['line 3', '09:31:00Z', 'zone suffix', 'line 2', '09:30:00"'],
      ],
      ['no suffix in some rows', HEADER + '2024-03-01 09:29:00Z,1,2\n' + good, ['line 3', 'zone suffix', 'line 2', '09:29:00Z']],
      [
        'two suffixes for UTC',
        HEADER + '2024-03-01 09:30:00Z,1,2\n2024-03-01 09:30:00+00:00,1,2\n',
        ['line 3', '+00:00', 'zone suffix', 'line 2'],
      ],
      ['T and blank', HEADER + good + good + '2024-03-01T09:30:00,1,2\n', ['line 4', 'between date and time', 'line 2']],
      ['too few fields', HEADER + '2024-03-01 09:30:00,1\n', ['line 2', '2 fields', 'has 3']],
      ['too many fields', HEADER + '2024-03-01 09:30:00,1,2,3\n', ['line 2', '4 fields', 'has 3']],
      ['quotes under a header of trades', 'timestamp,price\n' + good, ['line 2', '3 fields', 'has 2']],
      ['a line without a comma', HEADER + good + 'end of file\n' + good, ['line 3', '1 field']],
      ['no price', HEADER + '2024-03-01 09:30:00,,2\n', ['line 2', 'bid', '""', 'not a number']],
      ['a price that is a word', HEADER + '2024-03-01 09:30:00,1,NaN\n', ['line 2', 'ask', '"NaN"', 'not a number']],
      ['a price in hexadecimal', HEADER + '2024-03-01 09:30:00,0x10,2\n', ['line 2', '"0x10"', 'not a number']],
      ['a price of 0', HEADER + '2024-03-01 09:30:00,0,2\n', ['line 2', 'bid "0"', 'above 0']],
      ['a price below 0', HEADER + '2024-03-01 09:30:00,1,-2\n', ['line 2', 'ask "-2"', 'above 0']],
      ['a price too large', HEADER + '2024-03-01 09:30:00,1,1e12\n', ['line 2', '"1e12"', 'below']],
      ['an infinite price', HEADER + '2024-03-01 09:30:00,1,1e999\n', ['line 2', '"1e999"', 'below']],
      ['a mid that rounds to 0', HEADER + '2024-03-01 09:30:00,1e-11,1e-11\n', ['line 2', 'mid of 0']],
      ['a blank line inside', HEADER + good + '\n' + good, ['line 3', 'blank']],
      ['an empty file', '', ['empty']],
      ['only a header', HEADER, ['no tick']],
      ['a header without a line end', HEADER.trimEnd(), ['no tick']],
      ['binary bytes', Buffer.concat([Buffer.from(HEADER + good), Buffer.alloc(5000), Buffer.from('\n')]), ['line 3', 'NUL byte']],
      ['binary bytes without a line end', Buffer.alloc(200_000), ['line 1', 'NUL byte']],
      ['text in UTF-16', Buffer.from('\ufeff' + HEADER + good, 'utf16le'), ['line 1', 'NUL byte', 'UTF-16']],
      ['a line without end', HEADER + good + '1'.repeat(500_000), ['line 3', 'longer than 65536']],
      ['a long line with an end', HEADER + '1'.repeat(70_000) + '\n' + good, ['line 2', 'longer than 65536']],
      ['gzip data cut short', gzipSync(HEADER + good.repeat(2000)).subarray(0, -20), ['truncated']],
      ['corrupt gzip data', Buffer.concat([gzipSync(HEADER).subarray(0, 10), Buffer.alloc(100, 0xff)]), ['corrupt']],
      ['bytes after the gzip data', Buffer.concat([gzipSync(HEADER + good), Buffer.alloc(2_000_000, 1)]), ['corrupt']],
    ];
    for (const [what, content, mentions] of refused) {
      it(what, async () => {
        const message = await refusal(read(content), 'file.malformed');
        expect(message).to.include(path.join(folder, 'ticks.csv'));
        for (const mention of mentions) expect(message).to.include(mention);
        expect(message.length, message).to.be.below(folder.length + 300);
      });
    }
  });

  it('stops after the first 64 KiB of a line without end, whatever its length', async () => {
    // 64 MiB of ones in 64 KiB of gzip: a reader without a limit would keep all of them in memory.
    const before = process.memoryUsage().rss;
    await refusal(read(gzipSync(Buffer.alloc(64 * 1024 * 1024, 49))), 'file.malformed');
    expect(process.memoryUsage().rss - before).to.be.below(100e6);
  });

  it('refuses a missing file and a folder', async () => {
    expect(await refusal(readTickFile(path.join(folder, 'missing.csv')), 'file.unreadable'))
      .to.include('missing.csv')
      .and.include('no such file');
    expect(await refusal(readTickFile(folder), 'file.unreadable')).to.include('not a regular file');
  });

  it('closes every file, read or refused', async function () {
    const openFiles = '/proc/self/fd';
    let before: number;
    try {
      before = readdirSync(openFiles).length;
    } catch {
      process.stdout.write('skipped: /proc/self/fd is not here\n');
      this.skip();
    }
    for (let i = 0; i < 5; i++) {
      await read(gzipSync(HEADER + ROWS));
      await refusal(read(HEADER), 'file.malformed');
      await refusal(read(gzipSync(HEADER + 'x\n')), 'file.malformed');
    }
    expect(readdirSync(openFiles).length).to.equal(before);
  });

  it('reads real ticks with the count, hash, and first and last timestamp of their index', async function () {
    if (!hasRealTicks) {
      process.stdout.write(`${REAL_TICKS_SKIPPED}\n`);
      this.skip();
    }
    type Entry = { file: string; ticks: number; sha256: string; first: string; last: string };
    const index = JSON.parse(readFileSync(path.join(REAL_TICKS_DIR, 'index.json'), 'utf8')) as Entry[];
    for (const entry of index.filter(({ ticks }) => ticks < 200_000)) {
      const file = await readTickFile(path.join(REAL_TICKS_DIR, entry.file));
      expect([file.rows, file.sha256], entry.file).to.deep.equal([entry.ticks, entry.sha256]);
      const { timesUs } = file.series;
      const ends = [formatTimestamp(timesUs[0]!), formatTimestamp(timesUs[timesUs.length - 1]!)];
      expect(ends, entry.file).to.deep.equal([entry.first, entry.last]);
    }
  });
});
