import { expect } from 'chai';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { startAccountService, type AccountRig } from '../support/accountService.ts';
import { makeStoreLocation, type StoreLocation } from '../support/eachStore.ts';
import { freePort } from '../support/mongoServer.ts';
import { until } from '../support/until.ts';

const ASKED = ['', '?min_move_bps=3', '?min_move_bps=40'];

describe('a service with SHADOW_MODEL', () => {
  const rigs: AccountRig[] = [];
  const places: StoreLocation[] = [];
  let port: number;
  const start = async (context: Mocha.Context, env: Record<string, string>): Promise<AccountRig> => {
    const place = await makeStoreLocation('sqlite', context);
    places.push(place);
    const rig = await startAccountService(place, env);
    rigs.push(rig);
    return rig;
  };
  const metric = async (series: string): Promise<number> => {
    const line = (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).split('\n').find((each) => each.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1));
  };
  const outcomes = async (): Promise<number> => {
    let sum = 0;
    for (const outcome of ['agrees', 'only_live', 'only_shadow'])
      sum += await metric(`tickmark_shadow_forecasts_total{outcome="${outcome}"}`);
    return sum;
  };

  before(async function () {
    port = await freePort();
    await start(this, {});
    await start(this, { SHADOW_MODEL: 'base-2026-11-27', METRICS_PORT: String(port) });
  });
  after(async () => {
    for (const rig of rigs) await rig.close();
    for (const place of places) await place.dispose();
  });

  it('does not start without that version', async function () {
    const place = await makeStoreLocation('sqlite', this);
    places.push(place);
    const reasonOf = async (env: Record<string, string>): Promise<string> =>
      startAccountService(place, env).then(
        () => 'it started',
        (error: Error) => error.message,
      );
    expect(await reasonOf({ SHADOW_MODEL: 'base-2026-11-26' })).to.match(/^SHADOW_MODEL=base-2026-11-26: there is no such version in /);
    expect(await reasonOf({ MODEL: 'mine-1', SHADOW_MODEL: 'mine-2' })).to.match(
      /^MODEL=mine-1: there is no .*SHADOW_MODEL=mine-2: there is no /,
    );
  });

  it('answers byte for byte like a service without it, counts the shadow outcomes, and shows them with the version', async () => {
    const texts: string[][] = [];
    for (const rig of rigs) {
      const body = (await rig.ask('/sample')).json as TickRequestBody;
      const { api_key: key } = (await rig.signUp('shadow@example.com')).json;
      const of: string[] = [];
      for (const query of ASKED) {
        of.push((await rig.withKey(key, `/auth/ti-tick${query}`, { body })).text);
        // Each one is compared before the next request.
        if (rig === rigs[1]) await until(async () => (await outcomes()) === of.length);
      }
      texts.push(of);
    }
    expect(texts[1]).to.deep.equal(texts[0]);
    expect(await metric('tickmark_shadow_difference_count')).to.equal(ASKED.length);
    expect(await metric('tickmark_shadow_forecasts_total{outcome="failed"}')).to.equal(0);
    const rig = rigs[1] as AccountRig;
    const { shadow } = (await rig.ask('/models/base-2026-11-27')).json as { shadow: Record<string, number> };
    expect(shadow).to.include({ live: 'small', forecasts: ASKED.length, failed: 0, dropped: 0 });
    expect(shadow['mean_abs_difference']).to.be.within(0, 1);
    expect((await rig.ask('/models/small')).json['shadow']).to.equal(null);
    const lines = rig.logged.filter((line) => line.includes('"shadow forecast"'));
    expect(lines).to.have.length(ASKED.length);
    expect(lines.join('')).to.not.include('tkm_live');
    expect(rig.logged.some((line) => line.includes('shadow version is running'))).to.equal(true);
  });
});
