import { expect } from 'chai';
import type { Account, StoredKey } from '../../../../src/service/accounts/AccountStore.ts';
import { createApiKey, digestOfKey, displayPrefix } from '../../../../src/service/accounts/accountKeys.ts';
import { KeyAuthenticator } from '../../../../src/service/accounts/KeyAuthenticator.ts';
import { StoreOutage } from '../../../../src/service/accounts/StoreOutage.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { sampleAccount, sampleKey } from '../../../support/sampleAccount.ts';
import { until } from '../../../support/until.ts';

const CACHE_LIFE_MS = 5000;

function makeAuthenticator(cacheEntries = 10, outageMs = 0, outageOf = (clock: FakeClock) => new StoreOutage(clock)) {
  const store = new MemoryStore();
  const clock = new FakeClock();
  const outage = outageOf(clock);
  const uses: (string | number)[][] = [];
  const authenticator = new KeyAuthenticator({
    ...{ store, clock, cacheLifeMs: CACHE_LIFE_MS, cacheEntries, outageMs, outage },
    uses: { used: ({ accountId, keyId }, atMs) => void uses.push([accountId, keyId, atMs]) },
  });
  const issue = async (id: string, given: Partial<StoredKey> = {}): Promise<string> => {
    const apiKey = createApiKey();
    const key = sampleKey(id, { digest: digestOfKey(apiKey), prefix: displayPrefix(apiKey), ...given });
    await store.createAccount(sampleAccount(id, { keys: [key] }));
    store.calls = 0;
    return apiKey;
  };
  const change = (id: string, given: Partial<StoredKey>): void => {
    const account = store.accounts.get(id) as Account;
    store.accounts.set(id, { ...account, keys: account.keys.map((key) => ({ ...key, ...given })) });
  };
  return { store, clock, uses, authenticator, issue, change };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function issuedKey() {
  const rig = makeAuthenticator();
  return { ...rig, apiKey: await rig.issue('a') };
}

/** A key that the authenticator has found valid. */
async function knownKey() {
  const rig = await issuedKey();
  await rig.authenticator.authenticate(rig.apiKey);
  return rig;
}

describe('KeyAuthenticator', () => {
  it('finds the owner of a key, and returns nothing that could be used as a key', async () => {
    const { authenticator, issue } = makeAuthenticator();
    const apiKey = await issue('a', { name: 'laptop' });
    expect(await authenticator.authenticate(apiKey)).to.deep.equal({
      accountId: 'a',
      email: 'a@Example.com',
      companyId: null,
      keyId: 'key-of-a',
      keyPrefix: apiKey.slice(0, 13),
      keyName: 'laptop',
      keyCreatedAtMs: 1_704_067_200_123,
      keyEndMs: null,
    });
  });

  it('refuses a malformed key without a store call', async () => {
    const { store, authenticator, apiKey } = await issuedKey();
    const wrongChecksum = apiKey.slice(0, -1) + (apiKey.endsWith('0') ? '1' : '0');
    const headers = [undefined, '', ' ', 'Bearer ' + apiKey, `${apiKey}, ${apiKey}`, wrongChecksum, apiKey.slice(1), 'x'.repeat(9000)];
    for (const header of headers) expect(await authenticator.authenticate(header)).to.equal(undefined);
    expect(store.calls).to.equal(0);
  });

  it('refuses unknown, revoked and expired keys alike, each for one store call', async () => {
    const { store, clock, authenticator, issue } = makeAuthenticator();
    const refused = {
      unknown: createApiKey(),
      revoked: await issue('a', { revokedAtMs: clock.nowMs() - 1 }),
      'expired now': await issue('b', { expiresAtMs: clock.nowMs() }),
      'over its grace': await issue('c', { graceUntilMs: clock.nowMs(), expiresAtMs: clock.nowMs() + 1000 }),
      'of a disabled account': await issue('d'),
    };
    store.accounts.set('d', { ...(store.accounts.get('d') as Account), disabledAtMs: 1 });
    for (const [what, apiKey] of Object.entries(refused)) {
      for (let i = 1; i <= 2; i++) {
        store.calls = 0;
        expect(await authenticator.authenticate(apiKey), what).to.equal(undefined);
        expect(store.calls, `store calls of ${what}, time ${i}`).to.equal(1);
      }
    }
  });

  it('refuses a key whose account was deleted', async () => {
    const { store, authenticator, apiKey } = await issuedKey();
    store.accounts.clear();
    expect(await authenticator.authenticate(apiKey)).to.equal(undefined);
  });

  it('calls the store once while the key is cached, and again afterwards', async () => {
    const { store, clock, authenticator, apiKey } = await issuedKey();
    const identity = await authenticator.authenticate(apiKey);
    const first = store.calls;
    clock.advance(CACHE_LIFE_MS / 2 - 1);
    expect(await authenticator.authenticate(apiKey)).to.deep.equal(identity);
    expect(store.calls).to.equal(first);
    clock.advance(CACHE_LIFE_MS / 2 + 1);
    expect(await authenticator.authenticate(apiKey)).to.deep.equal(identity);
    expect(first, 'one round trip for key and account').to.equal(1);
    expect(store.calls).to.equal(2);
  });

  describe('a key in use', () => {
    /** A store whose answers wait for the test. */
    function holdAnswers(store: MemoryStore): { waiting: number; answer(): Promise<void> } {
      const find = store.findAccountByDigest.bind(store);
      const held: (() => void)[] = [];
      store.findAccountByDigest = async (digest) => {
        const found = await find(digest);
        await new Promise<void>((resolve) => held.push(resolve));
        return found;
      };
      return {
        get waiting() {
          return held.length;
        },
        async answer() {
          for (const resolve of held.splice(0)) resolve();
          await settled();
        },
      };
    }

    it('is checked again in the background, once, and never waits for the store', async () => {
      const { store, clock, authenticator, apiKey } = await knownKey();
      const answers = holdAnswers(store);
      for (let round = 0; round < 5; round++) {
        clock.advance(CACHE_LIFE_MS / 2);
        for (let i = 0; i < 20; i++) expect(authenticator.known(apiKey)?.keyId).to.equal('key-of-a');
        await settled();
        expect(answers.waiting, 'one check in flight').to.equal(1);
        await answers.answer();
      }
      expect(store.calls).to.equal(6);
    });

    it('is valid from the time at which its check started, not from the answer', async () => {
      const { store, clock, authenticator, apiKey } = await knownKey();
      const answers = holdAnswers(store);
      clock.advance(3000);
      authenticator.known(apiKey);
      await settled();
      clock.advance(1999);
      await answers.answer();
      clock.advance(3000);
      expect(authenticator.known(apiKey), '7,999 ms').to.not.equal(undefined);
      clock.advance(1);
      expect(authenticator.known(apiKey), '8,000 ms').to.equal(undefined);
    });

    it('keeps its end if the store fails in the background, and is not checked again before', async () => {
      const { store, clock, authenticator, apiKey } = await knownKey();
      store.calls = 0;
      store.failure = new ServiceError('store.unavailable', 'The account store does not answer.');
      clock.advance(CACHE_LIFE_MS - 1);
      for (let i = 0; i < 20; i++) {
        expect(authenticator.known(apiKey)).to.not.equal(undefined);
        await settled();
      }
      expect(store.calls).to.equal(1);
      clock.advance(1);
      expect(authenticator.known(apiKey)).to.equal(undefined);
      expect(await authenticator.authenticate(apiKey).catch((error: unknown) => error)).to.equal(store.failure);
      expect(authenticator.wasValid(apiKey)).to.equal(true);
    });

    it('is refused as soon as a background check finds it revoked', async () => {
      const { clock, authenticator, change, apiKey } = await knownKey();
      change('a', { revokedAtMs: clock.nowMs() });
      clock.advance(CACHE_LIFE_MS / 2);
      authenticator.known(apiKey);
      await settled();
      expect(authenticator.known(apiKey)).to.equal(undefined);
      expect(authenticator.wasValid(apiKey)).to.equal(false);
    });

    it('is not accepted after a check from before a change in this process, nor after one older than the cache lifetime', async () => {
      const { store, clock, authenticator, change, apiKey } = await issuedKey();
      const answers = holdAnswers(store);
      const before = authenticator.authenticate(apiKey);
      await settled();
      change('a', { revokedAtMs: clock.nowMs() });
      authenticator.invalidate('a');
      const after = authenticator.authenticate(apiKey);
      await settled();
      await answers.answer();
      expect([(await before)?.keyId, await after]).to.deep.equal(['key-of-a', undefined]);

      change('a', { revokedAtMs: null });
      const old = authenticator.authenticate(apiKey);
      await settled();
      change('a', { revokedAtMs: clock.nowMs() });
      clock.advance(CACHE_LIFE_MS);
      const fresh = authenticator.authenticate(apiKey);
      await settled();
      await answers.answer();
      expect([(await old)?.keyId, await fresh]).to.deep.equal(['key-of-a', undefined]);
    });
  });

  it('refuses a key that is revoked while cached, within the cache lifetime however often it is used', async () => {
    const { clock, authenticator, change, apiKey } = await knownKey();
    change('a', { revokedAtMs: clock.nowMs() });
    for (let passedMs = 0; passedMs < CACHE_LIFE_MS; passedMs += 1000) {
      await authenticator.authenticate(apiKey);
      clock.advance(1000);
    }
    expect(await authenticator.authenticate(apiKey)).to.equal(undefined);
  });

  it('refuses a key at the millisecond of its expiry, cached or not', async () => {
    const { clock, authenticator, issue } = makeAuthenticator();
    const apiKey = await issue('a', { expiresAtMs: clock.nowMs() + 100 });
    clock.advance(99);
    expect(await authenticator.authenticate(apiKey)).to.not.equal(undefined);
    clock.advance(1);
    expect(await authenticator.authenticate(apiKey)).to.equal(undefined);
  });

  it('caches at most the maximum number of keys, the newest', async () => {
    const { store, authenticator, issue } = makeAuthenticator(2);
    const keys = [await issue('a'), await issue('b'), await issue('c')];
    for (const apiKey of keys) await authenticator.authenticate(apiKey);
    store.calls = 0;
    await authenticator.authenticate(keys[1]);
    await authenticator.authenticate(keys[2]);
    expect(store.calls, 'b and c are cached').to.equal(0);
    await authenticator.authenticate(keys[0]);
    expect(store.calls, 'a is not').to.be.above(0);
  });

  it('distinguishes a failing store from a bad key', async () => {
    const { store, authenticator, apiKey } = await issuedKey();
    store.failure = new ServiceError('store.unavailable', 'The account store does not answer.');
    const failure: unknown = await authenticator.authenticate(apiKey).catch((error: unknown) => error);
    expect(failure).to.equal(store.failure);
    store.failure = undefined;
    expect(await authenticator.authenticate(apiKey)).to.not.equal(undefined);
  });

  it('refuses at once what is revoked in this process, also during a check', async () => {
    const { store, clock, authenticator, issue, change } = makeAuthenticator();
    const [mine, other] = [await issue('a'), await issue('b')];
    await authenticator.authenticate(mine);
    await authenticator.authenticate(other);
    change('a', { revokedAtMs: clock.nowMs() });
    authenticator.invalidate('a');
    expect(authenticator.known(mine)).to.equal(undefined);
    expect(await authenticator.authenticate(mine)).to.equal(undefined);
    expect(authenticator.known(other)?.keyId, 'others stay cached').to.equal('key-of-b');

    const late = await issue('c');
    const find = store.findAccountByDigest.bind(store);
    store.findAccountByDigest = async (digest) => {
      const before = await find(digest);
      change('c', { revokedAtMs: clock.nowMs() });
      authenticator.invalidate('c');
      return before;
    };
    await authenticator.authenticate(late);
    expect(authenticator.known(late), 'an earlier result is not cached').to.equal(undefined);
  });

  describe('during an outage of the store', () => {
    const OUTAGE_MS = 600_000;
    const UNAVAILABLE = new ServiceError('store.unavailable', 'The account store does not answer.');
    async function makeRig() {
      const changes: string[] = [];
      const rig = makeAuthenticator(10, OUTAGE_MS, (clock) => {
        return new StoreOutage(clock, (lastedMs) => void changes.push(lastedMs === undefined ? 'began' : `lasted ${lastedMs} ms`));
      });
      const { authenticator, clock } = rig;
      const answer = (apiKey: string): Promise<string> =>
        authenticator.authenticate(apiKey).then(
          (identity) => (identity === undefined ? 'refused' : 'accepted'),
          (error: unknown) => (error as ServiceError).code,
        );
      /** Steps through a time second by second, with a use of the key at each one. */
      const useFor = async (apiKey: string, ms: number): Promise<Set<string>> => {
        const seen = new Set<string>();
        for (let passedMs = 0; passedMs < ms; passedMs += 1000) {
          seen.add(await answer(apiKey));
          clock.advance(1000);
          await settled();
        }
        return seen;
      };
      return { ...rig, changes, answer, useFor, apiKey: await rig.issue('a') };
    }

    it('accepts a key that was valid before, for 10 minutes, and reports one outage (row 34)', async () => {
      const { store, changes, answer, useFor, apiKey } = await makeRig();
      expect([...(await useFor(apiKey, 20_000))]).to.deep.equal(['accepted']);
      store.failure = UNAVAILABLE;
      expect([...(await useFor(apiKey, OUTAGE_MS))]).to.deep.equal(['accepted']);
      await useFor(apiKey, 10_000);
      expect(await answer(apiKey)).to.equal('store.unavailable');
      expect(changes).to.deep.equal(['began']);
      store.failure = undefined;
      expect([...(await useFor(apiKey, 20_000))]).to.deep.equal(['accepted']);
      expect(changes).to.have.length(2);
    });

    it('accepts no key that the store has not called valid within 10 minutes before, and no unknown key', async () => {
      const { store, clock, authenticator, issue, answer, apiKey: old } = await makeRig();
      const [recent, unseen] = [await issue('b'), await issue('c')];
      await authenticator.authenticate(old);
      clock.advance(CACHE_LIFE_MS + 1);
      await authenticator.authenticate(recent);
      clock.advance(OUTAGE_MS);
      store.failure = UNAVAILABLE;
      expect(await answer(unseen)).to.equal('store.unavailable');
      expect([await answer(old), await answer(recent), await answer(createApiKey())]).to.deep.equal([
        'store.unavailable',
        'accepted',
        'store.unavailable',
      ]);
    });

    for (const [what, tell] of [
      ['was revoked in this process or another worker', ({ authenticator }) => authenticator.invalidate('a')],
      ['belongs to an account that another replica has changed', ({ authenticator }) => authenticator.recheck('a@example.com')],
      ['has expired', () => {}],
    ] as const satisfies readonly (readonly [string, (rig: Awaited<ReturnType<typeof makeRig>>) => void])[])
      it(`accepts no key that ${what}, whenever this is known`, async () => {
        for (const isBefore of [true, false]) {
          const rig = await makeRig();
          const { store, clock, issue, change, answer, useFor, apiKey } = rig;
          if (what === 'has expired') change('a', { expiresAtMs: clock.nowMs() + 30_000 });
          const other = await issue('b');
          for (const each of [apiKey, other]) expect(await answer(each)).to.equal('accepted');
          if (!isBefore) {
            store.failure = UNAVAILABLE;
            await useFor(other, 20_000);
            expect(await answer(apiKey)).to.equal('accepted');
          }
          store.failure = UNAVAILABLE;
          tell(rig);
          await useFor(other, 40_000);
          expect([await answer(apiKey), await answer(other)], String(isBefore)).to.deep.equal(['store.unavailable', 'accepted']);
        }
      });

    it('refuses what was revoked meanwhile as soon as the store answers, which a call of its own finds out', async () => {
      const { store, clock, change, changes, answer, useFor, apiKey } = await makeRig();
      await answer(apiKey);
      store.failure = UNAVAILABLE;
      await useFor(apiKey, 60_000);
      store.failure = undefined;
      change('a', { revokedAtMs: clock.nowMs() });
      clock.advance(1000);
      await settled();
      expect(changes).to.have.length(2);
      expect(await answer(apiKey)).to.equal('refused');
    });

    it('waits a second at most for a store that stalls, once, and not at all afterwards', async () => {
      const { store, clock, authenticator, changes, answer, apiKey } = await makeRig();
      await answer(apiKey);
      clock.advance(CACHE_LIFE_MS);
      store.findAccountByDigest = () => new Promise(() => {});
      const first = answer(apiKey);
      clock.advance(999);
      await settled();
      expect(changes).to.deep.equal([]);
      clock.advance(1);
      expect(await first).to.equal('accepted');
      expect(authenticator.known(apiKey)?.accountId).to.equal('a');
      expect(changes).to.deep.equal(['began']);
    });

    it('takes no failure of a call from before the last answer for an outage', async () => {
      const { store, clock, authenticator, changes, answer, apiKey } = await makeRig();
      const find = store.findAccountByDigest.bind(store);
      let fail = (_error: Error): void => {};
      store.findAccountByDigest = () => new Promise((_, reject) => (fail = reject));
      const early = authenticator.authenticate(createApiKey()).catch(() => 'failed');
      store.findAccountByDigest = find;
      clock.advance(500);
      expect(await answer(apiKey)).to.equal('accepted');
      fail(UNAVAILABLE);
      expect(await early).to.equal('failed');
      expect(changes).to.deep.equal([]);
    });

    it('makes no calls of its own once it is closed', async () => {
      const { store, clock, authenticator, answer } = await makeRig();
      store.failure = UNAVAILABLE;
      await answer(createApiKey());
      authenticator.close();
      store.calls = 0;
      clock.advance(10_000);
      expect(store.calls).to.equal(0);
    });
  });

  it('says when a key was used, to the minute and at most once for each check', async () => {
    const { clock, uses, authenticator, change, apiKey } = await issuedKey();
    clock.advance(72_345);
    for (let i = 0; i < 3; i++) await authenticator.authenticate(apiKey);
    expect(uses).to.deep.equal([['a', 'key-of-a', Date.UTC(2024, 0, 1) + 60_000]]);
    change('a', { lastUsedAtMs: Date.UTC(2024, 0, 1) + 60_000 });
    clock.advance(CACHE_LIFE_MS);
    await authenticator.authenticate(apiKey);
    expect(uses, 'the store has it').to.have.length(1);
  });

  describe('after another process has changed an account', () => {
    it('refuses a revoked key once the store has answered, and accepts it until then', async () => {
      const { store, authenticator, issue, change } = makeAuthenticator();
      const [revoked, other] = [await issue('a'), await issue('b')];
      for (const apiKey of [revoked, other]) await authenticator.authenticate(apiKey);
      change('a', { revokedAtMs: 1 });
      store.calls = 0;
      authenticator.recheck('a@example.com');
      expect(authenticator.known(revoked)?.accountId).to.equal('a');
      await until(() => authenticator.known(revoked) === undefined);
      expect(await authenticator.authenticate(revoked)).to.equal(undefined);
      expect(authenticator.known(other)?.accountId).to.equal('b');
      expect(store.calls).to.equal(2);
    });

    it('keeps a valid key without an answer in between, and a deleted account none', async () => {
      const { store, authenticator, apiKey } = await knownKey();
      store.calls = 0;
      authenticator.recheck('a@example.com');
      await authenticator.authenticate(apiKey);
      expect(store.calls).to.equal(1);
      store.accounts.delete('a');
      authenticator.recheck('a@example.com');
      await until(() => authenticator.known(apiKey) === undefined);
    });

    it('asks nothing for an account without a cached key', async () => {
      const { store, authenticator, issue } = makeAuthenticator();
      await issue('a');
      authenticator.recheck('a@example.com');
      authenticator.recheck('other@example.com');
      expect(store.calls).to.equal(0);
    });
  });
});
