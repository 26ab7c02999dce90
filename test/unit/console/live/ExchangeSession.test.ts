import { expect } from 'chai';
import { ExchangeSession, type ExchangeParts } from '../../../../src/console/exchange/ExchangeSession.ts';
import { pairOf } from '../../../../src/ticks/exchange/exchanges.ts';
import type { FeedSocket } from '../../../../src/ticks/exchange/FeedParts.ts';
import { writeTimestamp } from '../../../../src/ticks/timestamps.ts';
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

  readonly send = (): void => {};

  close(): void {
    this.isClosed = true;
  }

  /** Trades with these numbers, each at a price of 100 and its number. Resolves when they were read. */
  async trade(...numbers: readonly number[]): Promise<void> {
    await this.give(...numbers.map((t) => ({ e: 'trade', s: 'BTCUSDT', t, p: String(100 + t), T: MS + t })));
  }

  async give(...messages: readonly object[]): Promise<void> {
    for (const message of messages) this.onmessage?.({ data: JSON.stringify(message) });
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

function start(parts: Partial<ExchangeParts> = {}) {
  const [feed, socket] = [new FakeFeed(), new FakeSocket()];
  const told = { marks: 0, urls: [] as string[] };
  const session = new ExchangeSession({
    ...{ exchange: 'binance', isQuotes: false, market: pairOf('btc/usdt')!, feed, model: null, everyS: 5, options: {} },
    horizons: ['10s', '60s', '5m', '30m'],
    ...parts,
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
  const { fetch } = globalThis;
  const asked: string[] = [];
  /** Of the requests for earlier trades; undefined: the exchange does not answer pages of other origins. */
  let history: readonly object[] | undefined;
  beforeEach(() => {
    [history, asked.length] = [[], 0];
    globalThis.fetch = async (url) => {
      asked.push(String(url));
      if (history === undefined) throw new TypeError('Failed to fetch');
      return Response.json(history);
    };
  });
  afterEach(() => {
    globalThis.fetch = fetch;
  });

  it('passes the trades of the exchange on as a series with four horizons, and tells what it waits for', async () => {
    const { feed, socket, session, told } = start();
    expect(told.urls).to.deep.equal(['wss://stream.binance.com:9443/ws/btcusdt@trade']);
    expect(feed.calls[0]).to.match(/^open BTCUSDT 10s.*60s.*5m.*30m/);
    expect([session.phase, session.text(MS)]).to.deep.equal(['connecting', 'Connecting to Binance BTC/USDT…']);
    await socket.trade(1, 2, 2);
    expect([feed.pushed, feed.lastTick]).to.deep.equal([2, { timeUs: 1000 * (MS + 2), price: 102 }]);
    expect(session.text(MS + 1000)).to.equal('Binance BTC/USDT: 102 at 09:30:00.002 UTC; the first forecast needs 197 more trades.');
    // What was said before is over.
    expect(session.doubt).to.match(/^No earlier trades: none stands before/);
    await socket.trade(...upTo(199));
    expect(session.text(MS + 240_199)).to.equal('Binance BTC/USDT: 299 at 09:30:00.199 UTC; the last trade is 4 min old.');
    session.stop();
    expect([session.phase, session.isRunning, feed.calls.at(-1)]).to.deep.equal(['ended', false, 'close']);
    await socket.trade(200);
    expect([socket.isClosed, feed.pushed]).to.deep.equal([true, 199]);
  });

  it('begins with the trades that the exchange has kept', async () => {
    history = upTo(250).map((id) => ({ id, price: '100', qty: '1', time: MS + id }));
    const { feed, socket, session } = start();
    await socket.trade(251);
    expect(asked).to.deep.equal(['https://api.binance.com/api/v3/trades?symbol=BTCUSDT&limit=1000']);
    expect([feed.pushed, session.doubt, session.text(MS + 251)]).to.deep.equal([
      251,
      '250 earlier trades.',
      'Binance BTC/USDT: 351 at 09:30:00.251 UTC.',
    ]);
    session.stop();
  });

  it('goes on without earlier trades, and says so, where the exchange does not answer pages', async () => {
    history = undefined;
    const { feed, socket, session } = start();
    await socket.trade(1, 2);
    expect(feed.pushed).to.equal(2);
    expect(session.doubt).to.match(/^No earlier trades from api\.binance\.com: no answer that may be read here\.$/);
    session.stop();
  });

  it('passes quotes on with both sides, and asks for none of the past', async () => {
    const { feed, socket, session, told } = start({ exchange: 'bybit', isQuotes: true });
    expect(told.urls).to.deep.equal(['wss://stream.bybit.com/v5/public/spot']);
    const book = {
      topic: 'orderbook.1.BTCUSDT',
      type: 'snapshot',
      ts: MS,
      data: { s: 'BTCUSDT', b: [['99', '1']], a: [['101', '2']], u: 1 },
    };
    await socket.give(book);
    expect([feed.lastTick, asked]).to.deep.equal([{ timeUs: 1000 * MS, bid: 99, ask: 101 }, []]);
    expect(session.text(MS)).to.equal('Bybit BTC/USDT: 100 at 09:30:00.000 UTC; the first forecast needs 198 more quotes.');
    session.stop();
    expect(session.text(MS)).to.equal('Bybit BTC/USDT: stopped after 1 quote.');
  });

  it('asks for the score after an outcome, one question at a time', async () => {
    const { feed, socket, session } = start();
    await socket.trade(...upTo(250));
    const asked = (): number => feed.calls.filter((call) => call === 'score').length;
    await feed.give(outcome({ series: 'BTCUSDT', n: 0 }), outcome({ series: 'BTCUSDT', n: 1 }));
    expect([asked(), session.shown.scores.length]).to.deep.equal([1, 0]);
    const told = score({ marks: 1 });
    await feed.give({ ...told, series: 'BTCUSDT' }, outcome({ series: 'BTCUSDT', n: 2 }));
    expect([asked(), session.shown.scores]).to.deep.equal([2, told.scores]);
    session.stop();
  });

  it('asks whether a level is reached, and not of a series that begins again before its first forecast', async () => {
    const { feed, socket, session } = start();
    const { level, name } = session.shown;
    const asks = (): string[] => feed.calls.filter((call) => call.startsWith('ask'));
    await socket.trade(...upTo(250));
    await feed.give({ type: 'connected', is_resumed: false }, forecast({ series: name, n: 0 }));
    level!.ask('60s', 0, 101);
    expect(asks()).to.deep.equal(['ask 60s 101']);
    session.changeOptions({ minMoveBps: 3 });
    level!.ask('60s', 1, 101);
    await feed.give(forecast({ series: name, id: 'ask' }));
    expect([asks().length, level!.answerOf('60s')], 'what was asked of the series before').to.deep.equal([1, undefined]);
    await feed.give(forecast({ series: `${name}.2`, n: 0 }));
    level!.ask('60s', 1, 101);
    expect(asks()).to.deep.equal(['ask 60s 101', 'ask 60s 101']);
    const rows = session.shown.log.rows.length;
    await feed.give(forecast({ series: `${name}.2`, id: 'ask' }));
    expect(level!.answerOf('60s')).to.include({ price: 101 });
    expect(session.shown.log.rows, 'an answer is no forecast of the series').to.have.length(rows);
    session.stop();
    level!.ask('60s', 2, 101);
    expect(asks()).to.have.length(2);
  });

  it('asks with another threshold from the next forecast on, and goes on with the ticks that it has', async () => {
    const { feed, socket, session } = start();
    await socket.trade(...upTo(250));
    const at = (ms: number): string => writeTimestamp(1000 * (MS + ms));
    const of = { timestamp: at(240), last_tick: at(240) };
    await feed.give(forecast({ ...of, series: 'BTCUSDT', n: 3 }), score());
    session.changeOptions({ minMoveBps: 8.1 });
    expect(feed.calls.slice(1)).to.deep.equal(['closeSeries', 'open BTCUSDT.2 10s/5s/8.1,60s/5s/8.1,5m/5s/8.1,30m/5s/8.1']);
    expect([feed.pushed, session.shown.position, session.shown.scores]).to.deep.equal([500, 250, []]);
    // What the ticks repeat is no new forecast.
    await feed.give(forecast({ ...of, series: 'BTCUSDT.2', n: 0, min_move_bps: 8.1 }));
    await socket.trade(251);
    await feed.give(forecast({ timestamp: at(251), last_tick: at(251), series: 'BTCUSDT.2', n: 1, min_move_bps: 8.1 }));
    expect(session.shown.log.rows.map(({ message, outcome: came }) => [message.min_move_bps, came?.moved])).to.deep.equal([
      [2.5, null],
      [8.1, undefined],
    ]);
    session.stop();
  });

  it('begins a new series where trades are missing, keeps the forecasts before it, and gives no number twice', async () => {
    const { feed, socket, session, told } = start();
    await socket.trade(1, 2);
    await feed.give(mark({ series: 'BTCUSDT', n: 7 }), forecast({ series: 'BTCUSDT', n: 8 }), score({ marks: 1 }));
    await socket.trade(5);
    expect(session.doubt).to.include('Gap: 2 trades are missing. A new series begins.');
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

  it('loses one trade by a stamp that is a day ahead', async () => {
    const { feed, socket, session } = start();
    await socket.trade(...upTo(20));
    await socket.give({ e: 'trade', s: 'BTCUSDT', t: 21, p: '121', T: MS + 86_400_000 });
    await socket.trade(...upTo(60).slice(21));
    expect([feed.pushed, feed.lastTick, session.shown.breaks]).to.deep.equal([59, { timeUs: 1000 * (MS + 60), price: 160 }, []]);
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
      expect(pairOf(text)).to.equal(undefined);
    });
});
