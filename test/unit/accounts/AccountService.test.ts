import { expect } from 'chai';
import { AccountService, type AccountServiceDeps, type SignUpRequest } from '../../../src/accounts/AccountService.ts';
import { digestOfKey, isWellFormedKey } from '../../../src/accounts/apiKey.ts';
import { ServiceError } from '../../../src/core/ServiceError.ts';
import { FakeClock } from '../../support/FakeClock.ts';
import { InstantHasher } from '../../support/InstantHasher.ts';
import { MemoryStore } from '../../support/MemoryStore.ts';

const REQUEST: SignUpRequest = { email: 'Trader@Example.com', password: 'correct horse 42', confirmPassword: 'correct horse 42' };

function makeService(given: Partial<AccountServiceDeps> = {}) {
  const parts = { store: new MemoryStore(), hasher: new InstantHasher(), clock: new FakeClock(), isSignUpOpen: true };
  return { ...parts, service: new AccountService({ ...parts, ...given }) };
}

async function refusalOf(call: Promise<unknown>): Promise<ServiceError> {
  const outcome: unknown = await call.then(
    () => 'no refusal',
    (error: unknown) => error,
  );
  expect(outcome).to.be.instanceOf(ServiceError);
  return outcome as ServiceError;
}

const codesOf = (refusal: ServiceError): string[] => refusal.errors.map(({ pointer, code }) => `${pointer} ${code}`);

describe('AccountService.signUp', () => {
  it('keeps the account as typed and only the digest and prefix of its key', async () => {
    const { service, store, clock } = makeService();
    const { email, apiKey } = await service.signUp({ ...REQUEST, companyId: 'example-fund' });
    expect(email).to.equal('Trader@Example.com');
    expect(isWellFormedKey(apiKey)).to.equal(true);
    const [account] = store.accounts.values();
    expect(account).to.include({ email, emailKey: 'trader@example.com', companyId: 'example-fund', createdAtMs: clock.nowMs() });
    const [key] = store.keys.values();
    expect(key).to.deep.equal({
      id: key?.id,
      accountId: account?.id,
      digest: digestOfKey(apiKey),
      prefix: apiKey.slice(0, 13),
      name: null,
      createdAtMs: clock.nowMs(),
      expiresAtMs: null,
      revokedAtMs: null,
    });
    expect(JSON.stringify([account, key])).to.not.include(apiKey.slice(13));
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
      const call = service.signUp({ ...REQUEST, password, confirmPassword: password });
      if (code === undefined) {
        await call;
        return;
      }
      const refusal = await refusalOf(call);
      expect(refusal.code).to.equal('request.invalid');
      expect(codesOf(refusal)).to.include(`/password ${code}`);
      if (password.length > 8) expect(JSON.stringify([refusal.message, refusal.errors])).to.not.include(password);
      expect(store.calls).to.equal(0);
    });
  }

  it('refuses a confirmation that differs in anything', async () => {
    const { service } = makeService();
    for (const confirmPassword of ['', 'correct horse 42 ', 'Correct horse 42', 'correct horse 4']) {
      expect(codesOf(await refusalOf(service.signUp({ ...REQUEST, confirmPassword })))).to.deep.equal([
        '/confirm_password password.not_confirmed',
      ]);
    }
  });

  it('names every broken rule at once, before it looks at anything else', async () => {
    const { service, store, hasher } = makeService({ isSignUpOpen: false });
    const companyId = 'c'.repeat(129);
    const refusal = await refusalOf(service.signUp({ email: 'nobody', password: 'short', confirmPassword: 'other', companyId }));
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
    await service.signUp({ ...REQUEST, companyId: '🏦'.repeat(128) });
    const refusal = await refusalOf(service.signUp({ ...REQUEST, companyId: '\udc00' }));
    expect(codesOf(refusal)).to.deep.equal(['/company_id field.wrong_type']);
  });

  it('is refused while sign-up is closed, without a hash', async () => {
    const { service, store, hasher } = makeService({ isSignUpOpen: false });
    expect((await refusalOf(service.signUp(REQUEST))).code).to.equal('account.signup_closed');
    expect([store.calls, hasher.hashes]).to.deep.equal([0, 0]);
  });

  it('is refused for a taken e-mail, however it is written, after the same work as a new one', async () => {
    const { service, store, hasher } = makeService();
    await service.signUp(REQUEST);
    const work = [store.calls, hasher.hashes];
    for (const email of ['Trader@Example.com', 'trader@example.com', 'TRADER@EXAMPLE.COM']) {
      const before = [store.calls, hasher.hashes];
      expect((await refusalOf(service.signUp({ ...REQUEST, email }))).code).to.equal('account.email_taken');
      expect([store.calls - (before[0] ?? 0), hasher.hashes - (before[1] ?? 0)]).to.deep.equal(work);
    }
    expect(store.accounts.size).to.equal(1);
  });

  it('makes one account and one key of 50 sign-ups for one e-mail at once', async () => {
    const { service, store } = makeService();
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => service.signUp(REQUEST)));
    const refusals = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refusals.map(({ reason }) => (reason as ServiceError).status)).to.deep.equal(Array.from({ length: 49 }, () => 409));
    expect([store.accounts.size, store.keys.size]).to.deep.equal([1, 1]);
  });
});
