import { expect } from 'chai';
import { MARKET_EXAMPLE, MARKET_FORECASTS_EXAMPLE } from '../../src/contract/markets.ts';
import type { Account, AccountStore } from '../../src/service/accounts/AccountStore.ts';
import { recordReader } from '../../src/service/accounts/transfer/accountRecords.ts';
import type { ForecastRow, Market, MarketState } from '../../src/service/markets/Market.ts';
import type { FeedCommit, Lease } from '../../src/service/markets/MarketStore.ts';
import { describeEachStore } from '../support/eachStore.ts';
import { sampleAccount, sampleEvent } from '../support/sampleAccount.ts';

const FEED = 'binance BTC/USDT trades';
const [SAMPLE] = MARKET_FORECASTS_EXAMPLE.forecasts;
const { state, reason, since, last_tick, price, ticks, spread_bps, forecasts } = MARKET_EXAMPLE;
const STATE: MarketState = { state, reason, since, last_tick, price, ticks, spread_bps, forecasts, tallies: {} };
const MARKET: Market = {
  ...{ id: 'm', exchange: 'binance', symbol: 'BTC/USDT', kind: 'trades', period: null, horizons: ['60s'], every: '5s' },
  ...{ costBps: 2, alert: null, createdAtMs: 1 },
};
const PENDING = { originUs: 1, entry: null, baselineProbability: 0.1, medianGapS: 1, costBps: null, isOwn: true };

/** Contract of what is kept of watched markets in every account store (see the port). */
describeEachStore('watched markets', ({ open }) => {
  let store: AccountStore;
  let accountId: string;

  beforeEach(async () => {
    store = await open();
    const account = sampleAccount('a');
    accountId = account.id;
    await store.createAccount(account);
    await store.changeAccount(accountId, (known) => ({ account: { ...known, markets: [MARKET] } }));
  });

  const row = (n: number, change: number, isPending = true): ForecastRow => ({
    ...{ accountId, id: 'm', forecast: { ...SAMPLE, n, change }, pending: isPending ? PENDING : null },
  });
  const commit = (lease: Lease, rest: Partial<FeedCommit['feeds'][number]>): Promise<readonly string[]> =>
    store.commitFeeds({ feeds: [{ lease, logs: [], states: [], forecasts: [], ...rest }] });
  const written = async (after = 0): Promise<number[]> =>
    (await store.marketForecasts({ accountId, id: 'm' }, after, 100)).map(({ n }) => n);

  it('lists the markets of all accounts that are not disabled', async () => {
    expect(await store.listMarkets()).to.deep.equal([{ accountId, markets: [MARKET] }]);
    await store.changeAccount(accountId, (known) => ({ account: { ...known, disabledAtMs: 5 } }));
    expect(await store.listMarkets()).to.deep.equal([]);
  });

  it('gives a lease to one of several owners, and to another one only as it was seen', async () => {
    const claims = await Promise.all(['a', 'b', 'c'].map((owner) => store.claimFeed(FEED, owner, undefined)));
    const [lease] = claims.filter((one) => one !== undefined);
    expect([claims.filter(Boolean).length, await store.leases()]).to.deep.equal([1, [lease]]);
    await store.beatFeeds(lease.owner);
    expect(await store.claimFeed(FEED, 'd', lease)).to.equal(undefined);
    const [seen] = await store.leases();
    expect(seen.beat).to.equal(1);
    const again = await Promise.all(['d', 'e'].map((owner) => store.claimFeed(FEED, owner, seen)));
    expect(again.filter(Boolean)).to.have.length(1);
    expect((await store.leases())[0]).to.deep.include({ token: 2, beat: 0 });
    await store.releaseFeeds([lease]);
    expect(await store.leases()).to.have.length(1);
    await store.releaseFeeds(again.flatMap((one) => one ?? []));
    expect(await store.leases()).to.deep.equal([]);
  });

  it('writes nothing of a lease that was lost, and all of one that holds', async () => {
    const lost = (await store.claimFeed(FEED, 'a', undefined))!;
    const held = (await store.claimFeed(FEED, 'b', lost))!;
    const logs = [{ name: FEED, first: 0, bytes: Uint8Array.of(1, 2), keepFrom: 0 }];
    const states = [{ accountId, id: 'm', state: STATE, keepFrom: 0 }];
    expect(await commit(lost, { logs, states, forecasts: [row(0, 1)] })).to.deep.equal([FEED]);
    expect([await written(), (await store.marketStates(accountId)).size, await store.feedLog(FEED)]).to.deep.equal([[], 0, []]);
    expect(await commit(held, { logs, states, forecasts: [row(0, 1)] })).to.deep.equal([]);
    expect(await written()).to.deep.equal([0]);
    expect((await store.marketStates(accountId)).get('m')).to.deep.equal(STATE);
    expect((await store.feedLog(FEED)).map(({ first, bytes }) => [first, ...bytes])).to.deep.equal([[0, 1, 2]]);
  });

  it('pages by change, knows what waits for an outcome, and drops what is beyond its bounds', async () => {
    const lease = (await store.claimFeed(FEED, 'a', undefined))!;
    await commit(lease, { forecasts: [row(0, 1), row(1, 2), row(2, 3)] });
    await commit(lease, { forecasts: [row(0, 4, false)] });
    expect([await written(), await written(3), await written(4)]).to.deep.equal([[1, 2, 0], [0], []]);
    const { rows, n, change } = await store.pendingForecasts({ accountId, id: 'm' });
    expect([rows.map(({ forecast, pending }) => [forecast.n, pending]), n, change]).to.deep.equal([
      [
        [1, PENDING],
        [2, PENDING],
      ],
      2,
      4,
    ]);
    const at = (first: number, keepFrom: number) => [{ name: FEED, first, bytes: Uint8Array.of(first), keepFrom }];
    await commit(lease, { logs: at(0, 0) });
    await commit(lease, { logs: at(5, 0) });
    await commit(lease, { logs: at(9, 5), states: [{ accountId, id: 'm', state: STATE, keepFrom: 2 }] });
    expect((await store.feedLog(FEED)).map(({ first }) => first)).to.deep.equal([5, 9]);
    expect(await written()).to.deep.equal([2]);
    await store.dropMarket({ accountId, id: 'm' });
    expect([await written(), (await store.marketStates(accountId)).size]).to.deep.equal([[], 0]);
  });

  it('writes what an import has, before its account has the market, and then what a feed makes of it', async () => {
    const withMarkets = (markets: readonly Market[]) => store.changeAccount(accountId, (known) => ({ account: { ...known, markets } }));
    await withMarkets([]);
    const states = [{ accountId, id: 'm', state: STATE, keepFrom: 0 }];
    await store.importMarkets({ states, forecasts: [row(0, 1), row(1, 2, false)] });
    expect([await written(), (await store.pendingForecasts({ accountId, id: 'm' })).n]).to.deep.equal([[0, 1], 1]);
    await withMarkets([MARKET]);
    const lease = (await store.claimFeed(FEED, 'a', undefined))!;
    await commit(lease, { forecasts: [row(0, 3, false), row(2, 4)], states: [{ ...states[0], state: { ...STATE, price: 7 } }] });
    expect([await written(), (await store.marketStates(accountId)).get('m')?.price]).to.deep.equal([[1, 0, 2], 7]);
    await store.importMarkets({ states: [], forecasts: [{ ...row(0, 1), accountId: 'no one' }] });
    expect(await store.marketForecasts({ accountId: 'no one', id: 'm' }, 0, 9)).to.deep.equal([]);
  });

  it('keeps nothing of an account that is deleted, whatever is written after it', async () => {
    const lease = (await store.claimFeed(FEED, 'a', undefined))!;
    const all = { forecasts: [row(0, 1)], states: [{ accountId, id: 'm', state: STATE, keepFrom: 0 }] };
    await commit(lease, all);
    await store.deleteAccount(accountId, sampleEvent('gone', accountId));
    expect([await store.listMarkets(), await written(), (await store.marketStates(accountId)).size]).to.deep.equal([[], [], 0]);
    await commit(lease, all);
    expect([await written(), (await store.marketStates(accountId)).size]).to.deep.equal([[], 0]);
  });

  it('keeps nothing of a market that is removed while its feed writes, also if the next owner writes it again', async () => {
    const lease = (await store.claimFeed(FEED, 'a', undefined))!;
    const all = { forecasts: [row(0, 1)], states: [{ accountId, id: 'm', state: STATE, keepFrom: 0 }] };
    const left = async () => [await written(), (await store.marketStates(accountId)).size];
    await commit(lease, all);
    await store.changeAccount(accountId, (known) => ({ account: { ...known, markets: [{ ...MARKET, id: 'other' }] } }));
    await store.dropMarket({ accountId, id: 'm' });
    await commit(lease, all);
    expect(await left(), 'a commit that was on its way').to.deep.equal([[], 0]);
    expect(await store.claimFeed(FEED, 'b', lease)).to.include({ owner: 'b' });
    expect(await left(), 'the last commit of the owner before').to.deep.equal([[], 0]);
  });
});

it('a transfer file has the watched markets of an account, and refuses what is none', () => {
  const read = (market: object): unknown =>
    recordReader()(JSON.stringify({ type: 'account', account: { ...sampleAccount('a'), markets: [market] } }));
  expect(read(MARKET)).to.deep.include({ type: 'account' });
  expect((read(MARKET) as { account: Account }).account.markets).to.deep.equal([MARKET]);
  expect(read({ ...MARKET, kind: 'options' })).to.be.a('string');
});
