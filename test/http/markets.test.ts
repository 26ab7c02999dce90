import { expect } from 'chai';
import { suiteService } from '../support/accountService.ts';
import { STORE_KINDS } from '../support/eachStore.ts';
import type { Answer, Ask } from '../support/request.ts';

for (const kind of STORE_KINDS)
  describe(`watched markets over HTTP: ${kind}`, () => {
    const rig = suiteService(kind, { FEEDS: 'off', MARKETS_PER_ACCOUNT: '3' });
    let key: unknown;

    beforeEach(async () => {
      key = (await rig.signUp(`${Math.random()}@example.com`)).json['api_key'];
    });

    const ask = (path = '', how: Ask = {}): Promise<Answer> => rig.withKey(key, `/account/markets${path}`, how);
    const add = (body: object): Promise<Answer> =>
      ask('', { body: { exchange: 'binance', symbol: 'BTC/USDT', horizons: ['60s'], ...body } });
    const codeOf = ({ json }: Answer): unknown =>
      (json['errors'] as { pointer: string; code: string }[] | undefined)?.map((one) => [one.pointer, one.code]) ?? json['code'];

    it('adds, changes, lists and removes a market', async () => {
      const added = await add({ horizons: ['60s', '5m'], cost_bps: 8.1 });
      expect(added.status).to.equal(201);
      const { id, ...market } = added.json;
      expect(market).to.deep.include({ series: 'binance:BTC-USDT', every: '5s', kind: 'trades', period: null, cost_bps: 8.1 });
      expect(market['forecasts']).to.deep.equal(['60s', '5m'].map((horizon) => ({ horizon, last: null, score: null })));
      const changed = await ask(`/${String(id)}`, { method: 'PATCH', body: { cost_bps: null, horizons: ['10s'] } });
      expect(changed.json).to.deep.include({ id, cost_bps: null, horizons: ['10s'], every: '5s' });
      expect((await ask()).json['markets']).to.deep.equal([changed.json]);
      expect((await ask(`/${String(id)}/forecasts?after=5`)).json).to.deep.equal({ forecasts: [], last: 5, more: false });
      expect((await ask(`/${String(id)}`, { method: 'DELETE' })).status).to.equal(200);
      expect((await ask(`/${String(id)}`)).json['code']).to.equal('market.unknown');
    });

    it('names of bars and quotes have a series of their own', async () => {
      const series = await Promise.all([{}, { kind: 'quotes' }, { kind: 'bars', period: '5m', horizons: ['3bars'] }].map(add));
      expect(series.map(({ json }) => json['series'])).to.deep.equal(['', ':quotes', ':5m'].map((suffix) => `binance:BTC-USDT${suffix}`));
      expect(codeOf(await add({ symbol: 'ETH/USDT' }))).to.equal('account.too_many_markets');
    });

    it('names what is wrong with a market', async () => {
      await add({});
      const wrong: [object, unknown][] = [
        [{}, 'market.exists'],
        [{ exchange: 'mtgox' }, [['/exchange', 'market.exchange_unknown']]],
        [{ exchange: 'ccxt:mexc', kind: 'quotes' }, [['/kind', 'market.exchange_unknown']]],
        [{ symbol: 'btcusdt' }, [['/symbol', 'field.malformed']]],
        [{ horizons: ['60s', '60s'] }, [['/horizons/1', 'forecast.id_repeated']]],
        [{ horizons: ['60s', '1m'] }, [['/horizons/1', 'forecast.id_repeated']]],
        [{ horizons: ['2d'] }, [['/horizons/0', 'field.out_of_range']]],
        [{ horizons: ['3bars'] }, [['/horizons/0', 'field.malformed']]],
        [{ period: '1m' }, [['/period', 'field.unknown']]],
        [{ kind: 'bars', period: '10ms' }, [['/period', 'bars.period_out_of_range']]],
        [{ cost_bps: 0 }, [['/cost_bps', 'field.out_of_range']]],
        [{ alert_me: true }, [['/alert_me', 'field.unknown']]],
      ];
      for (const [body, code] of wrong) expect(codeOf(await add(body)), JSON.stringify(body)).to.deep.equal(code);
    });

    it('shows an account no market of another one', async () => {
      const { id } = (await add({})).json;
      key = (await rig.signUp(`${Math.random()}@example.com`)).json['api_key'];
      expect((await ask()).json['markets']).to.deep.equal([]);
      for (const [path, how] of [
        ['', {}],
        ['', { method: 'PATCH', body: { cost_bps: 1 } }],
        ['', { method: 'DELETE' }],
        ['/forecasts', {}],
      ] as const)
        expect((await ask(`/${String(id)}${path}`, how)).json['code']).to.equal('market.unknown');
    });
  });
