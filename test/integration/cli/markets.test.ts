import { expect } from 'chai';
import { startAccountService, type AccountRig } from '../../support/accountService.ts';
import { cliRun } from '../../support/cliRun.ts';
import { makeStoreLocation, type StoreLocation } from '../../support/eachStore.ts';

describe('tickmark markets', function () {
  this.timeout(60_000);
  let place: StoreLocation;
  let rig: AccountRig;
  let env: Record<string, string>;

  before(async function () {
    place = await makeStoreLocation('sqlite', this);
    rig = await startAccountService(place, { FEEDS: 'off' });
    env = { TICKMARK_KEY: (await rig.signUp('cli@example.com')).json['api_key'] as string };
  });
  after(async () => {
    await rig?.close();
    await place?.dispose();
  });

  const markets = (...argv: string[]) => cliRun(env, 'markets', ...argv, '--url', rig.service.url);

  it('adds, changes, lists and removes a market of a service', async () => {
    const added = await markets('add', '--exchange', 'binance', '--symbol', 'BTC/USDT', '--horizon', '60s,5m', '--cost', '8.1', '--json');
    expect(JSON.parse(added.out)).to.deep.include({ series: 'binance:BTC-USDT', horizons: ['60s', '5m'], cost_bps: 8.1 });
    const set = await markets('set', 'binance:BTC-USDT', '--cost', 'none', '--horizon', '10s', '--json');
    expect(JSON.parse(set.out)).to.deep.include({ horizons: ['10s'], cost_bps: null, every: '5s' });
    expect((await markets('list')).out).to.equal('binance:BTC-USDT  stopped (FEEDS is off.)\n  10s   no forecast yet\n');
    expect((await markets('remove', 'binance:BTC-USDT')).code).to.equal(0);
    expect((await markets('list')).out).to.equal('The account watches no market.\n');
  });

  it('says what the service refuses, and what is missing', async () => {
    const refused = await markets('add', '--exchange', 'mtgox', '--symbol', 'BTC/USDT', '--horizon', '60s');
    expect([refused.code, refused.err.includes('mtgox')]).to.deep.equal([2, true]);
    const unknown = await markets('set', 'kraken:BTC-USDT', '--cost', '1');
    expect(unknown.err).to.include('it watches none');
    const absent = await cliRun(env, 'markets', 'list', '--url', 'http://127.0.0.1:1');
    expect(absent.err).to.include('No service answers at http://127.0.0.1:1').and.include('Start the service, or correct --url.');
    env = {};
    expect((await markets('list')).err).to.include('TICKMARK_KEY');
  });
});
