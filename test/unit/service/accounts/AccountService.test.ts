import { expect } from 'chai';
import { AccountService, type AccountServiceDeps, type SignUpRequest } from '../../../../src/service/accounts/AccountService.ts';
import { digestOfKey, isWellFormedKey } from '../../../../src/service/accounts/accountKeys.ts';
import type { Origin } from '../../../../src/service/accounts/AuditEvent.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { InstantHasher } from '../../../support/InstantHasher.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';
import { sampleAccount } from '../../../support/sampleAccount.ts';

const REQUEST: SignUpRequest = { email: 'Trader@Example.com', password: 'correct horse 42', confirmPassword: 'correct horse 42' };

const ORIGIN: Origin = { actor: 'owner', requestId: 'request-1' };

function makeService(given: Partial<AccountServiceDeps> = {}) {
  const parts = { store: new MemoryStore(), hasher: new InstantHasher(), clock: new FakeClock(), isSignUpOpen: true };
  return { ...parts, service: new AccountService({ ...parts, ...given }) };
}

const codesOf = (refusal: ServiceError): string[] => refusal.errors.map(({ pointer, code }) => `${pointer} ${code}`);

describe('AccountService.signUp', () => {
  it('stores the e-mail as typed, and only the digest and the prefix of the key', async () => {
    const { service, store, clock } = makeService();
    const { email, apiKey } = await service.signUp({ ...REQUEST, companyId: 'example-fund' }, ORIGIN);
    expect(email).to.equal('Trader@Example.com');
    expect(isWellFormedKey(apiKey)).to.equal(true);
    const [account] = store.accounts.values();
    expect(account).to.include({ email, emailKey: 'trader@example.com', companyId: 'example-fund', createdAtMs: clock.nowMs() });
    const [key] = account?.keys ?? [];
    expect(account?.keys).to.have.length(1);
    expect(key).to.deep.equal({
      id: key?.id,
      digest: digestOfKey(apiKey),
      prefix: apiKey.slice(0, 13),
      name: null,
      createdAtMs: clock.nowMs(),
      expiresAtMs: null,
      revokedAtMs: null,
      graceUntilMs: null,
      lastUsedAtMs: null,
    });
    expect(store.events.map(({ action, accountId, requestId, atMs }) => ({ action, accountId, requestId, atMs }))).to.deep.equal([
      { action: 'account.created', accountId: account?.id, requestId: 'request-1', atMs: clock.nowMs() },
    ]);
    expect(JSON.stringify([account, key, store.events])).to.not.include(apiKey.slice(13));
  });

  it('creates one account for all forms of an e-mail, including those of earlier versions', async () => {
    const { service, store } = makeService();
    await service.signUp({ ...REQUEST, email: 'Trader@Bücher.example' }, ORIGIN);
    await store.createAccount(sampleAccount('old', { emailKey: 'old@xn--bcher-kva.example' }));
    for (const email of ['trader@xn--bcher-kva.example', 'ｔrader@bücher.example', 'old@bücher.example', 'old@XN--bcher-kva.example'])
      expect((await serviceErrorOf(service.signUp({ ...REQUEST, email }, ORIGIN))).code, email).to.equal('account.email_taken');
    await service.signUp({ ...REQUEST, email: 'tr\u0430der@bücher.example' }, ORIGIN);
    expect(store.accounts.size, 'a Cyrillic a is another letter').to.equal(3);
  });

  it('keeps the e-mail of the console link from everyone but the operator, in each of its forms', async () => {
    const { service, store } = makeService();
    for (const email of ['local@tickmark.invalid', 'Local@TickMark.Invalid', 'ｌocal@tickmark.invalid', 'local@ｔickmark.invalid']) {
      const refusal = await serviceErrorOf(service.signUp({ ...REQUEST, email }, ORIGIN));
      expect([refusal.code, ...codesOf(refusal)], email).to.deep.equal(['request.invalid', '/email email.reserved']);
    }
    expect(store.accounts.size).to.equal(0);
    await service.signUp({ ...REQUEST, email: 'local@tickmark.invalid' }, { actor: 'operator', requestId: null });
    await service.signUp({ ...REQUEST, email: 'local2@tickmark.invalid' }, ORIGIN);
    expect(store.accounts.size).to.equal(2);
  });

  const passwords: readonly (readonly [what: string, password: string, code: string | undefined])[] = [
    ['7 alphanumeric characters', 'abcdef7', 'password.too_short'],
    ['7 and many others', ' a-b-c-d-e-f-7 🔑🔑🔑', 'password.too_short'],
    ['only blanks', ' '.repeat(64), 'password.too_short'],
    ['accented letters only', 'éàüöñçßø', 'password.too_short'],
    ['nothing', '', 'password.too_short'],
    ['8 characters', 'abcdefg8', undefined],
    ['8 among others, with blanks at both ends', ' a b c d e f g 8 🔑é ', undefined],
    ['64 characters', 'a'.repeat(64), undefined],
    ['1,024 bytes', 'a'.repeat(1024), undefined],
    ['1,025 characters', 'a'.repeat(1025), 'password.too_long'],
    ['514 characters of 1,025 bytes', 'é'.repeat(511) + 'abc', 'password.too_long'],
    ['half a surrogate pair', 'abcdefgh\ud83d', 'field.wrong_type'],
  ];
  for (const [what, password, code] of passwords) {
    it(`${code === undefined ? 'accepts' : 'refuses'} a password of ${what}`, async () => {
      const { service, store } = makeService();
      const call = service.signUp({ ...REQUEST, password, confirmPassword: password }, ORIGIN);
      if (code === undefined) {
        await call;
        return;
      }
      const refusal = await serviceErrorOf(call);
      expect(refusal.code).to.equal('request.invalid');
      expect(codesOf(refusal)).to.include(`/password ${code}`);
      if (password.length > 8) expect(JSON.stringify([refusal.message, refusal.errors])).to.not.include(password);
      expect(store.calls).to.equal(0);
    });
  }

  it('refuses a confirmation with any difference', async () => {
    const { service } = makeService();
    for (const confirmPassword of ['', 'correct horse 42 ', 'Correct horse 42', 'correct horse 4']) {
      expect(codesOf(await serviceErrorOf(service.signUp({ ...REQUEST, confirmPassword }, ORIGIN)))).to.deep.equal([
        '/confirm_password password.not_confirmed',
      ]);
    }
  });

  it('reports every broken rule at once, before any other check', async () => {
    const { service, store, hasher } = makeService({ isSignUpOpen: false });
    const companyId = 'c'.repeat(129);
    const refusal = await serviceErrorOf(
      service.signUp({ email: 'no-at-sign', password: 'short', confirmPassword: 'other', companyId }, ORIGIN),
    );
    expect(codesOf(refusal)).to.deep.equal([
      '/email email.malformed',
      '/password password.too_short',
      '/confirm_password password.not_confirmed',
      '/company_id company_id.too_long',
    ]);
    expect([store.calls, hasher.hashes]).to.deep.equal([0, 0]);
  });

  it('counts a company id in characters and refuses half a surrogate pair', async () => {
    const { service } = makeService();
    await service.signUp({ ...REQUEST, companyId: '🏦'.repeat(128) }, ORIGIN);
    const refusal = await serviceErrorOf(service.signUp({ ...REQUEST, companyId: '\udc00' }, ORIGIN));
    expect(codesOf(refusal)).to.deep.equal(['/company_id field.wrong_type']);
  });

  it('is refused while sign-up is closed, without a hash', async () => {
    const { service, store, hasher } = makeService({ isSignUpOpen: false });
    expect((await serviceErrorOf(service.signUp(REQUEST, ORIGIN))).code).to.equal('account.signup_closed');
    expect([store.calls, hasher.hashes]).to.deep.equal([0, 0]);
    expect((await service.signUp(REQUEST, { actor: 'operator', requestId: null })).email, 'except for the operator').to.equal(
      REQUEST.email,
    );
  });

  it('is refused for a taken e-mail in any form, after the same work as for a new one (row 21)', async () => {
    const { service, store, hasher } = makeService();
    await service.signUp(REQUEST, ORIGIN);
    const work = [store.calls, hasher.hashes];
    for (const email of ['Trader@Example.com', 'trader@example.com', 'TRADER@EXAMPLE.COM']) {
      const before = [store.calls, hasher.hashes];
      expect((await serviceErrorOf(service.signUp({ ...REQUEST, email }, ORIGIN))).code).to.equal('account.email_taken');
      expect([store.calls - (before[0] ?? 0), hasher.hashes - (before[1] ?? 0)]).to.deep.equal(work);
    }
    expect(store.accounts.size).to.equal(1);
  });
});

describe('AccountService.signUp and its limit', () => {
  const refused = (): Promise<never> => Promise.reject(new ServiceError('limit.exceeded', 'Too many.'));

  it('takes a permit after validation and before the hash', async () => {
    const { service, hasher } = makeService();
    expect((await serviceErrorOf(service.signUp({ ...REQUEST, email: 'no-at-sign' }, { ...ORIGIN, admit: refused }))).code).to.equal(
      'request.invalid',
    );
    expect((await serviceErrorOf(service.signUp(REQUEST, { ...ORIGIN, admit: refused }))).code).to.equal('limit.exceeded');
    expect(hasher.hashes).to.equal(0);
  });
});

describe('AccountService with an account', () => {
  const changed: string[] = [];

  async function makeAccount() {
    changed.length = 0;
    const parts = makeService({ onChange: (id) => void changed.push(id) });
    const { accountId } = await parts.service.signUp(REQUEST, ORIGIN);
    parts.store.events = [];
    return { ...parts, accountId, account: () => parts.store.accounts.get(accountId) };
  }

  it('changes the password by the rules of a sign-up, and nothing else', async () => {
    const { service, store, accountId, account } = await makeAccount();
    const before = account();
    const weak = await serviceErrorOf(service.changePassword(accountId, { password: 'short', confirmPassword: 'other' }, ORIGIN));
    expect(codesOf(weak)).to.deep.equal(['/password password.too_short', '/confirm_password password.not_confirmed']);
    const password = 'battery staple 4343';
    await service.changePassword(accountId, { password, confirmPassword: password }, ORIGIN);
    expect(account()).to.deep.equal({ ...before, passwordHash: `hash of ${password.length} characters` });
    expect(store.events.map(({ action }) => action)).to.deep.equal(['account.password_changed']);
    expect(changed).to.deep.equal([accountId]);
  });

  it('disables and enables, with one event for each', async () => {
    const { service, store, clock, accountId, account } = await makeAccount();
    const operator: Origin = { actor: 'operator', requestId: null };
    await service.disable(accountId, operator);
    const atMs = clock.nowMs();
    clock.advance(5);
    await service.disable(accountId, operator);
    expect(account()?.disabledAtMs).to.equal(atMs);
    await service.enable(accountId, operator);
    await service.enable(accountId, operator);
    expect(account()?.disabledAtMs).to.equal(null);
    expect(store.events.map(({ action, actor }) => `${actor} ${action}`)).to.deep.equal([
      'operator account.disabled',
      'operator account.enabled',
    ]);
  });

  it('deletes; the remaining data identifies no person', async () => {
    const { service, store, accountId } = await makeAccount();
    await service.delete(accountId, ORIGIN);
    expect(store.accounts.size).to.equal(0);
    expect(store.events.map(({ action }) => action)).to.deep.equal(['account.deleted']);
    expect(JSON.stringify(store.events).toLowerCase()).to.not.include('example.com').and.not.include('hash of');
    expect(changed).to.deep.equal([accountId]);
  });

  it('throws account.unknown for an account that does not exist', async () => {
    const { service } = makeService();
    const calls = [
      service.changePassword('x', { password: 'battery staple 43' }, ORIGIN),
      service.disable('x', ORIGIN),
      service.enable('x', ORIGIN),
      service.delete('x', ORIGIN),
    ];
    for (const call of calls) expect((await serviceErrorOf(call)).code).to.equal('account.unknown');
  });
});
