import { expect } from 'chai';
import { MemoryCounter } from '../../src/service/accounts/limits/MemoryCounter.ts';
import { openService } from '../../src/cli/liveService.ts';
import type { Printed } from '../../src/cli/liveText.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { GOOD_KEY, keyLimit } from '../support/fakeParts.ts';
import { OPEN, realParts, withServer } from '../support/liveSocket.ts';
import { until } from '../support/until.ts';
import { walkTicks } from '../support/walkTicks.ts';
import { WebSocket } from 'ws';
import { LiveRefusedError, TickmarkClient, type LiveMessage } from '../../clients/typescript/src/index.ts';
import { startAccountService, suiteService } from '../support/accountService.ts';
import { SteppedClock } from '../support/SteppedClock.ts';

const TICK = { timeMs: Date.UTC(2024, 0, 2), price: 1 };
const KEY_CACHE_MS = 2000;
const PLAN = { horizon: '10s', every: '5s', minMoveBps: 2 };

type Of<Type extends LiveMessage['type']> = Extract<LiveMessage, { type: Type }>;

describe('the TypeScript client on live series of a real service', function () {
  this.timeout(120_000);
  const clock = new SteppedClock();
  const rig = suiteService('sqlite', { KEY_CACHE_MS: String(KEY_CACHE_MS) }, { clock });
  let apiKey: string;

  before(async () => {
    apiKey = String((await rig.signUp('trader@example.com')).json['api_key']);
  });

  const of = <Type extends LiveMessage['type']>(read: readonly LiveMessage[], type: Type): Of<Type>[] =>
    read.filter((message): message is Of<Type> => message.type === type);

  it('ends within KEY_CACHE_MS if its key is revoked while forecasts are made, and other keys stay (row 81)', async () => {
    const email = 'revoked@example.com';
    const revoked = String((await rig.signUp(email)).json['api_key']);
    const open = (key: string) => {
      const live = new TickmarkClient({ baseUrl: rig.service.url, apiKey: key }).live({ WebSocket });
      live.open({ series: 's', forecasts: [PLAN] });
      return live;
    };
    const [ending, staying] = [open(revoked), open(apiKey)];
    const failed = (async () => {
      for await (const { type } of ending) if (type === 'disconnected') return 'disconnected';
      return 'closed';
    })().catch((error: unknown) => error);
    const read: LiveMessage[] = [];
    void (async () => {
      for await (const message of staying) read.push(message);
    })();
    await until(() => of(read, 'opened').length === 1);
    const [{ id }] = (await rig.asOwner(email, '/account/keys')).json['keys'] as { id: string }[] as [{ id: string }];
    const feed = setInterval(() => ending.push('s', TICK), 50);
    // Another service on the same store, which does not tell the first one.
    const other = await startAccountService(rig.place);
    expect((await other.asOwner(email, `/account/keys/${id}`, { method: 'DELETE' })).status).to.be.below(300);
    // Not a millisecond more: the first service has to find out within this time.
    clock.advance(KEY_CACHE_MS);
    expect(await failed)
      .to.be.instanceOf(LiveRefusedError)
      .and.include({ code: 4401 });
    clearInterval(feed);
    await other.close();
    staying.score('s');
    await until(() => of(read, 'score').length === 1);
    expect(of(read, 'disconnected')).to.deep.equal([]);
    staying.close();
  });

  it('ends with LiveRefusedError for a key that is not accepted', async () => {
    const live = new TickmarkClient({ baseUrl: rig.service.url, apiKey: 'tkm_live_no' }).live({ WebSocket });
    const read: LiveMessage[] = [];
    const failure = await (async () => {
      for await (const message of live) read.push(message);
    })().catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(LiveRefusedError).and.include({ code: 4401 });
    expect(of(read, 'error').map(({ code }) => code)).to.deep.equal(['auth.key_refused']);
  });
});

describe('tickmark live on a service', () => {
  it('lets tickmark live wait at the limit of the key, and say how many forecasts were skipped and why', async () => {
    const policy = { name: 'forecasts', quota: 40, windowSeconds: 60 };
    const clock = new FakeClock();
    const forecasts = keyLimit(policy, new MemoryCounter(policy, clock));
    const limited = realParts();
    await withServer({ ...limited, limits: { ...limited.limits, forecasts } }, {}, async ({ url }) => {
      const { timesUs, prices } = walkTicks({ seed: 9, count: 4000 });
      const printed: Printed[] = [];
      const waitsMs: number[] = [];
      let errors = '';
      // Quotes with a spread of 2 bps, which is the threshold.
      const plan = { ...OPEN.forecasts[0], ticks: 500, options: { minMoveBps: 'cost' as const } };
      const [bids, asks] = [0.9999, 1.0001].map((side) => prices.map((price) => side * price));
      const target = openService(
        { url, key: GOOD_KEY, forecasts: [plan], waitsForLimit: true },
        { print: (message) => printed.push(message), err: (text) => (errors += text) },
        {
          after: (delayMs, run) => {
            waitsMs.push(delayMs);
            clock.advance(delayMs);
            setImmediate(run);
            return () => {};
          },
        },
      );
      await target.push({ series: Array<string>(4000).fill('a'), timesUs, prices, bids, asks, replaces: new Map() } as never, 0, 4000);
      await target.close();
      const made = printed.filter(({ type }) => type === 'forecast').length;
      const last = printed.at(-1) as Extract<Printed, { type: 'score' }>;
      expect(last.scores[0].forecasts).to.equal(made);
      expect(made).to.be.above(100);
      for (const message of printed) if (message.type === 'forecast') expect(message.min_move_bps).to.be.closeTo(2, 1e-6);
      expect(new Set(waitsMs)).to.deep.equal(new Set([5000]));
      const [waiting, skipped, ...more] = errors.split('\n');
      expect(waiting).to.equal('The limit of the key is used up: waiting, 5 s at a time.');
      expect(skipped).to.match(/^\d+ forecasts skipped: the limit of the key was used up\.$/);
      expect(more).to.deep.equal(['']);
    });
  });

  it('lets tickmark live close the series before each gap, however many there are', async () => {
    await withServer(realParts(), {}, async ({ url }) => {
      const { timesUs, prices } = walkTicks({ seed: 9, count: 700 });
      const printed: Printed[] = [];
      const target = openService(
        { url, key: GOOD_KEY, forecasts: [{ ...OPEN.forecasts[0], options: {} }], waitsForLimit: false },
        { print: (message) => printed.push(message), err: () => {} },
      );
      const names = Array.from(prices, (_, i) => `a.${Math.floor(i / 10)}`);
      const replaces = new Map(Array.from({ length: 69 }, (_, i) => [`a.${i + 1}`, `a.${i}`]));
      const none = Array.from(prices, () => NaN);
      await target.push({ series: names, timesUs, prices, bids: none, asks: none, replaces } as never, 0, 700);
      await target.close();
      expect(printed.map(({ type, series }) => `${type} ${series}`)).to.deep.equal(Array.from({ length: 70 }, (_, i) => `score a.${i}`));
    });
  });
});
