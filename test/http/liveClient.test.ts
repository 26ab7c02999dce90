import { expect } from 'chai';
import { WebSocket } from 'ws';
import { LiveRefusedError, TickmarkClient, type LiveMessage } from '../../clients/typescript/src/index.ts';
import { startAccountService, suiteService } from '../support/accountService.ts';
import { SteppedClock } from '../support/SteppedClock.ts';
import { until } from '../support/until.ts';

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
