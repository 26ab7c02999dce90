import { expect } from 'chai';
import { createApiKey, digestOfKey } from '../../../../src/service/accounts/accountKeys.ts';
import type { Account, StoredKey } from '../../../../src/service/accounts/AccountStore.ts';
import { createAuthenticate, type Authenticate } from '../../../../src/service/accounts/createAuthenticate.ts';
import { KeyAuthenticator } from '../../../../src/service/accounts/KeyAuthenticator.ts';
import { MemoryCounter } from '../../../../src/service/accounts/limits/MemoryCounter.ts';
import {
  type ForecastLimit,
  forecastLimit,
  type Permit,
  rateLimit,
  type LimitPolicy,
} from '../../../../src/service/accounts/limits/RateLimit.ts';
import { subjectOfAddress } from '../../../../src/service/accounts/limits/createLimits.ts';
import { systemClock } from '../../../../src/core/Clock.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';
import { sampleAccount, sampleKey } from '../../../support/sampleAccount.ts';

const POLICY: LimitPolicy = { name: 'forecasts', quota: 3, windowSeconds: 60 };

describe('rateLimit', () => {
  it('reports the remaining quota, then refuses with the time to wait', async () => {
    const limit = rateLimit(POLICY, new MemoryCounter(POLICY, new FakeClock()));
    for (const left of [2, 1, 0]) {
      expect((await limit.take('a')).headers).to.deep.equal({
        RateLimit: `"forecasts";r=${left};t=60`,
        'RateLimit-Policy': '"forecasts";q=3;w=60',
      });
    }
    const refusal = await serviceErrorOf(limit.take('a'));
    expect([refusal.code, refusal.status]).to.deep.equal(['limit.exceeded', 429]);
    expect(refusal.headers).to.deep.equal({
      RateLimit: '"forecasts";r=0;t=60',
      'RateLimit-Policy': '"forecasts";q=3;w=60',
      'Retry-After': '60',
    });
    expect(refusal.message).to.include('3 forecasts');
    expect((await limit.take('b')).headers['RateLimit']).to.include('r=2');
  });

  it('accepts returned permits', async () => {
    const limit = rateLimit(POLICY, new MemoryCounter(POLICY, new FakeClock()));
    for (let i = 0; i < 10; i++) expect((await (await limit.take('a')).giveBack())['RateLimit']).to.include('r=3');
    for (let i = 0; i < 3; i++) await limit.take('a');
    await serviceErrorOf(limit.take('a'));
  });

  it('says that this replica counts alone, in answers and refusals, for either of two limits', async () => {
    const counter = { add: async (_: string, count: number) => ({ count: 2 + count, resetMs: 60_000, isLocal: true }) };
    const local = rateLimit(POLICY, counter);
    const shared = rateLimit(POLICY, new MemoryCounter(POLICY, new FakeClock()));
    const caller = { keyId: 'k', accountId: 'a' };
    const scope = (headers: Readonly<Record<string, string>> | undefined): string | undefined => headers?.['RateLimit-Scope'];
    const permit = await local.take('a');
    expect([scope(permit.headers), scope(await permit.giveBack())]).to.deep.equal(['replica', 'replica']);
    expect(scope((await serviceErrorOf(local.take('a', 2))).headers)).to.equal('replica');
    expect(scope((await shared.take('a')).headers)).to.equal(undefined);
    const large = rateLimit({ ...POLICY, quota: 99 }, counter);
    for (const [ofKey, ofAccount] of [
      [local, shared],
      [shared, local],
      [shared, large],
    ] as const)
      expect(scope((await forecastLimit(ofKey, ofAccount).take(caller)).headers)).to.equal('replica');
  });

  it('restarts with the next window', async () => {
    const policy = { ...POLICY, quota: 1 };
    const clock = new FakeClock();
    const limit = rateLimit(policy, new MemoryCounter(policy, clock));
    await limit.take('a');
    clock.advance(59_999);
    expect((await serviceErrorOf(limit.take('a'))).headers?.['Retry-After']).to.equal('1');
    clock.advance(1);
    await limit.take('a');
  });

  it('is off at a quota of 0', async () => {
    const limit = rateLimit({ ...POLICY, quota: 0 }, new MemoryCounter(POLICY, new FakeClock()));
    for (let i = 0; i < 99; i++) expect((await limit.take('a')).headers).to.deep.equal({});
  });
});

describe('forecastLimit (row 88)', () => {
  const ACCOUNT: LimitPolicy = { ...POLICY, name: 'forecasts of this account', quota: 7 };
  const both = (key = POLICY, account = ACCOUNT, clock = new FakeClock()): ForecastLimit =>
    forecastLimit(rateLimit(key, new MemoryCounter(key, clock)), rateLimit(account, new MemoryCounter(account, clock)));
  const used = (permit: Permit): string | undefined => permit.headers['RateLimit'];

  it('gives all keys of an account no more than its quota, and another account its own', async () => {
    const limit = both();
    let served = 0;
    for (let key = 0; key < 12; key++)
      for (let i = 0; i < 3; i++)
        await limit.take({ keyId: `key ${key}`, accountId: 'a' }).then(
          () => served++,
          () => {},
        );
    expect(served).to.equal(7);
    expect(used(await limit.take({ keyId: 'key of b', accountId: 'b' }))).to.equal('"forecasts";r=2;t=60');
  });

  it('names the account in the headers where it has less left than the key, and in a refusal', async () => {
    const limit = both();
    for (let i = 0; i < 3; i++) await limit.take({ keyId: 'old', accountId: 'a' });
    expect(used(await limit.take({ keyId: 'new', accountId: 'a' }))).to.equal('"forecasts";r=2;t=60');
    await limit.take({ keyId: 'new', accountId: 'a' }, 2);
    expect(used(await limit.take({ keyId: 'newest', accountId: 'a' }))).to.equal(
      '"forecasts";r=2;t=60, "forecasts of this account";r=0;t=60',
    );
    const refusal = await serviceErrorOf(limit.take({ keyId: 'newest', accountId: 'a' }));
    expect([refusal.code, refusal.message]).to.deep.equal([
      'limit.exceeded',
      'The limit of 7 forecasts of this account in 60 s is used up; try again in 60 s.',
    ]);
    expect(refusal.headers).to.deep.equal({
      RateLimit: '"forecasts";r=2;t=60, "forecasts of this account";r=0;t=60',
      'RateLimit-Policy': '"forecasts";q=3;w=60, "forecasts of this account";q=7;w=60',
      'Retry-After': '60',
    });
  });

  it('counts no forecast that was returned, and none that either limit refused', async () => {
    const limit = both();
    for (let i = 0; i < 20; i++) await (await limit.take({ keyId: 'k', accountId: 'a' }, 3)).giveBack();
    for (let i = 0; i < 9; i++) await serviceErrorOf(limit.take({ keyId: 'k', accountId: 'a' }, 4));
    for (const keyId of ['k', 'l']) await limit.take({ keyId, accountId: 'a' }, 3);
    for (let i = 0; i < 9; i++) await serviceErrorOf(limit.take({ keyId: 'm', accountId: 'a' }, 2));
    await limit.take({ keyId: 'm', accountId: 'a' });
  });

  it('leaves out a limit that is off', async () => {
    const off = { ...POLICY, quota: 0 };
    expect((await both(off, off).take({ keyId: 'k', accountId: 'a' })).headers).to.deep.equal({});
    expect(used(await both(POLICY, off).take({ keyId: 'k', accountId: 'a' }))).to.equal('"forecasts";r=2;t=60');
    expect(used(await both(off).take({ keyId: 'k', accountId: 'a' }))).to.equal('"forecasts of this account";r=6;t=60');
  });
});

describe('MemoryCounter', () => {
  it('holds at most its maximum of subjects, of 200,000 addresses, and drops those not counted for the longest time', async function () {
    this.timeout(60_000);
    const counter = new MemoryCounter({ name: 'logins', quota: 5, windowSeconds: 3600 }, new FakeClock(), 10_000);
    await counter.add('busy', 1);
    for (let i = 0; i < 200_000; i++) {
      await counter.add(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 1);
      if (i % 4000 === 0) await counter.add('busy', 1);
    }
    expect(counter.size).to.be.within(5000, 10_000);
    expect((await counter.add('busy', 1)).count, 'an active subject is not dropped').to.equal(52);
    expect((await counter.add('10.0.0.1', 1)).count, 'an old one is dropped').to.equal(1);
  });

  it('drops subjects whose windows have ended', async () => {
    const clock = new FakeClock();
    const counter = new MemoryCounter(POLICY, clock);
    for (let i = 0; i < 100; i++) await counter.add(`subject ${i}`, 1);
    for (let i = 0; i < 2; i++) {
      clock.advance(60_000);
      await counter.add('another', 1);
    }
    expect(counter.size).to.be.at.most(2);
  });

  it('does not count a unit in the next window that is returned late', async () => {
    const clock = new FakeClock();
    const limit = rateLimit(POLICY, new MemoryCounter(POLICY, clock));
    const permit = await limit.take('a');
    clock.advance(60_000);
    expect((await permit.giveBack())['RateLimit']).to.equal('"forecasts";r=3;t=60');
    expect((await limit.take('a')).headers['RateLimit']).to.equal('"forecasts";r=2;t=60');
  });
});

describe('subjectOfAddress', () => {
  const cases: [address: string, subject: string][] = [
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ];
  for (const [address, subject] of cases) it(`${address} counts as ${subject}`, () => expect(subjectOfAddress(address)).to.equal(subject));
});

describe('createAuthenticate', () => {
  async function makeGuard(quota: number) {
    const store = new MemoryStore();
    const policy = { name: 'refused keys', quota, windowSeconds: 60 };
    const clock = new FakeClock();
    const keys = new KeyAuthenticator({ store, clock });
    const limit = rateLimit(policy, new MemoryCounter(policy, clock));
    const authenticate = createAuthenticate(keys, limit, systemClock);
    /** As in a worker process that was replaced: the counter continues, all else is new. */
    const restarted = (): Authenticate => createAuthenticate(new KeyAuthenticator({ store, clock }), limit, systemClock);
    const good = createApiKey();
    await store.createAccount(sampleAccount('a', { keys: [sampleKey('a', { digest: digestOfKey(good) })] }));
    store.calls = 0;
    /** Sends bad keys from one address concurrently; returns the refusals. */
    const flood = (count: number, guard = authenticate): Promise<ServiceError[]> =>
      Promise.all(Array.from({ length: count }, () => serviceErrorOf(guard(createApiKey(), 'here'))));
    const change = (given: Partial<StoredKey>): void => {
      const account = store.accounts.get('a') as Account;
      store.accounts.set('a', { ...account, keys: account.keys.map((key) => ({ ...key, ...given })) });
    };
    return { store, clock, keys, authenticate, restarted, good, flood, change };
  }

  it('refuses an address after too many bad keys, and checks about 10 of them per second in the store', async () => {
    const { store, authenticate, flood } = await makeGuard(2);
    for (const bad of ['x', createApiKey()]) expect(await authenticate(bad, 'here')).to.equal(undefined);
    store.calls = 0;
    for (let i = 0; i < 20; i++) expect((await serviceErrorOf(authenticate('not a key', 'here'))).code).to.equal('limit.exceeded');
    expect(store.calls, 'for a malformed key').to.equal(0);
    const refusals = await flood(200);
    expect(refusals.filter(({ code, headers }) => code === 'limit.exceeded' && headers?.['Retry-After'] === '60')).to.have.length(200);
    expect(store.calls).to.equal(10);
    expect(await authenticate(createApiKey(), 'elsewhere')).to.equal(undefined);
    expect(await authenticate(undefined, 'here'), 'a malformed key is no guess').to.equal(undefined);
  });

  it('never delays a key that another worker found valid, and checks it in the store', async () => {
    const { store, clock, good, flood, change } = await makeGuard(2);
    const limits = { add: () => Promise.resolve({ count: 3, resetMs: 60_000 }) };
    const limit = rateLimit({ name: 'refused keys', quota: 2, windowSeconds: 60 }, limits);
    const here = new KeyAuthenticator({ store, clock });
    const told: string[] = [];
    const there = new KeyAuthenticator({ store, clock, onValid: (digest) => told.push(digest) });
    for (let i = 0; i < 3; i++) {
      await there.authenticate(good);
      clock.advance(6000);
    }
    await there.authenticate(createApiKey());
    expect(told, 'once').to.deep.equal([digestOfKey(good)]);
    const authenticate = createAuthenticate(here, limit, systemClock);
    await flood(100, authenticate);
    expect((await serviceErrorOf(authenticate(good, 'here'))).code).to.equal('limit.exceeded');
    here.rememberValid(told[0]);
    store.calls = 0;
    expect([(await authenticate(good, 'here'))?.accountId, store.calls]).to.deep.equal(['a', 1]);
    change({ revokedAtMs: clock.nowMs() });
    here.invalidate('a');
    here.rememberValid(told[0]);
    expect([await authenticate(good, 'here'), here.wasValid(good)], 'told, but revoked').to.deep.equal([undefined, false]);
  });

  it('never delays a key that was valid within the last hours, whatever its address sends, and however long it was not used', async () => {
    const { store, clock, keys, authenticate, good, flood } = await makeGuard(2);
    await authenticate(good, 'here');
    for (const afterMs of [0, 5000, 3_600_000, 5 * 3_600_000]) {
      clock.advance(afterMs);
      for (let i = 0; i < 2; i++) await authenticate(createApiKey(), 'here').catch(() => {});
      await flood(100);
      expect((await authenticate(good, 'here'))?.accountId, `${afterMs} ms later`).to.equal('a');
    }
    keys.invalidate('a');
    expect((await authenticate(good, 'here'))?.accountId, 'after a change of its account').to.equal('a');
    clock.advance(5000);
    store.calls = 0;
    const identities = await Promise.all(Array.from({ length: 50 }, () => authenticate(good, 'here')));
    expect(new Set(identities.map((identity) => identity?.accountId))).to.deep.equal(new Set(['a']));
    expect(store.calls, 'one check serves all waiting requests').to.equal(1);
  });

  it('accepts a valid key that it does not know, at an address whose limit bad keys have used up: a worker was replaced', async () => {
    const { authenticate, restarted, good, flood } = await makeGuard(2);
    for (let i = 0; i < 2; i++) await authenticate(createApiKey(), 'here');
    await flood(100);
    const guard = restarted();
    await flood(5, guard);
    expect((await guard(good, 'here'))?.accountId).to.equal('a');
    await flood(100, guard);
    expect((await guard(good, 'here'))?.accountId, 'from then on, whatever is sent').to.equal('a');
  });

  it('counts a formerly valid key from its revocation on', async () => {
    const { clock, authenticate, good, change } = await makeGuard(1);
    await authenticate(good, 'here');
    change({ revokedAtMs: clock.nowMs() });
    clock.advance(5000);
    expect(await authenticate(good, 'here')).to.equal(undefined);
    expect(await authenticate(good, 'here')).to.equal(undefined);
    expect((await serviceErrorOf(authenticate(good, 'here'))).code).to.equal('limit.exceeded');
  });

  it('counts neither valid keys nor failures of the store', async () => {
    const { store, authenticate, good } = await makeGuard(1);
    store.failure = new ServiceError('store.unavailable', 'The account store does not answer.');
    for (let i = 0; i < 3; i++) expect((await serviceErrorOf(authenticate(good, 'here'))).code).to.equal('store.unavailable');
    store.failure = undefined;
    for (let i = 0; i < 3; i++) expect(await authenticate(good, 'here')).to.not.equal(undefined);
    expect(await authenticate('bad', 'here')).to.equal(undefined);
  });

  for (const [answer, failure] of [
    ['a valid key', undefined],
    ['a failure of the store', new ServiceError('store.unavailable', 'The account store does not answer.')],
  ] as const)
    // prettier-ignore
    it(`answers ${answer} when its permit has been returned, so that the next request of the caller is not refused`, async () => {
      const { store, keys, good } = await makeGuard(1);
      store.failure = failure;
      const events: string[] = [];
      let finish = (): void => {};
      const giveBack = async (): Promise<Record<string, string>> => {
        await new Promise<void>((resolve) => (finish = resolve));
        events.push('returned');
        return {};
      };
      const failedKeys = { take: () => Promise.resolve({ headers: {}, giveBack }) };
      const answered = createAuthenticate(keys, failedKeys, systemClock)(good, 'here').then(
        (identity) => events.push(`answered ${identity?.accountId}`),
        (error: ServiceError) => events.push(error.code),
      );
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      expect(events).to.deep.equal([]);
      finish();
      await answered;
      expect(events).to.deep.equal(['returned', failure?.code ?? 'answered a']);
    });

  it('takes equally long for a key that never existed and for a revoked one (row 13)', async () => {
    const clock = new FakeClock();
    const store = new MemoryStore();
    // A store in which a hit takes much longer than the work around it.
    const find = store.findAccountByDigest.bind(store);
    store.findAccountByDigest = async (digest) => {
      const found = await find(digest);
      if (found !== undefined) await new Promise<void>((resolve) => void clock.after(3, resolve));
      return found;
    };
    const unlimited = rateLimit({ name: '', quota: 0, windowSeconds: 1 }, { add: () => Promise.reject(new Error()) });
    const authenticate = createAuthenticate(new KeyAuthenticator({ store, clock }), unlimited, clock);
    const revoked = createApiKey();
    await store.createAccount(sampleAccount('r', { keys: [sampleKey('r', { digest: digestOfKey(revoked), revokedAtMs: 1 })] }));
    const tookMs = async (apiKey: string): Promise<number> => {
      const startMs = clock.monotonicMs();
      let endMs: number | undefined;
      const answer = authenticate(apiKey, 'here').then((identity) => {
        endMs = clock.monotonicMs();
        return identity;
      });
      while (endMs === undefined) {
        await new Promise((resolve) => setImmediate(resolve));
        if (endMs === undefined) clock.advance(1);
      }
      expect(await answer).to.equal(undefined);
      return endMs - startMs;
    };
    // Without the minimum, 0 and 3 ms.
    expect([await tookMs(createApiKey()), await tookMs(revoked)]).to.deep.equal([10, 10]);
  });
});
