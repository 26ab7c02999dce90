import { expect } from 'chai';
import type { AccountStore } from '../../src/service/accounts/AccountStore.ts';
import { MOST_FAILED, MOST_PENDING, type Delivery } from '../../src/service/alerts/Webhook.ts';
import { describeEachStore } from '../support/eachStore.ts';
import { sampleAccount, sampleDelivery, sampleEvent } from '../support/sampleAccount.ts';

/** Contract of the deliveries of every account store (see the port). */
describeEachStore('deliveries', ({ open, location }) => {
  const claim = async (
    store: AccountStore,
    nowMs: number,
    given: { untilMs?: number; limit?: number; busy?: string[]; served?: string[] } = {},
  ): Promise<string[]> =>
    (await store.claimDeliveries({ nowMs, untilMs: nowMs + 1000, limit: 8, busy: [], served: [], ...given })).map(({ id }) => id);

  it('gives the due deliveries of one target, oldest first, and none of them again before the claim ends', async () => {
    const store = await open();
    await store.createAccount(sampleAccount('a'));
    const all = [
      sampleDelivery('2', 'a', { createdAtMs: 5 }),
      sampleDelivery('1', 'a', { createdAtMs: 4 }),
      sampleDelivery('3', 'a', { createdAtMs: 6, webhookId: 'w2' }),
      sampleDelivery('4', 'a', { createdAtMs: 100 }),
    ];
    await store.addDeliveries(all);
    await store.addDeliveries(all.slice(0, 1));
    expect(await claim(store, 3)).to.deep.equal([]);
    expect(await store.claimDeliveries({ nowMs: 10, untilMs: 50, limit: 8, busy: [], served: [] })).to.deep.equal([all[1], all[0]]);
    expect(await claim(store, 20)).to.deep.equal(['3']);
    expect(await claim(store, 20)).to.deep.equal([]);
    expect(await claim(store, 50, { limit: 1 })).to.deep.equal(['1']);
    expect(await claim(store, 5000, { busy: ['w1'] })).to.deep.equal(['3']);
  });

  it('takes the target whose delivery is due first, and none of an account that was served', async () => {
    const store = await open();
    for (const id of ['a', 'b']) await store.createAccount(sampleAccount(id));
    await store.addDeliveries([
      sampleDelivery('1', 'a', { createdAtMs: 6 }),
      sampleDelivery('2', 'b', { createdAtMs: 4, webhookId: 'w2' }),
      sampleDelivery('3', 'b', { createdAtMs: 5, webhookId: 'w3' }),
    ]);
    expect([await claim(store, 10), await claim(store, 10, { served: ['b'] }), await claim(store, 10)]).to.deep.equal([
      ['2'],
      ['1'],
      ['3'],
    ]);
  });

  it('gives a delivery to one of two processes', async () => {
    const stores = [await open(), await open()];
    await stores[0].createAccount(sampleAccount('a'));
    await stores[0].addDeliveries(Array.from({ length: 40 }, (_, i) => sampleDelivery(`d${i}`, 'a', { webhookId: `w${i % 4}` })));
    const claimed = (await Promise.all(Array.from({ length: 16 }, (_, i) => claim(stores[i % 2], 10)))).flat();
    expect(new Set(claimed).size).to.equal(claimed.length);
    let rest: string[];
    while ((rest = await claim(stores[0], 10)).length > 0) claimed.push(...rest);
    expect(claimed.sort()).to.deep.equal(Array.from({ length: 40 }, (_, i) => `d${i}`).sort());
  });

  it('forgets what was delivered, counts what failed, and keeps what was given up', async () => {
    const store = await open();
    await store.createAccount(sampleAccount('a'));
    await store.addDeliveries(['1', '2', '3'].map((id) => sampleDelivery(id, 'a')));
    await claim(store, 1);
    await store.settleDeliveries([
      { id: '1', result: 'delivered' },
      { id: '2', result: 'retry', error: 'status 500', nextAtMs: 70 },
      { id: '3', result: 'failed', error: 'status 410', failedAtMs: 60 },
    ]);
    expect(await claim(store, 69)).to.deep.equal([]);
    const [again] = await store.claimDeliveries({ nowMs: 70, untilMs: 90, limit: 8, busy: [], served: [] });
    expect(again).to.deep.equal(sampleDelivery('2', 'a', { attempts: 1, error: 'status 500' }));
    expect(await store.listFailed('w1')).to.deep.equal([sampleDelivery('3', 'a', { attempts: 1, error: 'status 410', failedAtMs: 60 })]);
    await store.postponeDeliveries(['2', '3'], 75);
    expect(await claim(store, 75)).to.deep.equal(['2']);
    await store.dropDeliveries('w1');
    expect([await store.listFailed('w1'), await claim(store, 9999)]).to.deep.equal([[], []]);
  });

  it('lists those that were given up, the last one first', async () => {
    const store = await open();
    await store.createAccount(sampleAccount('a'));
    await store.addDeliveries(['1', '2', '3', '4'].map((id) => sampleDelivery(id, 'a')));
    await store.settleDeliveries(
      (
        [
          ['1', 60],
          ['2', 80],
          ['3', 70],
          ['4', 70],
        ] as const
      ).map(([id, failedAtMs]) => ({ id, result: 'failed', error: 'x', failedAtMs })),
    );
    expect((await store.listFailed('w1')).map(({ id }) => id)).to.deep.equal(['2', '3', '4', '1']);
  });

  it('keeps the newest of a target: pending ones, and those that were given up', async () => {
    const store = await open();
    await store.createAccount(sampleAccount('a'));
    const many = (from: number, count: number): Delivery[] =>
      Array.from({ length: count }, (_, i) => sampleDelivery(`d${String(from + i).padStart(5, '0')}`, 'a', { createdAtMs: from + i }));
    for (let from = 1; from <= MOST_PENDING; from += 100) await store.addDeliveries(many(from, 100));
    await store.addDeliveries(many(MOST_PENDING + 1, MOST_FAILED + 20));
    const failed = await store.listFailed('w1');
    expect(failed).to.have.length(MOST_FAILED);
    expect(failed[0]).to.include({ error: 'too many alerts were pending' });
    expect((await claim(store, 1e6, { limit: 1 }))[0]).to.equal(`d${String(MOST_FAILED + 21).padStart(5, '0')}`);
  });

  it('keeps none of an account that does not exist or was deleted', async () => {
    const store = await open();
    await store.createAccount(sampleAccount('a'));
    await store.createAccount(sampleAccount('b'));
    await store.addDeliveries([sampleDelivery('1', 'a'), sampleDelivery('2', 'b', { webhookId: 'w2' }), sampleDelivery('3', 'c')]);
    await store.deleteAccount('a', sampleEvent('1', 'a', { action: 'account.deleted' }));
    await store.addDeliveries([sampleDelivery('4', 'a')]);
    expect([await claim(store, 10), await claim(store, 10)]).to.deep.equal([['2'], []]);
    expect(await location().dump()).to.not.include('"id":"1"');
  });
});
