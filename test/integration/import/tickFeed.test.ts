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
import { importBytes } from '../../support/importBytes.ts';
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

  const MS = Date.UTC(2024, 0, 9, 14, 30);
  const at = (i: number): number => MS + 250 * i;
  const iso = (i: number): string => new Date(at(i)).toISOString();
  const price = (i: number): string => (46_211.5 + (i % 7)).toFixed(1);
  const RECORDINGS: Readonly<Record<string, (i: number) => unknown>> = {
    'trades of Binance': (i) => ({ e: 'trade', E: at(i) + 1, s: 'X', t: i, p: price(i), q: '1', b: 2, a: 3, T: at(i), m: true }),
    'lines of hftbacktest with a bookTicker': (i) =>
      `${at(i)}000000 ${JSON.stringify({ stream: 'x@bookTicker', data: { u: i, s: 'X', b: price(i), B: '1', a: price(i + 1), A: '2' } })}`,
    'trades of Bitfinex': (i) => [
      [17, 'te', [i, at(i), -0.1, Number(price(i))]],
      [17, 'tu', [i, at(i), -0.1, Number(price(i))]],
      [17, 'hb'],
    ],
    'trades of Bybit': (i) => ({ topic: 'publicTrade.X', ts: at(i) + 2, data: [{ T: at(i), s: 'X', S: 'Buy', v: '1', p: price(i) }] }),
    'best levels of OKX': (i) => ({
      arg: { channel: 'bbo-tbt', instId: 'X' },
      data: [{ ts: String(at(i)), bids: [[price(i), '1', '0', '1']], asks: [[price(i + 1), '1', '0', '1']] }],
    }),
    'matches of Coinbase': (i) => ({ type: 'match', trade_id: i, side: 'sell', price: price(i), product_id: 'X', time: iso(i) }),
    'the book of Hyperliquid': (i) => ({
      channel: 'l2Book',
      data: { coin: 'X', time: at(i), levels: [[{ px: price(i) }], [{ px: price(i + 1) }]] },
    }),
    'spreads of Kraken v1': (i) => [[0, [price(i), price(i + 1), `${at(i) / 1000}`, '1', '1'], 'spread', 'X']],
    'trades of Kraken v2': (i) => ({ channel: 'trade', data: [{ symbol: 'X', price: Number(price(i)), qty: 1, timestamp: iso(i) }] }),
  };
  const FIRST: Readonly<Record<string, string>> = {
    'trades of Bitfinex': '{"event":"info","version":2}\n{"event":"subscribed","channel":"trades","chanId":17,"symbol":"tX","pair":"X"}\n',
    'spreads of Kraken v1': '{"event":"systemStatus","status":"online"}\n',
  };
  for (const [what, message] of Object.entries(RECORDINGS))
    it(`gives the ticks that import gives: ${what}`, async () => {
      const lines = Array.from({ length: 40 }, (_, i) => message(i)).flatMap((each) =>
        Array.isArray(each) ? (each as unknown[]) : [each],
      );
      const text = `${FIRST[what] ?? ''}${lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')}\n[1,"cut of`;
      const fed = await readFeed(text);
      const imported = await importBytes(text, { nowMs: Date.UTC(2026, 0, 1) });
      expect([imported.timesUs, imported.prices]).to.deep.equal([fed.timesUs, fed.prices]);
      expect([fed.ticks, fed.timesUs[0], new Set(fed.series)]).to.deep.equal([40, at(0) * 1000, new Set(['X'])]);
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
