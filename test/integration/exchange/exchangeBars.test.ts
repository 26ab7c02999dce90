import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { barsSince } from '../../../src/ticks/exchange/exchangeBars.ts';
import { marketOf } from '../../../src/ticks/exchange/exchanges.ts';
import { EXCHANGE_CASES, MS } from '../../support/exchangeCases.ts';

const MINUTE_US = 60e6;

describe('bars of an exchange', () => {
  let rest: Server | undefined;
  afterEach(() => rest?.close());

  /** What is read of an exchange that answers so, and what it was asked. */
  async function read(
    name: string,
    answer: (url: URL) => unknown,
    { periodUs = MINUTE_US, fromUs = 0, status = 200 }: { periodUs?: number; fromUs?: number; status?: number } = {},
  ) {
    const asked: string[] = [];
    let said = '';
    let waits = 0;
    rest = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(status, { Connection: 'close' }).end(JSON.stringify(answer(new URL(url, 'http://rest'))));
    });
    rest.listen(0, '127.0.0.1');
    await once(rest, 'listening');
    const clock = {
      nowMs: () => MS,
      after: (_: number, run: () => void) => {
        waits++;
        setImmediate(run);
        return () => {};
      },
    };
    const parts = {
      ...{ ...marketOf(name, ['BTC', 'USDT'], false), historyUrl: `http://127.0.0.1:${(rest.address() as AddressInfo).port}/trades` },
      ...{ clock, signal: new AbortController().signal, say: (text: string) => void (said += text) },
    };
    const bars = await barsSince(fromUs, periodUs, parts);
    rest.close();
    return { bars, asked, said, waits };
  }

  const BARS = [
    { startUs: 1000 * MS - 2 * MINUTE_US, open: 101, high: 110, low: 90, close: 104 },
    { startUs: 1000 * MS - MINUTE_US, open: 102, high: 110, low: 90, close: 103 },
  ];

  for (const [name, { bars, barPath }] of Object.entries(EXCHANGE_CASES))
    it(`reads those of ${name}, oldest first, without those that had no trade`, async () => {
      const { bars: found, asked } = await read(name, () => bars);
      expect(found).to.deep.equal(BARS);
      expect(asked[0]).to.equal(barPath);
      for (const odd of [null, {}, 'x', [], { result: 1, data: 1 }, [[1], [MS, 'x', 2, 1, 2, 3]]])
        expect(marketOf(name, ['BTC', 'USDT'], false).exchange.bars!.read(odd)).to.deep.equal([]);
    });

  /** Klines of Binance that end with the asked one, at most `most`. */
  const klines =
    (most: number, oldestMs = 0) =>
    ({ searchParams }: URL): unknown[] => {
      const lastMs = 60_000 * Math.floor(Number(searchParams.get('endTime')) / 60_000);
      const starts = Array.from({ length: most }, (_, i) => lastMs - 60_000 * (most - 1 - i)).filter((startMs) => startMs >= oldestMs);
      return starts.map((startMs) => [startMs, '100', String(100 + (startMs % 7)), '99', '100', '1']);
    };

  it('reads the last 500 page by page, and no more than since the asked time', async () => {
    const all = await read('binance', klines(200));
    expect([all.bars?.length, all.asked.length, all.waits]).to.deep.equal([501, 3, 2]);
    const starts = all.bars!.map(({ startUs }) => startUs);
    expect(starts).to.deep.equal(starts.map((_, i) => 1000 * MS - MINUTE_US * (500 - i)));
    const since = await read('binance', klines(200), { fromUs: 1000 * MS - 10 * MINUTE_US });
    expect([since.bars?.length, since.asked.length]).to.deep.equal([11, 1]);
    const young = await read('binance', klines(200, MS - 250 * 60_000));
    expect([young.bars?.length, young.asked.length]).to.deep.equal([251, 3]);
  });

  it('makes longer ones of those that the exchange has, the first one only if it is whole', async () => {
    const { bars, asked } = await read('binance', klines(5, MS - 14 * 60_000), { periodUs: 2 * MINUTE_US });
    expect(asked[0]).to.include('interval=1m');
    expect(bars?.map(({ startUs }) => (startUs / 1000 - MS) / 60_000)).to.deep.equal([-14, -12, -10, -8, -6, -4, -2, 0]);
    const of = (startMs: number): number => 100 + (startMs % 7);
    expect(bars![1]).to.deep.include({ open: 100, close: 100, low: 99, high: Math.max(of(MS - 720_000), of(MS - 660_000)) });
    const cut = await read('binance', klines(5, MS - 13 * 60_000), { periodUs: 2 * MINUTE_US });
    expect(cut.bars?.[0].startUs).to.equal(1000 * MS - 12 * MINUTE_US);
  });

  it('has none of a period that the exchange does not know, and says why an exchange gives none', async () => {
    expect(await read('bybit', () => EXCHANGE_CASES['bybit'].bars, { periodUs: 90e6 })).to.deep.include({ bars: undefined, asked: [] });
    const { bars, said } = await read('okx', () => ({}), { status: 429 });
    expect([bars, said.replace(/:\d+/, '')]).to.deep.equal([undefined, 'No earlier bars from 127.0.0.1: status 429.\n']);
  });
});
