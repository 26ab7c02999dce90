import { expect } from 'chai';
import {
  ApiError,
  ConnectionError,
  LiveRefusedError,
  TickError,
  TickmarkClient,
  type LiveConnection,
  type LiveMessage,
  type LiveOptions,
} from '../../../clients/typescript/src/index.ts';
import { PuppetSocket } from '../../support/PuppetSocket.ts';
import { until } from '../../support/until.ts';

const T0 = Date.UTC(2024, 0, 2, 9);
const PLAN = { horizon: '60s', every: '5s', minMoveBps: 2.5 };
const forecast = (n: number, timestamp: string, given = {}): Record<string, unknown> => ({
  ...{ type: 'forecast', series: 's', id: '60s', n, timestamp, future: 'f', trend_identified: 1, probability: 0.5 },
  ...{ decision_threshold: 0.4, min_move_bps: 1, reasons: [], model: 'base-1' },
  ...given,
});
const outcome = (n: number, given = {}): Record<string, unknown> => ({
  ...{ type: 'outcome', series: 's', id: '60s', n, moved: true, move_bps: 3 },
  ...given,
});
/** The answer to `score`, by which a client knows what the service has handled. */
const HANDLED = { type: 'score', series: 's', scores: [] };
const at = (second: number): string => `2024-01-02 09:00:${String(second).padStart(2, '0')}.000`;

describe('client.live()', () => {
  let live: LiveConnection;
  let read: LiveMessage[];
  let failure: unknown;
  let ended: Promise<void>;

  beforeEach(() => {
    PuppetSocket.made = [];
    failure = undefined;
    read = [];
  });
  afterEach(() => live?.close());

  function start(options: Partial<LiveOptions> = {}, reads = true): PuppetSocket {
    const client = new TickmarkClient({ baseUrl: 'https://desk.example.com/t/', apiKey: 'k', random: () => 0.5 });
    live = client.live({ WebSocket: PuppetSocket, firstWaitMs: 4, longestWaitMs: 8, ...options });
    if (reads)
      ended = (async () => {
        for await (const message of live) read.push(message);
      })().catch((error: unknown) => void (failure = error));
    return PuppetSocket.made[0] as PuppetSocket;
  }
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const nextSocket = async (count: number): Promise<PuppetSocket> => {
    await until(() => PuppetSocket.made.length === count);
    return PuppetSocket.made[count - 1] as PuppetSocket;
  };
  const resumeAfter = ({ sent }: PuppetSocket): unknown[] =>
    sent
      .filter(({ type }) => type === 'open')
      .flatMap(({ forecasts }) => (forecasts as Record<string, unknown>[]).map(({ resume_after: after }) => after));
  const numbers = (type: string): number[] => read.flatMap((message) => (message.type === type && 'n' in message ? [message.n] : []));

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

  it('connects again with exponential backoff and jitter, opens its series and sends all ticks that were not sent', async () => {
    let socket = start();
    socket.accept();
    live.open({ series: 's', forecasts: [PLAN] });
    socket.lose(1006);
    for (let i = 0; i < 7001; i++) live.push('s', { timeMs: T0 + i, price: 1 + i });
    socket = await nextSocket(2);
    for (let i = 3; i <= 5; i++) {
      socket.lose(1006);
      socket = await nextSocket(i);
    }
    socket.accept();
    await turn();
    expect(read.map((message) => (message.type === 'disconnected' ? message.wait_ms : message.type))).to.deep.equal([
      'connected',
      3,
      6,
      6,
      6,
      'connected',
    ]);
    expect(socket.sent.map(({ type }) => type)).to.deep.equal(['auth', 'open', 'ticks', 'score', 'ticks', 'ticks']);
    const prices = socket.sent.flatMap(({ Price }) => (Price as number[] | undefined) ?? []);
    expect(prices).to.deep.equal(Array.from({ length: 7001 }, (_, i) => 1 + i));
    socket.say({ type: 'error', message: null, code: 'service.not_ready' });
    socket.lose(1013);
    socket = await nextSocket(6);
    expect(read.at(-1), 'an error does not').to.include({ type: 'disconnected', wait_ms: 6 });
    socket.accept();
    socket.say({ type: 'opened', series: 's' });
    socket.lose(1001, 'going away');
    await nextSocket(7);
    expect(read.at(-1), 'an answer starts the backoff again').to.include({
      type: 'disconnected',
      code: 1001,
      reason: 'going away',
      wait_ms: 3,
    });
  });

  const pricesOf = ({ sent }: PuppetSocket): number[] => sent.flatMap(({ Price }) => (Price as number[] | undefined) ?? []);

  it('says how much is unsent to a program that pushes fast, and loses nothing of it, also over a reconnection', async () => {
    const first = start();
    first.accept();
    live.open({ series: 's', forecasts: [PLAN] });
    await turn();
    first.bufferedAmount = 2 * 1024 * 1024;
    const chunk = (i: number) => Array.from({ length: 1000 }, (_, k) => ({ timeMs: T0 + 1000 * i + k, price: 1 + 1000 * i + k }));
    const unsent = Array.from({ length: 200 }, (_, i) => live.push('s', chunk(i)));
    expect(unsent.at(-1)).to.equal(200_000);
    let isDrained = false;
    const drained = live.drained().then(() => (isDrained = true));
    first.lose(1006);
    const second = await nextSocket(2);
    expect(isDrained).to.equal(false);
    second.accept();
    await drained;
    const all = Array.from({ length: 200_000 }, (_, i) => 1 + i);
    expect(pricesOf(second)).to.deep.equal(all);
    // As long as the service does not say that it has handled them, they may be lost on the way.
    second.say(HANDLED);
    second.lose(1006);
    const third = await nextSocket(3);
    third.accept();
    await turn();
    expect(pricesOf(third)).to.deep.equal(all);
    third.say(HANDLED);
    live.push('s', { timeMs: T0 + 200_000, price: 200_001 });
    await turn();
    third.say(HANDLED);
    third.lose(1006);
    const fourth = await nextSocket(4);
    fourth.accept();
    await turn();
    expect(pricesOf(fourth)).to.deep.equal([...all, 200_001].slice(-3000));
    expect(read.map(({ type }) => type)).to.not.include.members(['score', 'ticks_left_out']);
    live.score('s');
    await turn();
    fourth.say(HANDLED, HANDLED);
    await turn();
    expect(
      read.filter(({ type }) => type === 'score'),
      'the own one, and that of the program',
    ).to.have.length(1);
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

  it('gives each forecast and outcome once over reconnections, under the number of the first connection', async () => {
    const first = start();
    first.accept();
    live.open({ series: 's', forecasts: [PLAN] });
    first.say(forecast(0, at(5)), forecast(1, at(10)), outcome(0), forecast(3, at(20)));
    first.lose(1006);
    const second = await nextSocket(2);
    second.accept();
    // The ticks from 10 s on are sent again: the service counts from 0.
    second.say(forecast(0, at(10)), forecast(1, at(15)), forecast(2, at(20)), outcome(0), outcome(1), forecast(3, at(25)));
    second.lose(1006);
    const third = await nextSocket(3);
    third.accept();
    third.say(forecast(0, at(20)), forecast(1, '2024-01-02 09:00:25.000000'), outcome(0), outcome(1), outcome(1));
    third.say(forecast(2, at(30)), forecast(3, at(35)), outcome(2));
    await turn();
    expect(numbers('forecast')).to.deep.equal([0, 1, 3, 4, 5, 6]);
    expect(numbers('outcome')).to.deep.equal([0, 1, 3, 4, 5]);
    expect(PuppetSocket.made.slice(1).map(resumeAfter)).to.deep.equal([[`${at(5)}000`], [`${at(10)}000`]]);
  });

  it('resumes after the last forecast before the oldest one without outcome, for each id, and before equal timestamps', async () => {
    const first = start();
    first.accept();
    live.open({ series: 's', forecasts: [PLAN, { ...PLAN, id: 'b' }, { ...PLAN, id: 'c' }] });
    first.say(forecast(0, at(5)), forecast(1, at(10)), forecast(2, at(15)), outcome(1));
    first.say(forecast(0, at(5), { id: 'b' }), forecast(1, at(5), { id: 'b' }), outcome(0, { id: 'b' }));
    first.lose(1006);
    const second = await nextSocket(2);
    second.accept();
    await turn();
    expect(resumeAfter(second)).to.deep.equal([undefined, undefined, undefined]);
    second.say(forecast(0, at(5)), outcome(0));
    second.say(forecast(0, at(5), { id: 'b' }), forecast(1, at(5), { id: 'b' }), outcome(1, { id: 'b' }));
    second.lose(1006);
    const third = await nextSocket(3);
    third.accept();
    await turn();
    expect(resumeAfter(third)).to.deep.equal([`${at(10)}000`, `${at(5)}000`, undefined]);
  });

  it('goes on counting if no earlier forecast comes again, and keeps forecasts of one timestamp apart', async () => {
    const first = start();
    first.accept();
    live.open({ series: 's', forecasts: [PLAN] });
    first.say(forecast(0, at(5)), forecast(1, at(5)), outcome(0), outcome(1));
    first.lose(1006);
    const second = await nextSocket(2);
    second.accept();
    second.say(forecast(0, at(50)), forecast(1, at(50), { id: 'other' }), outcome(0), forecast(7, at(4), { id: 'ask' }));
    await turn();
    expect(numbers('forecast')).to.deep.equal([0, 1, 2, 1, 7]);
    expect(numbers('outcome')).to.deep.equal([0, 1, 2]);
  });

  it('ends at once with the reason if the first connection fails', async () => {
    const socket = start();
    socket.onerror?.({ message: 'Unexpected server response: 404' } as never);
    socket.lose(1006);
    await ended;
    expect(failure)
      .to.be.instanceOf(ConnectionError)
      .and.have.property('message')
      .that.match(/^wss:.*: Unexpected server response: 404$/);
    expect([PuppetSocket.made.length, read]).to.deep.equal([1, []]);
  });

  it('gives up after the limit of the caller', async () => {
    const socket = start({ giveUpMs: 0 });
    socket.accept();
    socket.say({ type: 'score', series: 's', scores: [] });
    socket.lose(1006);
    await ended;
    expect(failure)
      .to.be.instanceOf(ConnectionError)
      .and.have.property('message')
      .that.match(/no connection for 0 ms: closed with 1006/);
  });

  const problem = { ...{ type: 'error', message: 'open', series: 's', title: 't', status: 404, detail: 'd', requestId: 'r' } };

  it('ends with the problem if a series is refused, and refuses further ticks with it', async () => {
    const first = start();
    first.accept();
    live.open({ series: 's', forecasts: [PLAN], model: 'none' });
    await turn();
    first.say({ ...problem, code: 'model.unknown' });
    await ended;
    expect(failure).to.be.instanceOf(ApiError).and.include({ code: 'model.unknown' });
    expect(() => live.push('s', { timeMs: T0, price: 1 })).to.throw(ApiError);
    expect(PuppetSocket.made).to.have.length(1);
  });

  it('opens a series again that a service which starts has refused, if the connection once worked', async () => {
    const first = start();
    first.accept();
    live.open({ series: 's', forecasts: [PLAN] });
    await turn();
    first.say({ type: 'opened', series: 's' }, { ...problem, code: 'service.not_ready' });
    const second = await nextSocket(2);
    second.accept();
    await turn();
    expect(second.sent.map(({ type }) => type)).to.deep.equal(['auth', 'open']);
  });

  it('ends with LiveRefusedError if the key is refused, and does not connect again', async () => {
    const socket = start();
    socket.accept();
    socket.lose(4401, 'auth.key_refused');
    await ended;
    expect(failure).to.be.instanceOf(LiveRefusedError).and.include({ code: 4401, kind: 'live_refused' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(PuppetSocket.made).to.have.length(1);
  });

  it('keeps ticks out of a socket that does not take them, and sends them when it does', async () => {
    const socket = start();
    socket.accept();
    live.open({ series: 's', forecasts: [PLAN] });
    await turn();
    socket.bufferedAmount = 2 * 1024 * 1024;
    for (let i = 0; i < 5000; i++) live.push('s', { timeMs: T0 + i, price: 1 });
    await turn();
    expect(socket.sent.map(({ type }) => type)).to.deep.equal(['auth', 'open']);
    socket.bufferedAmount = 0;
    await until(() => pricesOf(socket).length === 5000);
    expect(socket.sent.slice(2).map(({ type }) => type)).to.deep.equal(['ticks', 'score', 'ticks']);
  });

  it('keeps a bounded number of messages for a slow reader, and tells how many were dropped', async () => {
    const socket = start({ maxWaiting: 3 }, false);
    socket.accept();
    for (let n = 0; n < 10; n++) socket.say(forecast(n, at(n)));
    const first: LiveMessage[] = [];
    for await (const message of live) {
      first.push(message);
      if (first.length === 4) break;
    }
    expect(first[0]).to.deep.equal({ type: 'dropped', count: 8 });
    expect(first.slice(1).map((message) => ('n' in message ? message.n : message.type))).to.deep.equal([7, 8, 9]);
    expect(socket.closedWith, 'leaving the loop closes the connection').to.equal(1000);
  });

  it('bounds the requests that wait for a connection', () => {
    start();
    live.open({ series: 's', forecasts: [PLAN] });
    for (let i = 0; i < 60; i++) live.score('s');
    for (let i = 0; i < 4; i++) {
      live.open({ series: 'closed', forecasts: [PLAN] });
      live.closeSeries('closed');
    }
    expect(() => live.score('s')).to.throw(RangeError, '64 requests wait for a connection; score is one too many');
  });

  it('ends when it is closed, and throws the reason of its signal', async () => {
    start().accept();
    live.close();
    await ended;
    expect([failure, read.map(({ type }) => type)]).to.deep.equal([undefined, ['connected']]);
    const controller = new AbortController();
    start({ signal: controller.signal });
    controller.abort('enough');
    await ended;
    expect(failure).to.equal('enough');
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
