import { expect } from 'chai';
import { WebSocket } from 'ws';
import { LiveRefusedError, TickmarkClient, type LiveMessage } from '../../clients/typescript/src/index.ts';
import { startAccountService, type AccountRig } from '../support/accountService.ts';
import { makeStoreLocation, type StoreLocation } from '../support/eachStore.ts';
import { SteppedClock } from '../support/SteppedClock.ts';
import { until } from '../support/until.ts';
import { walkTicks } from '../support/walkTicks.ts';

const { timesUs, prices } = walkTicks({ seed: 9, count: 1500 });
const TICKS = [...prices].map((price, i) => ({ timeUs: timesUs[i] as number, price }));
const KEY_CACHE_MS = 2000;
const PLAN = { horizon: '10s', every: '5s', minMoveBps: 2 };

type Of<Type extends LiveMessage['type']> = Extract<LiveMessage, { type: Type }>;

describe('the TypeScript client on live series of a real service', function () {
  this.timeout(120_000);
  let place: StoreLocation;
  let rig: AccountRig;
  let apiKey: string;
  const clock = new SteppedClock();

  before(async function () {
    place = await makeStoreLocation('sqlite', this);
    rig = await startAccountService(place, { KEY_CACHE_MS: String(KEY_CACHE_MS) }, { clock });
    apiKey = String((await rig.signUp('trader@example.com')).json['api_key']);
  });
  after(async () => {
    await rig?.close();
    await place?.dispose();
  });

  /** Pushes all ticks and returns what a bot reads. `disturb` runs after 800 ticks. */
  async function trade(series: string, disturb: () => Promise<void>): Promise<LiveMessage[]> {
    const client = new TickmarkClient({ baseUrl: rig.service.url, apiKey });
    const live = client.live({ WebSocket, firstWaitMs: 20, longestWaitMs: 100 });
    const read: LiveMessage[] = [];
    const reading = (async () => {
      for await (const message of live) read.push(message);
    })();
    live.open({ series, forecasts: [PLAN] });
    for (const tick of TICKS.slice(0, 800)) live.push(series, tick);
    await until(() => read.some(({ type }) => type === 'outcome'));
    await disturb();
    for (const tick of TICKS.slice(800)) live.push(series, tick);
    live.score(series);
    await until(() => read.some(({ type }) => type === 'score'));
    live.close();
    await reading;
    return read;
  }
  const plain = ({ series: _series, ...rest }: Of<'forecast'> | Of<'outcome'>): unknown => rest;
  const of = <Type extends LiveMessage['type']>(read: readonly LiveMessage[], type: Type): Of<Type>[] =>
    read.filter((message): message is Of<Type> => message.type === type);

  it('gives the forecasts of POST /auth/ti-tick, and the same ones once if the service restarts in between', async () => {
    const calm = await trade('calm', async () => {});
    const forecasts = of(calm, 'forecast');
    const outcomes = of(calm, 'outcome');
    expect(of(calm, 'error')).to.deep.equal([]);
    expect(rig.logged.join('')).to.include('"client":"tickmark-client-typescript/');
    expect(forecasts.map(({ status }) => status === 'identified')).to.deep.equal(forecasts.map(({ trend_identified: mark }) => mark === 1));

    const port = new URL(rig.service.url).port;
    const rough = await trade('rough', async () => {
      await rig.close();
      rig = await startAccountService(place, { PORT: port, KEY_CACHE_MS: String(KEY_CACHE_MS) }, { clock });
    });
    const [first, ...later] = of(rough, 'connected').map(({ is_resumed }) => is_resumed);
    expect([first, later.length > 0, later.every(Boolean)], 'a service that starts may close a connection').to.deep.equal([
      false,
      true,
      true,
    ]);
    // The score may come before the last forecasts.
    const same = (before: readonly (Of<'forecast'> | Of<'outcome'>)[], after: readonly (Of<'forecast'> | Of<'outcome'>)[]): void => {
      const count = Math.min(before.length, after.length);
      expect(count).to.be.above(70);
      expect(after.slice(0, count).map(plain)).to.deep.equal(before.slice(0, count).map(plain));
    };
    same(forecasts, of(rough, 'forecast'));
    same(outcomes, of(rough, 'outcome'));

    const { sum } = await new TickmarkClient({ baseUrl: rig.service.url, apiKey }).trackRecord({ series: 'calm' });
    expect(sum.forecasts).to.be.at.least(forecasts.length);
    expect(sum.outcomes).to.be.at.least(outcomes.length);
    expect(sum.unscored).to.be.below(5);
  });

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
    const feed = setInterval(() => ending.push('s', TICKS.slice(0, 1)), 50);
    // Another service on the same store, which does not tell the first one.
    const other = await startAccountService(place);
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
