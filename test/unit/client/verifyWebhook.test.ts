import { expect } from 'chai';
import { verifyWebhook } from '../../../clients/typescript/src/index.ts';
import { secretOf, signWebhook } from '../../../src/service/alerts/signWebhook.ts';

describe('verifyWebhook of the TypeScript client', () => {
  const secret = secretOf(Buffer.alloc(32, 5));
  const nowMs = 1_704_187_920_000;
  const body = '{"type":"webhook.test"}';
  const good = signWebhook(secret, 'msg_1', nowMs, body) as Record<string, string>;
  const check = (headers: Parameters<typeof verifyWebhook>[1], given: string | Uint8Array = body, atMs = nowMs): Promise<boolean> =>
    verifyWebhook(secret, headers, given, { nowMs: atMs });

  it('takes what the service has signed, from Headers or from the fields of Node.js, as text or as bytes', async () => {
    const upper = Object.fromEntries(Object.entries(good).map(([name, value]) => [name.toUpperCase(), [value]]));
    const two = { ...good, 'webhook-signature': `v1,other v1,AAAA ${good['webhook-signature']}` };
    for (const headers of [good, new Headers(good), upper, two]) expect(await check(headers)).to.equal(true);
    expect(await check(good, new TextEncoder().encode(body), nowMs + 299_000)).to.equal(true);
  });

  it('refuses anything else without an exception', async () => {
    const changed = (name: string, value: string | undefined): Promise<boolean> => check({ ...good, [`webhook-${name}`]: value });
    const wrong = [check({}), check(new Headers()), check(good, `${body} `), check(good, body, nowMs + 301_000), check(good, body, 0)];
    wrong.push(changed('id', 'msg_2'), changed('id', ''), changed('id', undefined));
    wrong.push(
      changed('timestamp', '²'),
      changed('timestamp', '-1'),
      changed('timestamp', '9'.repeat(400)),
      changed('timestamp', undefined),
    );
    wrong.push(changed('signature', ''), changed('signature', 'v1,'), changed('signature', 'v1,é'), changed('signature', undefined));
    wrong.push(changed('signature', good['webhook-signature'].replace('v1', 'v2')));
    expect(new Set(await Promise.all(wrong))).to.deep.equal(new Set([false]));
  });

  it('throws for a body that was parsed', async () => {
    const error = await check(good, JSON.parse(body) as never).catch((thrown: unknown) => thrown);
    expect(error)
      .to.be.instanceOf(RangeError)
      .with.property('message', 'body must be the bytes or the text of the request as it arrived, before it is parsed');
  });

  it('throws for a secret that is none', async () => {
    for (const none of ['', 'whsec_', 'whsec_?', 'whsec_abc']) {
      const thrown: unknown = await verifyWebhook(none, good, body).catch((error: unknown) => error);
      expect(thrown, none).to.be.instanceOf(RangeError);
    }
  });
});
