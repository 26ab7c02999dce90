import { createHash } from 'node:crypto';
import { expect } from 'chai';
import {
  apiKeysOf,
  createApiKey,
  createSessionToken,
  digestOfKey,
  displayPrefix,
  isWellFormedKey,
  keyStatus,
  MAX_LIVE_KEYS,
  SESSION_MS,
  sessionsOf,
  storedKey,
  withKey,
  withoutKey,
  withSession,
} from '../../../../src/service/accounts/accountKeys.ts';
import type { Account } from '../../../../src/service/accounts/AccountStore.ts';
import { seededRandom } from '../../../../src/core/Random.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC-32 bit by bit, from its definition (reflected polynomial 0xEDB88320), as the reference. */
function bitwiseCrc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function numberOf(digits: string): number {
  return [...digits].reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0);
}

describe('API keys', () => {
  it('have the pattern, 160 random bits, the right CRC-32 and no duplicate among 10,000', () => {
    expect(27 * Math.log2(62)).to.be.at.least(160);
    const keys = new Set<string>();
    for (let i = 0; i < 10_000; i++) {
      const key = createApiKey();
      if (!/^tkm_live_[0-9A-Za-z]{27}[0-9A-Za-z]{6}$/.test(key)) expect.fail('a new key does not match the pattern');
      if (numberOf(key.slice(-6)) !== bitwiseCrc32(key.slice(0, -6))) expect.fail('the checksum is not the CRC-32 of the rest');
      if (!isWellFormedKey(key)) expect.fail('a new key is not well-formed');
      keys.add(key);
    }
    expect(keys.size).to.equal(10_000);
  });

  it('use every character equally often', () => {
    const random = seededRandom(7);
    const counts = new Map<string, number>();
    for (let i = 0; i < 2000; i++) {
      const key = createApiKey((count) => Uint8Array.from({ length: count }, () => random.integer(256)));
      for (const character of key.slice(9, -6)) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    const expected = (2000 * 27) / 62;
    const chiSquare = [...ALPHABET].reduce((sum, character) => sum + ((counts.get(character) ?? 0) - expected) ** 2 / expected, 0);
    // 61 degrees of freedom: 99.9 % of fair streams stay below 101; bytes modulo 62 give more than 350.
    expect(chiSquare).to.be.below(101);
  });

  it('are not well-formed after one changed, lost, added or swapped character', () => {
    const random = seededRandom(8);
    const key = createApiKey((count) => Uint8Array.from({ length: count }, () => random.integer(256)));
    for (let i = 0; i < key.length; i++) {
      const other = key.charAt(i) === 'x' ? 'y' : 'x';
      expect(isWellFormedKey(key.slice(0, i) + other + key.slice(i + 1)), `character ${i} changed`).to.equal(false);
      expect(isWellFormedKey(key.slice(0, i) + key.slice(i + 1)), `character ${i} lost`).to.equal(false);
      expect(isWellFormedKey(key.slice(0, i) + other + key.slice(i)), `character before ${i} added`).to.equal(false);
      const swapped = key.slice(0, i) + key.charAt(i + 1) + key.charAt(i) + key.slice(i + 2);
      if (swapped !== key) expect(isWellFormedKey(swapped), `characters ${i} and ${i + 1} swapped`).to.equal(false);
    }
  });

  it('are not well-formed with anything around them or inside', () => {
    const key = createApiKey();
    const texts = [
      '',
      ' ',
      key + '\n',
      ` ${key}`,
      `${key}, ${key}`,
      key.toUpperCase(),
      `Bearer ${key}`,
      key.repeat(200),
      '\0'.repeat(42),
      'é'.repeat(42),
    ];
    for (const text of texts) expect(isWellFormedKey(text), JSON.stringify(text.slice(0, 60))).to.equal(false);
  });

  it('are found by the SHA-256 of the whole key and shown by 4 random characters', () => {
    const key = createApiKey();
    expect(digestOfKey(key)).to.equal(createHash('sha256').update(key, 'utf8').digest('hex'));
    expect(displayPrefix(key)).to.equal(key.slice(0, 13));
  });
});

describe('sessions', () => {
  const DAY_MS = 86_400_000;
  const token = createSessionToken();
  const session = storedKey(token, 0, { expiresAtMs: SESSION_MS });

  it('have a token of 256 random bits, of which the store has the digest', () => {
    expect(43 * Math.log2(62)).to.be.at.least(256);
    expect([isWellFormedKey(token), isWellFormedKey(token.slice(1)), isWellFormedKey(`${token}a`)]).to.deep.equal([true, false, false]);
    expect(session.digest).to.equal(createHash('sha256').update(token).digest('hex'));
    expect(JSON.stringify(session)).to.not.include(token.slice(14));
  });

  it('end a week after their last use, and a month after their start', () => {
    const cases: [lastUsedDay: number | null, day: number, status: string][] = [
      [null, 6.99, 'active'],
      [null, 7, 'expired'],
      [6, 12.99, 'active'],
      [6, 13, 'expired'],
      [29, 29.99, 'active'],
      [29, 30, 'expired'],
    ];
    for (const [usedDay, day, status] of cases) {
      const used = { ...session, lastUsedAtMs: usedDay === null ? null : usedDay * DAY_MS };
      expect(keyStatus(used, day * DAY_MS), `used on day ${usedDay}, day ${day}`).to.equal(status);
    }
  });

  it('leave the keys of an account as they are, and an ended one is forgotten', () => {
    const keys = Array.from({ length: MAX_LIVE_KEYS }, () => storedKey(createApiKey(), 0));
    const account = { keys } as unknown as Account;
    const both = withSession(account, session, 0);
    expect(apiKeysOf(both)).to.deep.equal(keys);
    const later = withSession(both, storedKey(createSessionToken(), 8 * DAY_MS), 8 * DAY_MS);
    expect(sessionsOf(later, 8 * DAY_MS)).to.have.length(1);
    expect(later.keys).to.have.length(MAX_LIVE_KEYS + 1);
    const revoked = withoutKey(both, keys[0].id, 0);
    expect(sessionsOf(withKey(revoked, storedKey(createApiKey(), 0), 0), 0), 'another key').to.deep.equal([session]);
  });
});
