import { expect } from 'chai';
import {
  keyEndMs,
  keyStatus,
  MAX_DEAD_KEYS,
  MAX_LIVE_KEYS,
  digestOfKey,
  isWellFormedKey,
} from '../../../../src/service/accounts/accountKeys.ts';
import type { Account } from '../../../../src/service/accounts/AccountStore.ts';
import type { Origin } from '../../../../src/service/accounts/AuditEvent.ts';
import { KeyService } from '../../../../src/service/accounts/KeyService.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';
import { sampleAccount, sampleKey } from '../../../support/sampleAccount.ts';

const ORIGIN: Origin = { actor: 'owner', requestId: 'request-1' };
const GRACE_MS = 3_600_000;

async function makeService(given: Partial<Account> = {}) {
  const store = new MemoryStore();
  const clock = new FakeClock();
  const changed: string[] = [];
  const service = new KeyService({ store, clock, graceMs: GRACE_MS, onChange: (id) => void changed.push(id) });
  await store.createAccount(sampleAccount('a', given));
  const statuses = (): string[] => (store.accounts.get('a')?.keys ?? []).map((key) => keyStatus(key, clock.nowMs()));
  return { store, clock, changed, service, statuses };
}

describe('KeyService', () => {
  it('issues a key with name and expiry; only its digest and prefix are stored', async () => {
    const { service, store, clock, changed } = await makeService();
    const { apiKey, key } = await service.issue('a', { name: 'laptop 🔑', expiresAt: '2024-02-01T00:00:00Z' }, ORIGIN);
    expect(isWellFormedKey(apiKey)).to.equal(true);
    expect(key).to.include({
      name: 'laptop 🔑',
      expiresAtMs: Date.UTC(2024, 1, 1),
      digest: digestOfKey(apiKey),
      createdAtMs: clock.nowMs(),
    });
    expect(store.accounts.get('a')?.keys.at(-1)).to.deep.equal(key);
    expect(store.events).to.have.length(1);
    expect(store.events[0]).to.include({ action: 'key.issued', actor: 'owner', accountId: 'a', keyId: key.id, requestId: 'request-1' });
    expect(changed).to.deep.equal(['a']);
    expect(JSON.stringify([...store.accounts.values(), store.events])).to.not.include(apiKey.slice(13));
  });

  const requests: readonly [what: string, request: { name?: string; expiresAt?: string }, problems: string[]][] = [
    ['an empty name', { name: '' }, ['/name key_name.length']],
    ['a name of 65 characters', { name: 'n'.repeat(65) }, ['/name key_name.length']],
    ['a name with a line break', { name: 'a\nb' }, ['/name field.wrong_type']],
    ['half a surrogate pair', { name: 'a\ud83d' }, ['/name field.wrong_type']],
    ['no time', { expiresAt: 'tomorrow' }, ['/expires_at expires_at.malformed']],
    ['another offset', { expiresAt: '2024-02-01T00:00:00+01:00' }, ['/expires_at expires_at.malformed']],
    ['a day that does not exist', { expiresAt: '2024-02-30T00:00:00Z' }, ['/expires_at expires_at.malformed']],
    ['now', { expiresAt: '2024-01-01T00:00:00Z' }, ['/expires_at expires_at.out_of_range']],
    ['in eleven years', { expiresAt: '2035-01-01T00:00:00Z' }, ['/expires_at expires_at.out_of_range']],
    ['both wrong', { name: '', expiresAt: '' }, ['/name key_name.length', '/expires_at expires_at.malformed']],
  ];
  for (const [what, request, problems] of requests)
    it(`refuses ${what}`, async () => {
      const { service, store } = await makeService();
      const refusal = await serviceErrorOf(service.issue('a', request, ORIGIN));
      expect(refusal.errors.map(({ pointer, code }) => `${pointer} ${code}`)).to.deep.equal(problems);
      expect(store.accounts.get('a')?.keys).to.have.length(1);
    });

  it('revokes permanently, with one event', async () => {
    const { service, store, clock, statuses } = await makeService();
    const first = await service.revoke('a', 'key-of-a', ORIGIN);
    clock.advance(5);
    expect(await service.revoke('a', 'key-of-a', ORIGIN)).to.deep.equal(first);
    expect(statuses()).to.deep.equal(['revoked']);
    expect(store.events.map(({ action }) => action)).to.deep.equal(['key.revoked']);
    expect((await serviceErrorOf(service.revoke('a', 'key-of-b', ORIGIN))).code).to.equal('key.unknown');
    expect((await serviceErrorOf(service.revoke('b', 'key-of-a', ORIGIN))).code).to.equal('account.unknown');
  });

  it('rotates: the old key works until the end of its grace time, the new one has its name and its expiry', async () => {
    const expiresAtMs = Date.UTC(2024, 5, 1);
    const { service, clock, statuses } = await makeService({ keys: [sampleKey('a', { name: 'laptop', expiresAtMs })] });
    const { key, replaced } = await service.rotate('a', 'key-of-a', ORIGIN);
    expect(key).to.include({ name: 'laptop', expiresAtMs, graceUntilMs: null });
    expect(replaced).to.include({ id: 'key-of-a', graceUntilMs: clock.nowMs() + GRACE_MS, expiresAtMs });
    expect(statuses()).to.deep.equal(['grace', 'active']);
    clock.advance(GRACE_MS - 1);
    expect(statuses()).to.deep.equal(['grace', 'active']);
    clock.advance(1);
    expect(statuses()).to.deep.equal(['expired', 'active']);
  });

  it('never extends a lifetime by a rotation, not even of a key in its grace time', async () => {
    const expiresAtMs = Date.UTC(2024, 0, 1) + 1000;
    const { service, clock } = await makeService({ keys: [sampleKey('a', { expiresAtMs })] });
    const first = await service.rotate('a', 'key-of-a', ORIGIN);
    clock.advance(100);
    const again = await service.rotate('a', 'key-of-a', ORIGIN);
    for (const key of [first.key, again.key, again.replaced]) expect(keyEndMs(key)).to.equal(expiresAtMs);
    expect(again.replaced.graceUntilMs, 'the first grace stays').to.equal(first.replaced.graceUntilMs);
  });

  it('gives the holder of a replaced key no key that outlives it', async () => {
    const { service } = await makeService();
    const first = await service.rotate('a', 'key-of-a', ORIGIN);
    const again = await service.rotate('a', 'key-of-a', ORIGIN);
    expect(keyEndMs(first.key)).to.equal(null);
    expect(keyEndMs(again.key)).to.equal(first.replaced.graceUntilMs);
  });

  it('limits the keys of an account: valid ones and ended ones', async () => {
    const { service, store, clock, statuses } = await makeService();
    for (let i = 1; i < MAX_LIVE_KEYS; i++) await service.issue('a', {}, ORIGIN);
    expect((await serviceErrorOf(service.issue('a', {}, ORIGIN))).code).to.equal('account.too_many_keys');
    expect((await serviceErrorOf(service.rotate('a', 'key-of-a', ORIGIN))).code).to.equal('account.too_many_keys');
    expect(
      statuses().filter((status) => status !== 'active'),
      'a refused rotation changes nothing',
    ).to.deep.equal([]);
    for (let i = 0; i < 80; i++) {
      const id = store.accounts.get('a')?.keys.find(({ revokedAtMs }) => revokedAtMs === null)?.id ?? '';
      clock.advance(1);
      await service.revoke('a', id, ORIGIN);
      await service.issue('a', {}, ORIGIN);
    }
    const keys = store.accounts.get('a')?.keys ?? [];
    expect(keys).to.have.length(MAX_LIVE_KEYS + MAX_DEAD_KEYS);
    expect(
      keys.some(({ id }) => id === 'key-of-a'),
      'the oldest dead one is gone',
    ).to.equal(false);
  });
});
