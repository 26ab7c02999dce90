import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { compileBodyChecks } from '../../../../src/contract/compileBodyChecks.ts';
import { LiveConnection } from '../../../../src/service/http/live/LiveConnection.ts';
import { LiveBudget } from '../../../../src/service/http/live/LiveBudget.ts';
import type { LiveShared } from '../../../../src/service/http/live/LiveShared.ts';
import { LiveWatch } from '../../../../src/service/http/live/LiveWatch.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { CALLER, fakeParts, GOOD_KEY } from '../../../support/fakeParts.ts';
import { ticksMessage } from '../../../support/liveSocket.ts';
import { OPTIONS } from '../../../support/testServer.ts';

/** A connection over a socket that is the test. */
function connect(memoryMb = 512) {
  const clock = new FakeClock();
  const parts = fakeParts();
  const shared = {
    deps: { clock, checks: compileBodyChecks(), onForecast: () => {}, onProblem: () => {} },
    options: OPTIONS,
    admission: { enter: () => Promise.resolve(), leave: () => {} },
    watch: new LiveWatch(clock),
    loopDelay: { delayMs: 0 },
    iterations: { take: () => undefined, spend: () => {} },
    budget: new LiveBudget(memoryMb),
    parts: () => parts,
  } as unknown as LiveShared;
  const sent: Record<string, unknown>[] = [];
  const socket = {
    ...{ OPEN: 1, readyState: 1, bufferedAmount: 0, pause: () => {}, resume: () => {} },
    send: (text: string) => void sent.push(JSON.parse(text) as Record<string, unknown>),
  } as unknown as WebSocket;
  const connection = new LiveConnection(socket, new PassThrough(), { identity: CALLER, key: GOOD_KEY }, shared, 'c');
  // Messages are handled in turns of the event loop.
  const say = async (message: object): Promise<void> => {
    connection.receive(Buffer.from(JSON.stringify(message)), false);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { sent, say };
}

describe('LiveConnection', () => {
  for (const [ticks, told] of [
    [1, 'The series has 1 ticks; forecasts start at 199.'],
    [198, 'The series has 198 ticks; forecasts start at 199.'],
    [199, undefined],
    [200, undefined],
  ] as const)
    it(`${told === undefined ? 'tells nothing' : 'tells that forecasts are not made yet'} if a series starts with ${ticks} ticks`, async () => {
      const { sent, say } = connect();
      await say({ type: 'open', series: 'a', forecasts: [{ horizon: '10s', every: 'tick' }] });
      await say(ticksMessage(0, ticks));
      const statuses = sent.filter(({ type }) => type === 'status');
      expect(statuses).to.deep.equal(told === undefined ? [] : [{ type: 'status', code: 'warming_up', series: 'a', detail: told }]);
      // The next messages tell nothing, however few ticks they add.
      await say(ticksMessage(ticks, ticks + 1));
      expect(sent.filter(({ type }) => type === 'status')).to.have.length(statuses.length);
    });

  it('refuses a series for which there is no memory, and opens it when others are closed', async () => {
    const { sent, say } = connect(0.4);
    const open = (series: string): Promise<void> => say({ type: 'open', series, forecasts: [{ horizon: '10s', every: '5s' }] });
    for (const series of ['a', 'b']) await open(series);
    await say({ type: 'close', series: 'a' });
    await open('b2');
    const told = sent.map(({ type, series, code }) => [type, series ?? code]);
    expect(told).to.deep.equal([
      ['opened', 'a'],
      ['error', 'b'],
      ['score', 'a'],
      ['opened', 'b2'],
    ]);
    expect(sent[1]).to.include({ code: 'limit.exceeded' });
  });
});
