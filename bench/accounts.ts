import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import argon2 from 'argon2';
import { storedKey, createApiKey, digestOfKey } from '../src/service/accounts/accountKeys.ts';
import { AccountService } from '../src/service/accounts/AccountService.ts';
import { Argon2Hasher } from '../src/service/accounts/Argon2Hasher.ts';
import type { Origin } from '../src/service/accounts/AuditEvent.ts';
import { createAuthenticate } from '../src/service/accounts/createAuthenticate.ts';
import { KeyAuthenticator } from '../src/service/accounts/KeyAuthenticator.ts';
import { MemoryCounter } from '../src/service/accounts/limits/MemoryCounter.ts';
import { rateLimit } from '../src/service/accounts/limits/RateLimit.ts';
import { openSqliteStore } from '../src/service/accounts/openSqliteStore.ts';
import { readSettings } from '../src/core/config/settings.ts';
import { systemClock } from '../src/core/Clock.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { measure } from './measure.ts';

const ORIGIN: Origin = { actor: 'owner', requestId: null };
const ADDRESSES = 1_000_000;

/** Memory of a million addresses: in the limiter, and in a plain Map that keeps all of them. */
async function weighAddresses(): Promise<BenchRow> {
  const heapMb = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const address = (i: number): string => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
  const counter = new MemoryCounter({ name: 'bench', quota: 20, windowSeconds: 3600 }, systemClock);
  const before = heapMb();
  for (let i = 0; i < ADDRESSES; i++) await counter.add(address(i), 1);
  const ours = heapMb() - before;
  const held = counter.size;
  const plain = new Map<string, { count: number; endMs: number }>();
  const beforePlain = heapMb();
  for (let i = 0; i < ADDRESSES; i++) plain.set(address(i), { count: 1, endMs: Date.now() });
  const unbounded = heapMb() - beforePlain;
  return {
    what: `heap of a limiter after ${plain.size} addresses, of which it holds ${held}`,
    value: ours,
    unit: 'MB',
    peer: 'a Map that keeps all',
    peerValue: unbounded,
    ratio: unbounded / ours,
    target: 'bounded',
  };
}

export const bench: Bench = {
  name: 'accounts',
  about: 'Keys, sign-ups and limits on the embedded store. --expose-gc makes the memory row exact.',
  async run() {
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-bench-'));
    const store = openSqliteStore(folder);
    const { passwordHash: policy } = readSettings({});
    const hasher = new Argon2Hasher(policy, systemClock);
    const service = new AccountService({ store, hasher, clock: systemClock, isSignUpOpen: true });
    try {
      let made = 0;
      const signUp = (): Promise<unknown> => service.signUp({ email: `bench${made++}@example.com`, password: 'correct horse 42' }, ORIGIN);
      const hash = (): Promise<unknown> =>
        argon2.hash('correct horse 42', { type: argon2.argon2id, memoryCost: policy.memoryKib, timeCost: policy.passes, parallelism: 1 });
      const [signUpUs = NaN, hashUs = NaN] = await measure([signUp, hash], { rounds: 41 });

      const { apiKey } = await service.signUp({ email: 'keys@example.com', password: 'correct horse 42' }, ORIGIN);
      const unlimited = rateLimit({ name: '', quota: 0, windowSeconds: 1 }, { add: () => Promise.reject(new Error('never asked')) });
      const cached = createAuthenticate(
        new KeyAuthenticator({ store, clock: systemClock, cacheLifeMs: 3_600_000 }),
        unlimited,
        systemClock,
      );
      const uncached = createAuthenticate(new KeyAuthenticator({ store, clock: systemClock, cacheLifeMs: 0 }), unlimited, systemClock);
      const stored = storedKey(createApiKey(randomBytes), 0);
      const sides = [
        () => cached(apiKey, '127.0.0.1'),
        () => uncached(apiKey, '127.0.0.1'),
        () => createHash('sha256').update(apiKey).digest('hex'),
        () => store.findAccountByDigest(digestOfKey(apiKey)),
      ];
      const [cachedUs = NaN, uncachedUs = NaN, shaUs = NaN, readUs = NaN] = await measure(sides);
      if ((await cached(apiKey, ''))?.keyPrefix.length !== stored.prefix.length) throw new Error('the key was not taken');

      const limit = { name: 'bench', quota: 1e9, windowSeconds: 60 };
      const forecasts = rateLimit(limit, new MemoryCounter(limit, systemClock));
      const [takeUs = NaN] = await measure([() => forecasts.take('key-1')]);
      return [
        {
          what: 'authenticate a cached key',
          value: cachedUs,
          unit: 'us',
          peer: 'SHA-256 of the key',
          peerValue: shaUs,
          ratio: shaUs / cachedUs,
          target: '<= 5 us',
        },
        {
          what: 'authenticate a key that is not cached',
          value: uncachedUs,
          unit: 'us',
          peer: 'one read of the store',
          peerValue: readUs,
          ratio: readUs / uncachedUs,
          target: 'one round trip',
        },
        { what: 'count a forecast', value: takeUs, unit: 'us' },
        {
          what: 'a sign-up',
          value: signUpUs / 1000,
          unit: 'ms',
          peer: 'one argon2id hash',
          peerValue: hashUs / 1000,
          ratio: hashUs / signUpUs,
          target: 'ratio >= 0.5',
        },
        await weighAddresses(),
      ];
    } finally {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
