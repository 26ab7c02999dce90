import { expect } from 'chai';
import { AlertQueue } from '../../../../src/service/alerts/AlertQueue.ts';
import type { Webhook } from '../../../../src/service/alerts/Webhook.ts';
import { silentLogger } from '../../../../src/core/Logger.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { sampleAccount, sampleWebhook } from '../../../support/sampleAccount.ts';

describe('AlertQueue', () => {
  let store: MemoryStore;
  let clock: FakeClock;
  let counted: Record<string, number>;
  let queue: AlertQueue;

  beforeEach(async () => {
    store = new MemoryStore();
    clock = new FakeClock();
    counted = { stored: 0, dropped: 0 };
    const webhooks = [sampleWebhook('1'), sampleWebhook('2', { events: ['record.worse'] })];
    await store.createAccount(sampleAccount('a', { webhooks }));
    await store.createAccount(sampleAccount('b'));
    queue = new AlertQueue({
      ...{ store, clock, logger: silentLogger },
      webhooksOf: async (id) => (await store.findAccount(id))?.webhooks ?? [],
      onAlert: (result, count) => (counted[result] += count),
    });
  });

  it('stores a delivery for each target that wants the alert', async () => {
    queue.add('a', 'forecast.marked', () => ({ series: 'eurusd' }));
    queue.add('a', 'record.worse', () => ({}));
    await queue.flush();
    expect(store.deliveries.map(({ webhookId, type }) => [webhookId, type])).to.deep.equal([
      ['w1', 'forecast.marked'],
      ['w1', 'record.worse'],
      ['w2', 'record.worse'],
    ]);
    const [first] = store.deliveries;
    expect(JSON.parse(first!.body)).to.deep.equal({
      type: 'forecast.marked',
      timestamp: new Date(clock.nowMs()).toISOString(),
      data: { series: 'eurusd' },
    });
    expect(first!.id).to.match(/^msg_[\w-]{36}$/);
  });

  it('asks once for each target that wants the type what to tell it, also where the store fails', async () => {
    const asked: string[] = [];
    const addDeliveries = store.addDeliveries.bind(store);
    store.addDeliveries = () => Promise.reject(new Error('away'));
    queue.add('a', 'forecast.marked', ({ id }) => void asked.push(id));
    queue.add('a', 'record.worse', ({ id }) => (asked.push(id), id === 'w2' ? { of: id } : undefined));
    await queue.flush().catch(() => {});
    store.addDeliveries = addDeliveries;
    await queue.flush();
    expect(asked).to.deep.equal(['w1', 'w1', 'w2']);
    expect(store.deliveries.map(({ webhookId, body }) => [webhookId, (JSON.parse(body) as { data: unknown }).data])).to.deep.equal([
      ['w2', { of: 'w2' }],
    ]);
  });

  it('knows whom a forecast may concern once the targets of its account are known', async () => {
    const hasRule = ({ rule }: Webhook): boolean => rule !== undefined;
    expect(queue.mayConcern('a', hasRule)).to.equal(true);
    queue.add('a', 'record.worse', () => undefined);
    await queue.flush();
    expect([queue.mayConcern('a', hasRule), queue.mayConcern('a', () => true)]).to.deep.equal([false, true]);
  });

  it('asks the store once for an account without targets, until they change', async () => {
    queue.add('b', 'forecast.marked', () => ({}));
    await queue.flush();
    const { calls } = store;
    for (let i = 0; i < 100; i++) queue.add('b', 'forecast.marked', () => ({}));
    await queue.flush();
    expect([store.calls, store.deliveries]).to.deep.equal([calls, []]);
    store.accounts.set('b', sampleAccount('b', { webhooks: [sampleWebhook('3')] }));
    queue.forget('b');
    queue.add('b', 'forecast.marked', () => ({}));
    await queue.flush();
    expect(store.deliveries).to.have.length(1);
  });

  it('drops alerts of the account with the most, not those of others', async () => {
    await store.createAccount(sampleAccount('c', { webhooks: [sampleWebhook('4')] }));
    store.failure = new Error('away');
    for (let i = 0; i < 5000; i++) queue.add('a', 'forecast.marked', () => ({ i }));
    for (let i = 0; i < 100; i++) queue.add('c', 'forecast.marked', () => ({ i }));
    for (let i = 0; i < 100; i++) queue.add('a', 'forecast.marked', () => ({ i }));
    store.failure = undefined;
    await queue.flush();
    expect(counted).to.deep.equal({ stored: 5000, dropped: 200 });
    expect(store.deliveries.filter(({ accountId }) => accountId === 'c')).to.have.length(100);
  });

  it('keeps alerts while the store does not answer, and drops what is beyond its bound', async () => {
    store.failure = new Error('away');
    for (let i = 0; i < 6000; i++) queue.add('a', 'forecast.marked', () => ({ i }));
    let failure: unknown;
    await queue.flush().catch((error: unknown) => (failure = error));
    expect(failure).to.equal(store.failure);
    expect(counted).to.deep.equal({ stored: 0, dropped: 1000 });
    store.failure = undefined;
    await queue.flush();
    expect(counted).to.deep.equal({ stored: 5000, dropped: 1000 });
    expect(store.deliveries.map(({ body }) => (JSON.parse(body) as { data: { i: number } }).data.i)).to.deep.equal([...Array(5000).keys()]);
  });
});
