import { expect } from 'chai';
import { DeliveryWorker, retryDelayMs } from '../../../../src/service/alerts/DeliveryWorker.ts';
import type { PostResult } from '../../../../src/service/alerts/postWebhook.ts';
import { signWebhook } from '../../../../src/service/alerts/signWebhook.ts';
import type { Logger } from '../../../../src/core/Logger.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { sampleAccount, sampleDelivery, sampleWebhook } from '../../../support/sampleAccount.ts';

type Sent = { url: string; headers: Readonly<Record<string, string>>; body: string };

describe('DeliveryWorker', () => {
  let store: MemoryStore;
  let clock: FakeClock;
  let sent: Sent[];
  let logged: string[];
  let answer: (sent: Sent) => PostResult | Promise<PostResult>;
  let worker: DeliveryWorker;
  const webhooks = [sampleWebhook('1'), sampleWebhook('2')];
  const round = async (): Promise<void> => {
    await worker.poll();
    await worker.untilIdle();
  };

  beforeEach(async () => {
    store = new MemoryStore();
    clock = new FakeClock();
    [sent, logged] = [[], []];
    answer = () => ({ status: 200, error: null });
    await store.createAccount(sampleAccount('a', { webhooks }));
    const log = (message: string, fields?: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
    const logger: Logger = { debug: log, info: log, warn: log, error: log };
    worker = new DeliveryWorker({
      ...{ store, clock, logger, timeoutMs: 1000, mostAttempts: 3, random: () => 0.5 },
      webhooksOf: async (id) => (await store.findAccount(id))?.webhooks ?? [],
      post: async (url, headers, body) => {
        sent.push({ url, headers, body });
        return answer(sent.at(-1)!);
      },
    });
  });

  it('sends each due alert to its target, signed with its secret, in order', async () => {
    await store.addDeliveries(['1', '2'].map((id) => sampleDelivery(id, 'a')));
    await store.addDeliveries([sampleDelivery('3', 'a', { webhookId: 'w2' })]);
    await round();
    const signed = signWebhook(webhooks[0].secret, '1', clock.nowMs(), sampleDelivery('1', 'a').body);
    const headers = { ...signed, 'Content-Type': 'application/json' };
    expect(sent.find(({ body }) => body === sampleDelivery('1', 'a').body)).to.deep.equal({
      url: webhooks[0].url,
      headers,
      body: sampleDelivery('1', 'a').body,
    });
    expect(sent.map(({ headers: fields }) => fields['webhook-id']).sort()).to.deep.equal(['1', '2', '3']);
    expect(store.deliveries).to.deep.equal([]);
  });

  it('gives up an alert whose future timestamp has passed, and sends what came true after it', async () => {
    const future = new Date(clock.nowMs()).toISOString().replace('T', ' ').replace('Z', '');
    const later = new Date(clock.nowMs() + 1000).toISOString().replace('T', ' ').replace('Z', '');
    const of = (id: string, type: 'forecast.marked' | 'forecast.settled', data: object) =>
      sampleDelivery(id, 'a', { type, body: JSON.stringify({ type, data }) });
    await store.addDeliveries([
      ...[of('1', 'forecast.marked', { future: later }), of('2', 'forecast.settled', { future }), of('3', 'forecast.marked', { future })],
    ]);
    await round();
    expect(sent.map(({ headers }) => headers['webhook-id'])).to.deep.equal(['1', '2']);
    expect((await store.listFailed('w1')).map(({ id, error }) => [id, error])).to.deep.equal([['3', 'its future timestamp has passed']]);
  });

  it('tries again with growing delays, with the same id and body, then gives up', async () => {
    answer = () => ({ status: 503, error: 'status 503' });
    await store.addDeliveries([sampleDelivery('1', 'a')]);
    for (const waitMs of [0, 5000, 20_000]) {
      const before = sent.length;
      clock.advance(waitMs - 1);
      if (waitMs > 0) await round();
      expect(sent.length, `before ${waitMs}`).to.equal(before);
      clock.advance(1);
      await round();
      expect(sent.length, `at ${waitMs}`).to.equal(before + 1);
    }
    expect(new Set(sent.map(({ headers, body }) => headers['webhook-id'] + body)).size).to.equal(1);
    expect(await store.listFailed('w1')).to.have.length(1);
    expect(store.deliveries[0]).to.deep.include({ attempts: 3, error: 'status 503' });
    clock.advance(1e8);
    await round();
    expect(sent).to.have.length(3);
  });

  it('logs once that the store does not answer, and once that it does again', async () => {
    const { claimDeliveries } = store;
    store.claimDeliveries = () => Promise.reject(new Error('away'));
    for (let i = 0; i < 3; i++) await round();
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include('due deliveries not found');
    store.claimDeliveries = claimDeliveries;
    for (let i = 0; i < 3; i++) await round();
    expect(logged.slice(1).map((line) => line.replace(' undefined', ''))).to.deep.equal(['due deliveries are found again']);
  });

  it('keeps the delays within two hours and a quarter', () => {
    expect([1, 2, 3, 7, 20].map((attempts) => retryDelayMs(attempts, 0.5))).to.deep.equal([5000, 20_000, 80_000, 7_200_000, 7_200_000]);
    expect([retryDelayMs(1, 0), retryDelayMs(1, 1)]).to.deep.equal([3750, 6250]);
  });

  it('asks a target that fails only once, and postpones its other alerts without counting an attempt', async () => {
    answer = () => ({ status: null, error: 'ECONNREFUSED' });
    await store.addDeliveries(['1', '2', '3'].map((id) => sampleDelivery(id, 'a')));
    await round();
    expect(sent).to.have.length(1);
    expect(store.deliveries.map(({ attempts }) => attempts)).to.deep.equal([1, 0, 0]);
    answer = () => ({ status: 200, error: null });
    clock.advance(5000);
    await round();
    expect(store.deliveries).to.deep.equal([]);
  });

  it('gives up at once if the target is gone (410), and forgets alerts of a target that was removed', async () => {
    answer = () => ({ status: 410, error: 'status 410' });
    await store.addDeliveries([sampleDelivery('1', 'a'), sampleDelivery('2', 'a', { webhookId: 'removed' })]);
    await round();
    expect(store.deliveries.map(({ id, failedAtMs }) => [id, failedAtMs])).to.deep.equal([['1', clock.nowMs()]]);
    expect(sent).to.have.length(1);
  });

  it('calls other targets while one is slow', async () => {
    let release = (): void => {};
    answer = ({ url }) =>
      url === webhooks[0].url
        ? new Promise((resolve) => (release = () => resolve({ status: 200, error: null })))
        : { status: 200, error: null };
    await store.addDeliveries([sampleDelivery('1', 'a'), sampleDelivery('2', 'a', { webhookId: 'w2' })]);
    await worker.poll();
    await worker.poll();
    expect(sent).to.have.length(2);
    release();
    await worker.untilIdle();
    expect(store.deliveries).to.deep.equal([]);
  });

  describe('next to accounts whose targets answer after 9 s (row 84)', () => {
    const SLOW_MS = 9000;
    let open: (() => void)[];
    const urlOf = (accountId: string, i: number): string => `https://${accountId}-${i}.example/`;

    /** Accounts with five slow targets and a backlog of older alerts for each, and one account with a fast target. */
    const begin = async (accounts: number): Promise<void> => {
      open = [];
      answer = ({ url }) =>
        url.startsWith('https://slow')
          ? new Promise((resolve) => open.push(() => resolve({ status: 200, error: null })))
          : { status: 200, error: null };
      for (let a = 0; a < accounts; a++) {
        const id = `slow${a}`;
        const targets = Array.from({ length: 5 }, (_, i) => ({ ...sampleWebhook(`${id}-${i}`), url: urlOf(id, i) }));
        await store.createAccount(sampleAccount(id, { webhooks: targets }));
        for (const [t, { id: webhookId }] of targets.entries())
          await store.addDeliveries(Array.from({ length: 16 }, (_, n) => sampleDelivery(`${id}-${t}-${n}`, id, { webhookId })));
      }
    };
    /** All requests in flight are answered. */
    const answerSlow = async (): Promise<void> => {
      clock.advance(SLOW_MS);
      for (const done of open.splice(0)) done();
      await worker.untilIdle();
    };
    const sentTo = (start: string): number => sent.filter(({ url }) => url.startsWith(start)).length;
    const add = (id: string): Promise<void> => store.addDeliveries([sampleDelivery(id, 'a', { createdAtMs: clock.nowMs() })]);

    it('sends the alert of another account at once next to 8 of them, with two requests of each in flight', async () => {
      await begin(8);
      await worker.poll();
      expect(sentTo('https://slow')).to.equal(16);
      await add('mine');
      await worker.poll();
      expect(sentTo(webhooks[0].url)).to.equal(1);
      await answerSlow();
    });

    it('gives a slow target one attempt, and each account a turn before one of them has its second', async () => {
      await begin(4);
      for (let round = 1; round <= 3; round++) {
        await worker.poll();
        expect([0, 1, 2, 3].map((a) => sentTo(`https://slow${a}-`))).to.deep.equal([0, 1, 2, 3].map(() => 2 * round));
        await answerSlow();
      }
    });

    it('keeps half of the slots for targets that answered fast, or were not called yet, however many slow ones there are', async () => {
      await begin(40);
      // Each target is called once before it is known as slow.
      for (let round = 0; round < 12; round++) {
        await worker.poll();
        await answerSlow();
      }
      await worker.poll();
      await add('mine');
      await worker.poll();
      expect(sentTo(webhooks[0].url)).to.equal(1);
      await answerSlow();
    });
  });

  it('sends again what was sent but not recorded, and logs no URL and no secret', async () => {
    await store.addDeliveries([sampleDelivery('1', 'a')]);
    const settle = store.settleDeliveries.bind(store);
    store.settleDeliveries = () => Promise.reject(new Error('the store is away'));
    await round();
    store.settleDeliveries = settle;
    answer = () => ({ status: 500, error: 'status 500' });
    clock.advance(60_000);
    await round();
    expect(sent.map(({ headers }) => headers['webhook-id'])).to.deep.equal(['1', '1']);
    expect(logged.join('\n')).to.include('w1').and.not.include('hooks.example.com').and.not.include('whsec_');
  });
});
