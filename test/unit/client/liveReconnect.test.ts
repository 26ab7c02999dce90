import { expect } from 'chai';
import { ApiError, ConnectionError, LiveRefusedError, type LiveMessage } from '../../../clients/typescript/src/index.ts';
import {
  HANDLED,
  PLAN,
  T0,
  at,
  closeRig,
  ended,
  failure,
  forecast,
  live,
  nextSocket,
  numbers,
  openRig,
  outcome,
  read,
  resumeAfter,
  start,
  turn,
  pricesOf,
} from '../../support/liveRig.ts';
import { PuppetSocket } from '../../support/PuppetSocket.ts';
import { until } from '../../support/until.ts';

describe('client.live() over several connections', () => {
  beforeEach(openRig);
  afterEach(closeRig);

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
});
