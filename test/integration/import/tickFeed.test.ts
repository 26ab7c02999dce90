import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ServiceError } from '../../../src/core/ServiceError.ts';
import { STANDARD_INPUT } from '../../../src/ticks/import/bytes/fileChunks.ts';
import type { FeedCounts, FeedTicks } from '../../../src/ticks/import/FeedBatch.ts';
import { readTickFeed } from '../../../src/ticks/import/tickFeed.ts';
import { GAP_LINE } from '../../../src/ticks/exchange/exchangeMessages.ts';
import { caseTicks } from '../../support/fileCase.ts';
import { importBytes } from '../../support/importBytes.ts';
import { SOURCE_CASES } from '../../support/sourceCases.ts';
import { binanceTrades } from '../../../bench/serving/binanceFeed.ts';

describe('readTickFeed', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'tickmark-feed-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  type Read = FeedCounts & FeedTicks;
  async function readFeed(content: string | Buffer, name = 'feed.txt'): Promise<Read> {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    const replaces = new Map<string, string>();
    const all: FeedTicks = { series: [], timesUs: [], prices: [], bids: [], asks: [], ranges: [], replaces };
    const counts = await readTickFeed(file, { series: 'own', nowMs: () => 0, file: {} }, (ticks) => {
      for (const name of ['timesUs', 'prices', 'bids', 'asks'] as const) all[name].push(...ticks[name]);
      all.series.push(...ticks.series);
      for (const [name, before] of ticks.replaces) replaces.set(name, before);
      return Promise.resolve();
    });
    return { ...all, ...counts };
  }
  const trade = (s: string, T: number, p: string): string => JSON.stringify({ e: 'trade', s, p, T });

  it('reads a recording of several symbols in order, packed or not, whatever chunks it comes in', async () => {
    const lines = [...binanceTrades({ messages: 20_000, symbols: ['BTCUSDT', 'ETHUSDT'], perSecond: 100 })];
    const plain = await readFeed(`{"result":null,"id":1}\n${lines.join('')}`);
    const packed = await readFeed(gzipSync(lines.join('')), 'feed.ndjson.gz');
    expect([plain.ticks, plain.outOfOrder, plain.withoutPrice]).to.deep.equal([20_000, 0, 1]);
    expect([packed.series, packed.timesUs, packed.prices]).to.deep.equal([plain.series, plain.timesUs, plain.prices]);
    const expected = lines.map((line) => JSON.parse(line) as { s: string; T: number; p: string });
    expect(plain.series).to.deep.equal(expected.map(({ s }) => s));
    expect(plain.prices).to.deep.equal(expected.map(({ p }) => Number(p)));
  });

  it('leaves out and counts ticks before the last one of their symbol, and reads a last line that is cut off', async () => {
    const lines = [trade('A/B', 2000, '1'), trade('C', 1000, '2'), trade('A/B', 1999, '3'), trade('A/B', 2000, '4'), '', '{"e":"tra'];
    const { series, prices, outOfOrder } = await readFeed(lines.join('\r\n'));
    expect([series, prices, outOfOrder]).to.deep.equal([['A-B', 'C', 'A-B'], [1, 2, 4], 1]);
  });

  it('loses one tick by a stamp that is far ahead, and begins a new series where times begin again or trades are missing', async () => {
    const lines = Array.from({ length: 500 }, (_, i) => trade('X', 1e12 + 400 * i + (i === 100 ? 86_400_000 : 0), '1'));
    const { ticks, ahead, outOfOrder } = await readFeed(lines.join('\n'));
    expect([ticks, ahead, outOfOrder]).to.deep.equal([499, 1, 0]);
    const again = [trade('X', 2e12, '1'), ...lines.slice(101, 400), GAP_LINE, GAP_LINE, ...lines.slice(400)];
    const read = await readFeed(again.join('\n'));
    expect([...new Set(read.series)]).to.deep.equal(['X', 'X.2', 'X.4']);
    expect(read.series.filter((name) => name === 'X.2')).to.have.length(299);
    expect([...read.replaces]).to.deep.equal([
      ['X.2', 'X'],
      ['X.4', 'X.2'],
    ]);
  });

  it('gives the ticks of recorded messages that import gives, also before a line that is cut off', async () => {
    let recordings = 0;
    for (const { name, write, refused } of SOURCE_CASES) {
      if (refused !== undefined || typeof write(caseTicks()) !== 'string') continue;
      const text = `${String(write(caseTicks())).trimEnd()}\n[1,"cut of`;
      const imported = await importBytes(text, { nowMs: Date.UTC(2026, 0, 1) }).catch(() => undefined);
      if (imported?.report.format !== 'messages') continue;
      const { timesUs, prices, series } = await readFeed(text);
      expect([timesUs, prices, new Set(series).size], name).to.deep.equal([imported.timesUs, imported.prices, 1]);
      recordings++;
    }
    expect(recordings).to.be.above(12);
  });

  it('reads every format of import with the name of its series', async () => {
    const { series, timesUs, prices, bids, asks } = await readFeed(
      'timestamp,bid,ask\n2024-01-02 09:30:00.000,1,3\n2024-01-02 09:30:01.000,2,4\n',
    );
    expect([bids, asks]).to.deep.equal([
      [1, 2],
      [3, 4],
    ]);
    expect([series, prices]).to.deep.equal([
      ['own', 'own'],
      [2, 3],
    ]);
    expect(timesUs[1] - timesUs[0]).to.equal(1e6);
  });

  it('refuses on standard input rows wider than their header, a second market and another kind of prices', async () => {
    const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
    const refused = async (lines: readonly string[]): Promise<string> => {
      Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(`${lines.join('\n')}\n`)]), configurable: true });
      const options = { series: 'own', nowMs: () => 0, file: {} };
      const error = await readTickFeed(STANDARD_INPUT, options, async () => {}).catch((thrown: unknown) => thrown as Error);
      return error instanceof Error ? error.message : 'read';
    };
    const [first, second] = ['"timestamp":"2024-01-02 09:30:00.000"', '"timestamp":"2024-01-02 09:30:01.000"'];
    try {
      expect(await refused(['timestamp,price', '2024-01-02 09:30:00.000,4790,25']))
        .to.include('line 2')
        .and.include('3 fields, and the header 2');
      expect(await refused([`{${first},"price":1,"symbol":"A"}`, `{${second},"price":2,"symbol":"B"}`])).to.include(
        'line 2: it holds trades of B',
      );
      expect(await refused([`{${first},"price":1}`, `{${second},"bid":1,"ask":2}`])).to.include(
        'it holds quotes, and the lines before trades',
      );
      expect(await refused([`{${first},"price":1,"symbol":"A"}`, `{${second},"price":2,"symbol":"A"}`])).to.equal('read');
    } finally {
      Object.defineProperty(process, 'stdin', stdin);
    }
  });

  it('names line and value of what it cannot read', async () => {
    const refused = async (content: string, words: string): Promise<void> => {
      const { code, message } = (await readFeed(content).catch((error: unknown) => error)) as ServiceError;
      expect([code, message]).to.deep.equal(['file.malformed', `${path.join(folder, 'feed.txt')}, ${words}.`]);
    };
    await refused(`${trade('A', 1, '1')}\nnot json\n`, 'line 2: "not json" is not a JSON object');
    await refused('{"u":1,"s":"A","b":"1","a":"2"}\n', 'line 1: the message of A has no time');
    await refused(`${trade('A', 1, '1')}\n${'x'.repeat(1024 * 1024 + 1)}`, 'line 2: the line is longer than 1 MiB');
  });
});
