import { expect } from 'chai';
import { ExchangeSession, marketOf } from '../../../../src/console/exchange/ExchangeSession.ts';
import type { FeedSocket } from '../../../../src/ticks/import/exchangeFeed.ts';
import { FakeFeed } from './FakeFeed.ts';
import { forecast, mark, outcome, score } from './liveMessages.ts';

const MS = Date.UTC(2024, 0, 2, 9, 30);

/** A socket whose messages a test puts in. */
class FakeSocket implements FeedSocket {
  onopen: FeedSocket['onopen'] = null;
  onmessage: ((event: { readonly data: string }) => void) | null = null;
  onclose: FeedSocket['onclose'] = null;
  onerror: FeedSocket['onerror'] = null;
  isClosed = false;

  send(): void {}

  close(): void {
    this.isClosed = true;
  }

  /** Trades with these numbers, each at a price of 100 and its number. Resolves when they were read. */
  async trade(...numbers: readonly number[]): Promise<void> {
    for (const t of numbers) this.onmessage?.({ data: JSON.stringify({ e: 'trade', s: 'BTCUSDT', t, p: String(100 + t), T: MS + t }) });
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

function start() {
  const [feed, socket] = [new FakeFeed(), new FakeSocket()];
  const told = { marks: 0, urls: [] as string[] };
  const session = new ExchangeSession({
    ...{ exchange: 'binance', market: marketOf('btc/usdt')!, feed, model: null, everyS: 5, minMoveBps: null },
    onMark: () => void told.marks++,
    onChange: () => {},
    open: (url) => {
      told.urls.push(url);
      return socket;
    },
  });
  return { feed, socket, session, told };
}

describe('ExchangeSession', () => {
  it('passes the trades of the exchange on as a series with four horizons, and tells what it waits for', async () => {
    const { feed, socket, session, told } = start();
    expect(told.urls).to.deep.equal(['wss://stream.binance.com:9443/ws/btcusdt@trade']);
    expect(feed.calls[0]).to.match(/^open BTCUSDT 10s.*60s.*5m.*30m/);
    expect([session.phase, session.text(MS)]).to.deep.equal(['connecting', 'Connecting to Binance BTC/USDT…']);
    await socket.trade(1, 2, 2);
    expect([feed.pushed, feed.lastTick]).to.deep.equal([2, { timeUs: 1000 * (MS + 2), price: 102 }]);
    expect(session.text(MS + 1000)).to.equal('Binance BTC/USDT: 102 at 09:30:00.002 UTC; the first forecast needs 197 more trades.');
    expect(session.doubt).to.match(/^First trade of the connection: stamped \d+ ms before this clock\.$/);
    await socket.trade(...upTo(199));
    expect(session.text(MS + 240_199)).to.equal('Binance BTC/USDT: 299 at 09:30:00.199 UTC; the last trade is 4 min old.');
    session.stop();
    expect([session.phase, session.isRunning, feed.calls.at(-1)]).to.deep.equal(['ended', false, 'close']);
    await socket.trade(200);
    expect([socket.isClosed, feed.pushed]).to.deep.equal([true, 199]);
  });

  it('begins a new series where trades are missing, keeps the forecasts before it, and gives no number twice', async () => {
    const { feed, socket, session, told } = start();
    await socket.trade(1, 2);
    await feed.give(mark({ series: 'BTCUSDT', n: 7 }), forecast({ series: 'BTCUSDT', n: 8 }), score({ marks: 1 }));
    await socket.trade(5);
    expect(session.doubt).to.equal('Gap: 2 trades are missing. A new series begins.');
    expect(feed.calls.slice(1).map((call) => call.split(' ').slice(0, 2).join(' '))).to.deep.equal(['closeSeries', 'open BTCUSDT.2']);
    expect([session.shown.breaks, session.shown.position, session.shown.scores]).to.deep.equal([[2], 3, []]);
    await feed.give(
      outcome({ series: 'BTCUSDT', n: 7, moved: true }),
      mark({ series: 'BTCUSDT.2', n: 7 }),
      outcome({ series: 'BTCUSDT.2', n: 7, moved: false }),
    );
    expect(told.marks).to.equal(2);
    expect(session.shown.log.rows.map((row) => row.outcome?.moved)).to.deep.equal([null, null, false]);
    session.stop();
  });

  it('stops with the message of the exchange as it is', async () => {
    const { socket, session } = start();
    socket.onmessage?.({ data: '{"error":{"code":2,"msg":"Invalid request: unknown symbol"}}' });
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(session.phase).to.equal('failed');
    expect(session.text(MS)).to.include('stopped after 0 trades').and.include('Invalid request: unknown symbol');
  });

  for (const text of ['BTCUSDT', 'BTC/', '/USDT', 'BTC/USDT/EUR', ''])
    it(`takes ${JSON.stringify(text)} for no market`, () => {
      expect(marketOf(text)).to.equal(undefined);
    });
});
