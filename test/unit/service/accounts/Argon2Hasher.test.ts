import { expect } from 'chai';
import { Argon2Hasher } from '../../../../src/service/accounts/Argon2Hasher.ts';
import { isAffordableHash } from '../../../../src/core/hashCost.ts';
import { systemClock } from '../../../../src/core/Clock.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

const POLICY: ConstructorParameters<typeof Argon2Hasher>[0] = { memoryKib: 19456, passes: 2, concurrency: 2, queue: 64 };
/** Cheaper than any policy that the settings allow, for the queue tests. */
const CHEAP: typeof POLICY = { memoryKib: 8, passes: 1, concurrency: 1, queue: 2 };

describe('Argon2Hasher', () => {
  it('stores argon2id with the memory and passes of the policy, and a different salt each time', async () => {
    const hasher = new Argon2Hasher(POLICY, new FakeClock());
    const [first, second] = await Promise.all([hasher.hash('correct horse 42'), hasher.hash('correct horse 42')]);
    const [, memoryKib, passes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$[\w+/]{22,}\$[\w+/]{43}$/.exec(first) ?? [];
    expect(Number(memoryKib)).to.be.at.least(19456);
    expect(Number(passes)).to.be.at.least(2);
    expect(second).to.not.equal(first);
  });

  it('has a dummy hash of the cost of its policy (row 21)', async () => {
    const hasher = new Argon2Hasher(CHEAP, new FakeClock());
    const formOf = (hash: string): string =>
      hash.replace(/[\w+/]+(?=\$|$)/g, (part) => (part.length < 22 ? part : '.'.repeat(part.length)));
    expect(formOf(hasher.dummyHash)).to.equal(formOf(await hasher.hash('correct horse 42')));
    expect(hasher.dummyHash).to.include('m=8,t=1');
    expect(await hasher.verify(hasher.dummyHash, '')).to.equal(false);
  });

  it('distinguishes passwords that differ past byte 72, past a NUL, or in the last byte of 1,024', async () => {
    const hasher = new Argon2Hasher(CHEAP, new FakeClock());
    const pairs = [
      ['p'.repeat(80) + '1', 'p'.repeat(80) + '2'],
      ['abcdefgh\0one', 'abcdefgh\0two'],
      ['é'.repeat(511) + 'a1', 'é'.repeat(511) + 'a2'],
      ['spaced out ', 'spaced out'],
      ['abcdefgh 🔑', 'abcdefgh 🔒'],
    ] as const;
    for (const [password, other] of pairs) {
      const stored = await hasher.hash(password);
      expect(await hasher.verify(stored, password)).to.equal(true);
      expect(await hasher.verify(stored, other), password.slice(-8)).to.equal(false);
    }
  });

  it('computes no hash that costs more than a policy may, and none of another form (row 89)', async () => {
    const hasher = new Argon2Hasher(CHEAP, new FakeClock());
    const form = (cost: string, kind = 'argon2id'): string => `$${kind}$v=19$${cost}$c2FsdHNhbHQ$aGFzaGhhc2g`;
    for (const cost of ['m=19456,t=2,p=1', 'm=1048576,t=4,p=1', 'm=262144,t=16,p=1'])
      expect(isAffordableHash(form(cost)), cost).to.equal(true);
    const refused = [
      ...['m=1048576,t=5,p=1', 'm=65536,t=2000000,p=1', 'm=4294967295,t=1,p=1', 'm=8,t=4294967295,p=1', 'm=8,t=99999999,p=1'].map((cost) =>
        form(cost),
      ),
      ...['m=19456,t=2,p=2', 'm=19456,t=2,p=16777215', 'm=1e9,t=2,p=1', 'm=19456,t=2,p=1,keyid=AA', 't=2,m=19456,p=1', ''].map((cost) =>
        form(cost),
      ),
      ...[
        form('m=19456,t=2,p=1', 'argon2i'),
        form('m=19456,t=2,p=1', 'argon2d'),
        `${form('m=19456,t=2,p=1')}${'A'.repeat(200)}`,
        'plain',
        '',
      ],
    ];
    for (const stored of refused) {
      expect(isAffordableHash(stored), stored).to.equal(false);
      expect(await hasher.verify(stored, 'correct horse 42'), stored).to.equal(false);
    }
  });

  it('requests a rehash if the stored hash is weaker than the policy, and only then', async () => {
    const raised = new Argon2Hasher({ ...POLICY, memoryKib: 65536, passes: 3 }, new FakeClock());
    const hasher = new Argon2Hasher(POLICY, new FakeClock());
    const stored = (memoryKib: number, passes: number): string => `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$c2FsdHNhbHQ$aGFzaA`;
    expect(hasher.needsRehash(await hasher.hash('correct horse 42'))).to.equal(false);
    expect(hasher.needsRehash(stored(65536, 3)), 'stronger').to.equal(false);
    expect(raised.needsRehash(stored(65536, 3))).to.equal(false);
    expect(raised.needsRehash(stored(19456, 3)), 'less memory').to.equal(true);
    expect(raised.needsRehash(stored(65536, 2)), 'fewer passes').to.equal(true);
    expect(hasher.needsRehash(stored(65536, 3).replace('argon2id', 'argon2i')), 'another kind').to.equal(true);
    expect(hasher.needsRehash('$2b$10$abcdefghijklmnopqrstuv'), 'bcrypt').to.equal(true);
  });

  it('refuses new passwords with Retry-After when its queue is full, and accepts them again when the queue is shorter', async () => {
    const hasher = new Argon2Hasher(CHEAP, new FakeClock());
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => hasher.hash('correct horse 42')));
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
    const refusal = (outcomes[4] as PromiseRejectedResult).reason as ServiceError;
    expect(refusal.code).to.equal('account.busy');
    expect(refusal.headers['Retry-After']).to.match(/^[1-9]\d*$/);
    expect(await hasher.hash('correct horse 42')).to.match(/^\$argon2id\$/);
  });

  it('estimates the wait from the duration of recent hashes', async () => {
    let nowMs = 0;
    const hasher = new Argon2Hasher(CHEAP, { ...systemClock, monotonicMs: () => (nowMs += 4000) });
    await hasher.hash('correct horse 42');
    const line = [1, 2, 3, 4].map(() => hasher.hash('correct horse 42').catch((error: unknown) => error));
    expect(((await line[3]) as ServiceError).headers['Retry-After']).to.equal('12');
    await Promise.all(line);
  });

  it('wraps a failure without the password and frees its slot', async () => {
    const hasher = new Argon2Hasher({ ...CHEAP, queue: 1 }, new FakeClock());
    for (let i = 0; i < 3; i++) {
      const failure: unknown = await hasher
        .verify('$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA', 'correct horse 42')
        .catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(ServiceError);
      expect((failure as ServiceError).code).to.equal('internal.unexpected');
      expect(String((failure as ServiceError).message)).to.not.include('horse');
    }
    expect(await hasher.hash('correct horse 42')).to.match(/^\$argon2id\$/);
  });
});
