import { expect } from 'chai';
import { TickError, TickmarkClient } from '../../../clients/typescript/src/index.ts';
import { PLAN, T0, closeRig, live, nextSocket, openRig, read, start, turn, pricesOf } from '../../support/liveRig.ts';
import { PuppetSocket } from '../../support/PuppetSocket.ts';
import { until } from '../../support/until.ts';

describe('client.live()', () => {
  beforeEach(openRig);
  afterEach(closeRig);

  it('sends the bars of a series of bars, each once', async () => {
    const socket = start();
    live.open({ series: 's', forecasts: [{ horizon: '3bars', every: '1m' }], bars: { barTime: 'open', period: '1m' } });
    live.pushBars('s', [{ timeMs: T0, close: 100 }]);
    live.pushBars('s', [
      { timeMs: T0, close: 100 },
      { timeMs: T0 + 60_000, close: 101 },
    ]);
    expect(() => live.push('s', { timeMs: T0, price: 1 })).to.throw(RangeError, 'series s is one of bars: pushBars sends them');
    socket.accept();
    await turn();
    expect(socket.sent.slice(1)).to.deep.equal([
      { type: 'open', series: 's', forecasts: [{ horizon: '3bars', every: '1m' }], bars: { bar_time: 'open', period: '1m' } },
      { type: 'bars', series: 's', Timestamp: ['2024-01-02 09:00:00.000', '2024-01-02 09:01:00.000'], Close: [100, 101] },
    ]);
    live.open({ series: 't', forecasts: [PLAN] });
    expect(() => live.pushBars('t', [])).to.throw(RangeError, 'series t is one of ticks: open it with bars');
  });

  it('sends the key first and never in the URL, then opens the series and sends ticks of one loop in one message', async () => {
    const socket = start();
    live.open({ series: 's', forecasts: [PLAN], model: 'mine', memoryOff: true });
    for (let i = 0; i < 3; i++) live.push('s', { timeMs: T0 + 1000 * i, price: 100 + i });
    expect([socket.url, socket.protocols]).to.deep.equal(['wss://desk.example.com/t/auth/live', ['tickmark.v1']]);
    socket.accept();
    live.push('s', [{ timeUs: T0 * 1000 + 3_000_001, price: 103 }]);
    live.ask('s', { horizon: '60s', detail: true });
    live.score('s');
    await turn();
    expect(socket.sent).to.deep.equal([
      { type: 'auth', api_key: 'k' },
      { type: 'open', series: 's', forecasts: [{ horizon: '60s', every: '5s', min_move_bps: 2.5 }], model: 'mine', memory: 'off' },
      {
        ...{ type: 'ticks', series: 's', Timestamp: ['2024-01-02 09:00:00.000', '2024-01-02 09:00:01.000', '2024-01-02 09:00:02.000'] },
        Price: [100, 101, 102],
      },
      { type: 'ticks', series: 's', Timestamp: ['2024-01-02 09:00:03.000001'], Price: [103] },
      { type: 'ask', series: 's', horizon: '60s', detail: true },
      { type: 'score', series: 's' },
    ]);
    live.closeSeries('s');
    await turn();
    expect(socket.sent.at(-1)).to.deep.equal({ type: 'close', series: 's' });
    expect(() => live.push('s', { timeMs: T0 + 9000, price: 1 })).to.throw(RangeError, 'series "s" is not open');
  });

  it('sends the ticks that were pushed just before a series is closed', async () => {
    const socket = start();
    socket.accept();
    live.open({ series: 's', forecasts: [PLAN] });
    live.push('s', { timeMs: T0 + 1000, price: 100 });
    live.closeSeries('s');
    await turn();
    expect(socket.sent.map(({ type }) => type)).to.deep.equal(['auth', 'open', 'ticks', 'close']);
  });

  it('sends all of a series that is closed before the connection is up', async () => {
    const first = start();
    first.accept();
    first.lose(1006);
    live.open({ series: 's', forecasts: [PLAN] });
    live.push('s', { timeMs: T0 + 1000, price: 100 });
    live.score('s');
    live.closeSeries('s');
    live.open({ series: 's', forecasts: [PLAN] });
    const socket = await nextSocket(2);
    socket.accept();
    await turn();
    expect(socket.sent.map(({ type }) => type)).to.deep.equal(['auth', 'open', 'ticks', 'score', 'close', 'open']);
  });

  it('closes a series before it opens another one with that name', async () => {
    const socket = start();
    socket.accept();
    live.open({ series: 's', forecasts: [PLAN] });
    live.push('s', { timeMs: T0 + 1000, price: 100 });
    await turn();
    socket.bufferedAmount = 2 * 1024 * 1024;
    live.push('s', { timeMs: T0 + 2000, price: 101 });
    live.score('s');
    live.closeSeries('s');
    live.open({ series: 's', forecasts: [PLAN] });
    live.push('s', { timeMs: T0 + 500, price: 102 });
    live.score('s');
    await turn();
    expect(socket.sent).to.have.length(3);
    socket.bufferedAmount = 0;
    await until(() => socket.sent.length > 3);
    await turn();
    const types = ['auth', 'open', 'ticks', 'ticks', 'score', 'close', 'open', 'ticks', 'score'];
    expect(socket.sent.map(({ type }) => type)).to.deep.equal(types);
    expect(socket.sent.filter(({ type }) => type === 'ticks').map(({ Price }) => Price)).to.deep.equal([[100], [101], [102]]);
  });

  it('does not close a series that the loss of its connection has closed', async () => {
    const first = start();
    first.accept();
    for (const series of ['r', 's', 't']) live.open({ series, forecasts: [PLAN] });
    await turn();
    first.bufferedAmount = 2 * 1024 * 1024;
    live.push('r', { timeMs: T0 + 1000, price: 100 });
    live.closeSeries('r');
    first.lose(1006);
    live.push('s', { timeMs: T0 + 1000, price: 100 });
    live.score('s');
    live.closeSeries('s');
    live.closeSeries('t');
    live.open({ series: 't', forecasts: [PLAN] });
    const second = await nextSocket(2);
    second.accept();
    await turn();
    expect(second.sent.map(({ type, series }) => [type, series])).to.deep.equal([
      ['auth', undefined],
      ['open', 't'],
    ]);
  });

  it('names the bad tick, its field, the rule and the value, and sends none of its call', async () => {
    const socket = start();
    socket.accept();
    live.open({ series: 's', forecasts: [PLAN] });
    live.push('s', { timeMs: T0 + 5000, price: 1 });
    const good = { timeMs: T0 + 6000, price: 1 };
    for (const [tick, words] of [
      [{ timeMs: T0 + 7000, price: NaN }, 'tick 1: price must be above 0 and below 1e12; it is NaN'],
      [{ timeMs: T0 + 7000, price: 0 }, 'it is 0'],
      [{ timeMs: T0 + 7000, price: 1e12 }, 'it is 1000000000000'],
      [{ timeMs: T0 + 7000, price: '1' }, 'tick 1: price'],
      [{ timeMs: NaN, price: 1 }, 'tick 1: time must be milliseconds (13 digits) since 1970, up to 2199; it is NaN'],
      [{ timeUs: 1.5, price: 1 }, 'it is 1.5'],
      [{ timeMs: T0 / 1000, price: 1 }, 'may be seconds'],
      [{ timeMs: T0 * 1000, price: 1 }, 'may be microseconds'],
      [{ timeUs: T0, price: 1 }, 'may be milliseconds'],
      [{ timeMs: T0 + 5999, price: 1 }, '(2024-01-02 09:00:06.000): the oldest comes first; it is 2024-01-02 09:00:05.999'],
    ] as const) {
      const push = (): unknown => live.push('s', [good, tick as never]);
      expect(push, words).to.throw(TickError, words);
    }
    await turn();
    expect(socket.sent.filter(({ type }) => type === 'ticks').flatMap(({ Price }) => Price)).to.deep.equal([1]);
  });

  it('refuses ticks that it could not keep, and ends those who wait with the connection', async () => {
    start().accept();
    live.open({ series: 's', forecasts: [PLAN] });
    const ticks = Array.from({ length: 500_001 }, (_, i) => ({ timeMs: T0 + i, price: 1 }));
    live.push('s', ticks);
    expect(() =>
      live.push(
        's',
        ticks.map(({ timeMs }) => ({ timeMs: timeMs + 500_001, price: 1 })),
      ),
    ).to.throw(RangeError, 'wait for drained()');
    const waits = live.drained();
    live.close();
    await waits;
  });

  it('leaves out a tick that is a day ahead and late ones, says so, and begins again where the times do', async () => {
    const socket = start();
    socket.accept();
    live.open({ series: 's', forecasts: [PLAN] });
    const one = (ms: number) => ({ timeMs: T0 + ms, price: 1e7 + ms });
    for (let i = 0; i < 300; i++) live.push('s', one(400 * i + (i === 100 ? 86_400_000 : 0)));
    for (let i = 0; i < 5; i++) live.push('s', one(100));
    await turn();
    expect(pricesOf(socket)).to.deep.equal(
      Array.from({ length: 300 }, (_, i) => 1e7 + 400 * i + (i === 100 ? 86_400_000 : 0)).filter((_, i) => i !== 100),
    );
    live.push('s', { timeMs: T0 + 400 * 300, bid: 2, ask: 1 });
    // Late ones are counted once a tick goes on after them.
    live.push('s', one(400 * 300));
    await turn();
    const told = (): unknown[] => read.filter(({ type }) => type === 'ticks_left_out');
    expect(told()).to.deep.equal([
      { type: 'ticks_left_out', series: 's', late: 0, ahead: 1, crossed: 0 },
      { type: 'ticks_left_out', series: 's', late: 0, ahead: 1, crossed: 1 },
      { type: 'ticks_left_out', series: 's', late: 5, ahead: 1, crossed: 1 },
    ]);
    const before = socket.sent.length;
    for (let i = 0; i < 201; i++) live.push('s', one(-3_600_000 + 400 * i));
    await turn();
    expect(socket.sent.slice(before).map(({ type }) => type)).to.deep.equal(['close', 'open', 'ticks']);
    expect((socket.sent.at(-1)!['Price'] as number[]).length).to.equal(201);
    expect(read.at(-1)).to.deep.equal({ type: 'restarted', series: 's' });
  });

  it('takes the newest form of the last bar, from the first change on without sending one that runs', async () => {
    let socket = start();
    socket.accept();
    live.open({ series: 's', forecasts: [PLAN], bars: { barTime: 'open', period: '1m' } });
    const bar = (i: number, close: number) => [T0 + 60_000 * i, 100, 200, 50, close] as const;
    for (let i = 1; i < 12; i++) {
      const ended = Array.from({ length: i }, (_, k) => bar(k, 100 + k));
      live.pushBars('s', [...ended.slice(-5), bar(i, 77)]);
      await turn();
      live.pushBars('s', [...ended.slice(-5), bar(i, 78)]);
      await turn();
      if (socket.readyState !== 3) continue;
      socket = await nextSocket(2);
      socket.accept();
      await turn();
    }
    expect(PuppetSocket.made).to.have.length(2);
    expect(socket.sent.flatMap(({ Close }) => (Close as number[] | undefined) ?? [])).to.deep.equal(
      Array.from({ length: 11 }, (_, k) => 100 + k),
    );
  });

  it('watches the key, again after a reconnection, and gives the copies as they come', async () => {
    const socket = start();
    live.watch();
    live.watch();
    socket.accept();
    await turn();
    expect(socket.sent.filter(({ type }) => type === 'watch')).to.have.length(1);
    const copies = [{ source: 'x', message: { type: 'price', series: 's', timestamp: '2024-01-02 09:32:00.478', price: 2 } }];
    socket.say({ type: 'watched', copies, dropped: 3 });
    await turn();
    expect(read.at(-1)).to.deep.equal({ type: 'watched', copies, dropped: 3 });
    socket.lose(1006);
    const second = await nextSocket(2);
    second.accept();
    await turn();
    expect(second.sent.map(({ type }) => type)).to.deep.equal(['auth', 'watch']);
  });

  it('pushes quotes with both sides, apart from prices, and names the side that is bad', async () => {
    const socket = start();
    live.open({ series: 's', forecasts: [PLAN] });
    live.push('s', { timeMs: T0 + 60_000, bid: 1.1, ask: 1.3 });
    live.push('s', [{ timeMs: T0 + 60_001, price: 2.5 }]);
    const refused = (tick: object): string => {
      try {
        live.push('s', tick as never);
      } catch (error) {
        return error instanceof TickError ? `${error.field}: ${error.message}` : String(error);
      }
      return '';
    };
    expect(refused({ timeMs: T0 + 60_002, bid: 1, ask: -1 })).to.equal('ask: tick 0: ask must be above 0 and below 1e12; it is -1');
    expect(refused({ timeMs: T0 + 60_002 })).to.match(/^price: /);
    socket.accept();
    await turn();
    const [quotes, prices] = socket.sent.filter(({ type }) => type === 'ticks');
    expect(quotes).to.deep.include({ Bid: [1.1], Ask: [1.3] });
    expect(prices).to.deep.include({ Price: [2.5] });
  });

  it('says what is missing: a key, a WebSocket, a valid name', () => {
    expect(() => new TickmarkClient().live({ WebSocket: PuppetSocket })).to.throw(RangeError, 'apiKey');
    const { WebSocket: own } = globalThis as { WebSocket?: unknown };
    if (own === undefined) expect(() => new TickmarkClient({ apiKey: 'k' }).live()).to.throw(RangeError, 'Install the package ws');
    start();
    expect(() => live.open({ series: 'a b', forecasts: [PLAN] })).to.throw(RangeError, 'it is "a b"');
    live.open({ series: 's', forecasts: [PLAN] });
    expect(() => live.open({ series: 's', forecasts: [PLAN] })).to.throw(RangeError, 'open already');
  });
});
