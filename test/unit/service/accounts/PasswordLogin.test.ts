import { expect } from 'chai';
import { createLimits } from '../../../../src/service/accounts/limits/createLimits.ts';
import { MemoryCounter } from '../../../../src/service/accounts/limits/MemoryCounter.ts';
import { PasswordLogin } from '../../../../src/service/accounts/PasswordLogin.ts';
import { silentLogger } from '../../../../src/core/Logger.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { InstantHasher } from '../../../support/InstantHasher.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';
import { sampleAccount } from '../../../support/sampleAccount.ts';

const PASSWORD = 'correct horse 42';
const QUOTAS = {
  forecastsPerMinute: 0,
  forecastsPerMinutePerAccount: 0,
  signupsPerHour: 0,
  loginsPerMinute: 0,
  failedLoginsPerHour: 0,
  failedKeysPerMinute: 0,
};

async function makeLogin(quotas: Partial<typeof QUOTAS> = {}) {
  const [store, hasher, clock] = [new MemoryStore(), new InstantHasher(), new FakeClock()];
  const limits = createLimits({ ...QUOTAS, ...quotas }, (policy) => new MemoryCounter(policy, clock));
  const login = new PasswordLogin({ store, hasher, limits, clock, logger: silentLogger });
  const passwordHash = `hash of ${PASSWORD.length} characters`;
  await store.createAccount(sampleAccount('a', { emailKey: 'trader@example.com', passwordHash }));
  store.calls = 0;
  const verify = (email: string, password: string, subject = '127.0.0.1') =>
    login.verify({ email, password }, { subject, requestId: 'request-1' });
  return { store, hasher, clock, verify };
}

describe('PasswordLogin', () => {
  it('finds the account in every form of its e-mail', async () => {
    const { verify } = await makeLogin();
    for (const email of ['trader@example.com', 'TRADER@Example.com']) expect((await verify(email, PASSWORD))?.id).to.equal('a');
  });

  it('finds an account that an earlier version stored in another form, and a newer one, each by its own spelling first', async () => {
    const { store, verify } = await makeLogin();
    const passwordHash = `hash of ${PASSWORD.length} characters`;
    for (const [id, emailKey] of Object.entries({
      p: 'p@xn--bcher-kva.example',
      f: 'ｆ@example.com',
      old: 'x@xn--bcher-kva.example',
      made: 'x@bücher.example',
    }))
      await store.createAccount(sampleAccount(id, { emailKey, passwordHash }));
    const found: Record<string, string> = {
      'p@xn--Bcher-kva.example': 'p',
      'p@Bücher.example': 'p',
      'ｆ@example.com': 'f',
      'x@xn--bcher-kva.example': 'old',
      'x@Bücher.example': 'made',
    };
    for (const [email, id] of Object.entries(found)) expect((await verify(email, PASSWORD))?.id, email).to.equal(id);
    const calls: number[] = [];
    for (const email of ['p@bücher.example', 'unknown@bücher.example']) {
      store.calls = 0;
      await verify(email, 'wrong');
      calls.push(store.calls);
    }
    expect(calls, 'known and unknown e-mails make the same calls').to.deep.equal([2, 2]);
  });

  it('does the same work for an unknown e-mail, a wrong password and a disabled account, and answers them alike (row 21)', async () => {
    const { store, hasher, verify } = await makeLogin();
    await store.createAccount({ ...sampleAccount('b'), passwordHash: `hash of ${PASSWORD.length} characters`, disabledAtMs: 1 });
    const tries: [string, string][] = [
      ['unknown@example.com', PASSWORD],
      ['trader@example.com', 'wrong'],
      ['b@example.com', PASSWORD],
      ['', ''],
    ];
    for (const [email, password] of tries) {
      [store.calls, hasher.verifications] = [0, 0];
      expect(await verify(email, password), email).to.equal(undefined);
      expect([store.calls, hasher.verifications], email).to.deep.equal([1, 1]);
    }
  });

  it('records every failed login after the answer, and does the same work for an unknown e-mail', async () => {
    const { store, clock, verify } = await makeLogin();
    for (const [email, accountId] of [
      ['trader@example.com', 'a'],
      ['unknown@example.com', 'none'],
    ] as const) {
      [store.calls, store.events] = [0, []];
      await verify(email, 'wrong');
      expect(store.events, 'before the answer').to.deep.equal([]);
      clock.advance(0);
      await Promise.resolve();
      expect(store.calls, email).to.equal(2);
      expect(store.events.map(({ id: _, atMs: __, ...rest }) => rest)).to.deep.equal([
        { action: 'account.login_failed', actor: 'anybody', accountId, keyId: null, requestId: 'request-1' },
      ]);
    }
  });

  it('renews a hash of a weaker policy, but never overwrites a password that was changed in the meantime', async () => {
    const { store, hasher, verify } = await makeLogin();
    hasher.isWeak = true;
    const hash = hasher.hash.bind(hasher);
    hasher.hash = async (password) => `${await hash(password)}, renewed`;
    await verify('trader@example.com', PASSWORD);
    expect(store.accounts.get('a')?.passwordHash).to.match(/renewed$/);

    const other = await makeLogin();
    other.hasher.isWeak = true;
    other.hasher.hash = async () => {
      const account = other.store.accounts.get('a');
      if (account !== undefined) other.store.accounts.set('a', { ...account, passwordHash: 'of another password' });
      return 'renewed';
    };
    expect(await other.verify('trader@example.com', PASSWORD)).to.not.equal(undefined);
    expect(other.store.accounts.get('a')?.passwordHash).to.equal('of another password');
  });

  it('accepts a login whose hash cannot be renewed now', async () => {
    const { hasher, verify } = await makeLogin();
    hasher.isWeak = true;
    hasher.hash = () => Promise.reject(new Error('busy'));
    expect((await verify('trader@example.com', PASSWORD))?.id).to.equal('a');
  });

  describe('limits', () => {
    it('refuses an address after too many wrong passwords, before a hash; correct ones do not count', async () => {
      const { hasher, verify } = await makeLogin({ failedLoginsPerHour: 3 });
      for (let i = 0; i < 9; i++) expect(await verify('trader@example.com', PASSWORD)).to.not.equal(undefined);
      for (let i = 0; i < 3; i++) expect(await verify(`unknown${i}@example.com`, 'wrong')).to.equal(undefined);
      hasher.verifications = 0;
      expect((await serviceErrorOf(verify('trader@example.com', PASSWORD))).code).to.equal('limit.exceeded');
      expect(hasher.verifications).to.equal(0);
      expect(await verify('trader@example.com', PASSWORD, '127.0.0.2'), 'from elsewhere').to.not.equal(undefined);
    });

    it('counts concurrent guesses', async () => {
      const { hasher, verify } = await makeLogin({ failedLoginsPerHour: 3 });
      const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => verify(`unknown${i}@example.com`, 'wrong')));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(3);
      expect(hasher.verifications).to.equal(3);
    });

    it('counts only wrong passwords: not a store that does not answer, a full queue of hashes, or a login refused by another limit', async () => {
      const { store, hasher, verify } = await makeLogin({ failedLoginsPerHour: 2 });
      store.failure = new ServiceError('store.unavailable', 'The account store does not answer.');
      for (let i = 0; i < 20; i++)
        expect((await serviceErrorOf(verify('trader@example.com', PASSWORD))).code).to.equal('store.unavailable');
      store.failure = undefined;

      const hash = hasher.verify.bind(hasher);
      hasher.verify = () => Promise.reject(new ServiceError('account.busy', 'Too many passwords are being worked on.'));
      for (let i = 0; i < 20; i++) expect((await serviceErrorOf(verify('trader@example.com', PASSWORD))).code).to.equal('account.busy');
      hasher.verify = hash;

      for (let i = 0; i < 10; i++) await verify('other@example.com', 'wrong', `10.0.0.${i}`);
      for (let i = 0; i < 20; i++) expect((await serviceErrorOf(verify('other@example.com', PASSWORD))).code).to.equal('limit.exceeded');

      for (let i = 0; i < 2; i++) expect(await verify('trader@example.com', 'wrong')).to.equal(undefined);
      expect((await serviceErrorOf(verify('trader@example.com', PASSWORD))).code, 'wrong ones still count').to.equal('limit.exceeded');
    });

    it('refuses an account after five times as many from many addresses', async () => {
      const { verify } = await makeLogin({ failedLoginsPerHour: 2 });
      for (let i = 0; i < 10; i++) await verify('trader@example.com', 'wrong', `10.0.0.${i}`);
      expect((await serviceErrorOf(verify('Trader@Example.com', PASSWORD, '10.0.1.1'))).code).to.equal('limit.exceeded');
      expect(await verify('other@example.com', PASSWORD, '10.0.1.1')).to.equal(undefined);
    });

    it('limits all logins of an address', async () => {
      const { verify } = await makeLogin({ loginsPerMinute: 2 });
      for (let i = 0; i < 2; i++) await verify('trader@example.com', PASSWORD);
      expect((await serviceErrorOf(verify('trader@example.com', PASSWORD))).headers).to.have.keys([
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
      ]);
    });
  });
});
