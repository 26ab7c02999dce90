import { expect } from 'chai';
import { WebhookService } from '../../../../src/service/accounts/WebhookService.ts';
import type { PostResult } from '../../../../src/service/alerts/postWebhook.ts';
import { ALERT_TYPES } from '../../../../src/service/alerts/Webhook.ts';
import { signWebhook } from '../../../../src/service/alerts/signWebhook.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { sampleAccount, sampleDelivery, sampleWebhook } from '../../../support/sampleAccount.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';

const ORIGIN = { actor: 'key', requestId: 'r' } as const;
const POSTED = { status: 204 } as unknown as PostResult;

async function open({ allowsPrivate = false, webhooks = 0 } = {}) {
  const [store, clock] = [new MemoryStore(), new FakeClock()];
  await store.createAccount(sampleAccount('a', { webhooks: Array.from({ length: webhooks }, (_, i) => sampleWebhook(`${i}`)) }));
  await store.createAccount(sampleAccount('b'));
  const [posts, changed]: [[string, Readonly<Record<string, string>>, string][], string[]] = [[], []];
  const service = new WebhookService({
    ...{ store, clock, allowsPrivate, onChange: (id) => void changed.push(id) },
    post: (...post) => (posts.push(post), Promise.resolve(POSTED)),
  });
  const account = (id = 'a') => store.accounts.get(id)!;
  return { store, clock, service, posts, changed, account };
}

describe('WebhookService', () => {
  it('adds a target with a secret of 32 random bytes, for all alerts if none is named', async () => {
    const { store, clock, service, changed, account } = await open();
    const all = await service.add('a', { url: 'https://Hooks.example.com' }, ORIGIN);
    expect(all).to.deep.include({
      url: 'https://hooks.example.com/',
      events: ALERT_TYPES,
      createdAtMs: clock.nowMs(),
      recordIsWorse: false,
    });
    expect(Buffer.from(all.secret.replace('whsec_', ''), 'base64')).to.have.length(32);
    const one = await service.add('a', { url: 'https://example.com/x', events: ['record.worse'] }, ORIGIN);
    expect(one.events).to.deep.equal(['record.worse']);
    expect(account().webhooks).to.deep.equal([all, one]);
    expect(new Set([all.id, one.id, all.secret, one.secret]).size).to.equal(4);
    expect(changed).to.deep.equal(['a', 'a']);
    expect(
      store.events.map(({ action, actor, accountId, keyId, requestId, atMs }) => [action, actor, accountId, keyId, requestId, atMs]),
    ).to.deep.equal(
      // prettier-ignore
      [all, one].map(({ id }) => ['webhook.added', 'key', 'a', id, 'r', clock.nowMs()]),
    );
  });

  const refused: [url: string, events: string[] | undefined, pointers: string[], detail: RegExp][] = [
    ['ftp://example.com', undefined, ['/url'], /^url must start with https/],
    ['http://127.0.0.1/', undefined, ['/url'], /^url must/],
    ['https://example.com', [], ['/events'], /events has no entries/],
    ['https://example.com', ['record.worse', 'nothing'], ['/events/1'], /events\[1\] is "nothing"; it must be one of/],
    ['https://example.com', ['record.worse', 'record.worse'], ['/events/1'], /each once/],
    ['nowhere', ['nothing'], ['/url', '/events/0'], /^url must be a URL/],
  ];
  for (const [url, events, pointers, detail] of refused)
    it(`refuses ${url} with ${events === undefined ? 'all alerts' : `[${events.join(', ')}]`}, and changes nothing`, async () => {
      const { store, service, changed, account } = await open();
      const error = await serviceErrorOf(service.add('a', { url, ...(events === undefined ? {} : { events }) }, ORIGIN));
      expect([error.code, error.errors?.map(({ pointer }) => pointer)]).to.deep.equal(['request.invalid', pointers]);
      expect(error.errors?.[0]?.detail).to.match(detail);
      expect([account().webhooks, store.events, changed]).to.deep.equal([[], [], []]);
    });

  it('keeps rule, format and chat, and asks a bot of Telegram to send messages', async () => {
    const { service, account } = await open();
    const options = { format: 'telegram' as const, chatId: '42', rule: { min_probability: 0.4 } };
    for (const url of [
      'https://api.telegram.org/bot1:a',
      'https://api.telegram.org/bot1:a/',
      'https://api.telegram.org/bot1:a/sendMessage',
    ])
      expect(await service.add('a', { url, ...options }, ORIGIN)).to.include({
        ...options,
        url: 'https://api.telegram.org/bot1:a/sendMessage',
      });
    expect(account().webhooks?.map(({ rule }) => rule)).to.deep.equal([options.rule, options.rule, options.rule]);
  });

  for (const [options, code] of [
    [{ format: 'telegram' }, 'field.missing'],
    [{ format: 'ntfy', chatId: '42' }, 'field.unknown'],
    [{ chatId: '42' }, 'field.unknown'],
  ] as const)
    it(`refuses ${JSON.stringify(options)}: a chat belongs to Telegram`, async () => {
      const { service, store } = await open();
      const error = await serviceErrorOf(service.add('a', { url: 'https://example.com', ...options }, ORIGIN));
      expect([error.errors?.map((one) => [one.pointer, one.code]), store.events]).to.deep.equal([[['/chat_id', code]], []]);
    });

  it('accepts a private address only where they are allowed', async () => {
    const { service } = await open({ allowsPrivate: true });
    expect((await service.add('a', { url: 'http://127.0.0.1:8000/x' }, ORIGIN)).url).to.equal('http://127.0.0.1:8000/x');
  });

  it('allows 5 targets of an account', async () => {
    const { service, account, store } = await open({ webhooks: 4 });
    await service.add('a', { url: 'https://example.com' }, ORIGIN);
    const error = await serviceErrorOf(service.add('a', { url: 'https://example.com' }, ORIGIN));
    expect([error.code, error.message]).to.deep.equal(['account.too_many_webhooks', 'The account has 5 webhooks; at most 5 are allowed.']);
    expect([account().webhooks?.length, store.events.length]).to.deep.equal([5, 1]);
    await service.add('b', { url: 'https://example.com' }, ORIGIN);
  });

  it('changes what is named of one target, and neither its secret nor its undelivered alerts', async () => {
    const { store, clock, service, changed, account } = await open({ webhooks: 3 });
    await store.addDeliveries([sampleDelivery('1', 'a', { webhookId: 'w1' })]);
    const change = (given: Parameters<typeof service.change>[2]) => service.change('a', 'w1', given, ORIGIN);
    const before = sampleWebhook('1');
    const rule = { min_probability: 0.4 };
    expect(await change({ url: 'https://Hooks.example.com/new', rule })).to.deep.equal({
      ...before,
      url: 'https://hooks.example.com/new',
      rule,
    });
    const chat = { format: 'telegram' as const, chatId: '42', url: 'https://api.telegram.org/bot1:a' };
    expect(await change(chat)).to.deep.equal({ ...before, ...chat, rule, url: 'https://api.telegram.org/bot1:a/sendMessage' });
    const events = ['record.worse'] as const;
    expect(await change({ events: [...events], rule: null })).to.deep.equal({
      ...before,
      ...chat,
      events,
      url: 'https://api.telegram.org/bot1:a/sendMessage',
    });
    // The chat goes with its format.
    const last = await change({ format: 'ntfy', url: 'https://ntfy.sh/x' });
    expect(last).to.deep.equal({ ...before, events, format: 'ntfy', url: 'https://ntfy.sh/x' });
    expect(account().webhooks).to.deep.equal([sampleWebhook('0'), last, sampleWebhook('2')]);
    expect([store.deliveries.length, changed.length]).to.deep.equal([1, 4]);
    expect(store.events.map(({ action, keyId, atMs }) => [action, keyId, atMs])).to.deep.equal(
      Array.from({ length: 4 }, () => ['webhook.changed', 'w1', clock.nowMs()]),
    );
    for (const [given, pointer] of [
      [{ url: 'https://127.0.0.1' }, '/url'],
      [{ events: ['nothing'] }, '/events/0'],
      [{ format: 'telegram' }, '/chat_id'],
      [{ chatId: '42' }, '/chat_id'],
    ] as const)
      expect((await serviceErrorOf(change(given))).errors?.map((one) => one.pointer)).to.deep.equal([pointer]);
    expect(account().webhooks?.[1]).to.deep.equal(last);
    expect((await serviceErrorOf(service.change('b', 'w1', {}, ORIGIN))).code).to.equal('webhook.unknown');
  });

  it('removes one target with its undelivered alerts', async () => {
    const { store, clock, service, changed, account } = await open({ webhooks: 3 });
    await store.addDeliveries([sampleDelivery('1', 'a', { webhookId: 'w0' }), sampleDelivery('2', 'a', { webhookId: 'w1' })]);
    expect(await service.remove('a', 'w1', ORIGIN)).to.deep.equal(sampleWebhook('1'));
    expect(account().webhooks?.map(({ id }) => id)).to.deep.equal(['w0', 'w2']);
    expect(store.deliveries.map(({ id }) => id)).to.deep.equal(['1']);
    expect(changed).to.deep.equal(['a']);
    expect(store.events.map(({ action, keyId, atMs }) => [action, keyId, atMs])).to.deep.equal([['webhook.removed', 'w1', clock.nowMs()]]);
    expect((await serviceErrorOf(service.remove('a', 'w1', ORIGIN))).code).to.equal('webhook.unknown');
    expect((await serviceErrorOf(service.remove('b', 'w0', ORIGIN))).code).to.equal('webhook.unknown');
  });

  it('sends a signed test alert to the target', async () => {
    const { clock, service, posts, account } = await open({ webhooks: 2 });
    expect(await service.test(account(), 'w1')).to.equal(POSTED);
    const [[url, headers, body]] = posts as [[string, Record<string, string>, string]];
    const { secret } = sampleWebhook('1');
    const id = headers['webhook-id'] ?? '';
    expect(id).to.match(/^msg_[0-9a-f-]{36}$/);
    expect([url, headers]).to.deep.equal([
      sampleWebhook('1').url,
      { ...signWebhook(secret, id, clock.nowMs(), body), 'Content-Type': 'application/json' },
    ]);
    expect(JSON.parse(body)).to.deep.include({ type: 'webhook.test', data: { message: 'A test of tickmark: alerts arrive here.' } });
    await service.test(account(), 'w1');
    expect(posts[1]?.[1]['webhook-id']).to.not.equal(id);
    expect((await serviceErrorOf(service.test(account('b'), 'w1'))).code).to.equal('webhook.unknown');
  });

  it('lists the alerts of a target that were given up', async () => {
    const { store, service, account } = await open({ webhooks: 2 });
    await store.addDeliveries([sampleDelivery('1', 'a', { failedAtMs: 5 }), sampleDelivery('2', 'a'), sampleDelivery('3', 'a', { webhookId: 'w0', failedAtMs: 5 })]); // prettier-ignore
    expect((await service.failed(account(), 'w1')).map(({ id }) => id)).to.deep.equal(['1']);
    expect((await serviceErrorOf(service.failed(account('b'), 'w1'))).code).to.equal('webhook.unknown');
  });

  it('knows no account that was deleted', async () => {
    const { service } = await open();
    expect((await serviceErrorOf(service.add('c', { url: 'https://example.com' }, ORIGIN))).code).to.equal('account.unknown');
    expect((await serviceErrorOf(service.remove('c', 'w1', ORIGIN))).code).to.equal('account.unknown');
  });
});
