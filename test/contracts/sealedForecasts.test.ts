import { expect } from 'chai';
import type { AccountStore } from '../../src/service/accounts/AccountStore.ts';
import { FIRST_HEAD, headAfter, newSealKey, type SealedBlock } from '../../src/service/live/sealedChain.ts';
import { describeEachStore } from '../support/eachStore.ts';
import { sampleAccount, sampleEvent } from '../support/sampleAccount.ts';

const DAY_MS = Date.parse('2026-11-23');

/** A block of two lines after another one. */
function block(after: Partial<SealedBlock> = {}, given: Partial<SealedBlock> = {}): SealedBlock {
  const { n: first = 0, head: previous = FIRST_HEAD, atMs: before = DAY_MS } = after;
  const atMs = given.atMs ?? before + 1;
  const lines = `[${first}]\n[${atMs}]\n`;
  const rest = { accountId: 'a', ...given };
  return { first, n: first + 2, atMs, previous, head: headAfter(previous, atMs, lines), batch: `b${first}`, lines, ...rest };
}

describeEachStore('sealed forecasts', ({ open }) => {
  let store: AccountStore;
  let other: AccountStore;

  beforeEach(async () => {
    [store, other] = [await open(), await open()];
    for (const id of ['a', 'b']) await store.createAccount(sampleAccount(id));
  });
  const all = (accountId = 'a'): Promise<readonly SealedBlock[]> => store.listSealed({ accountId, from: 0, limit: 100 });

  it('adds only what continues the last block of its account, for every process', async () => {
    const first = block();
    const second = block(first);
    const ofOther = block({}, { accountId: 'b' });
    expect(await store.addSealed([first, second, ofOther])).to.deep.equal([true, true, true]);
    const fork = block(first, { atMs: second.atMs + 5 });
    const gap = block({ n: 6, head: second.head });
    const wrongHead = block({ n: second.n, head: fork.head });
    expect(await other.addSealed([second, fork, gap, wrongHead])).to.deep.equal([false, false, false, false]);
    const third = block(second, { atMs: second.atMs });
    const [mine, theirs] = await Promise.all([store.addSealed([third]), other.addSealed([block(second, { atMs: second.atMs + 9 })])]);
    expect([...mine, ...theirs].toSorted()).to.deep.equal([false, true]);
    expect((await all()).slice(0, 2)).to.deep.equal([first, second]);
    expect(await other.lastSealed('b')).to.deep.equal(ofOther);
    expect(await other.lastSealed('c')).to.equal(undefined);
    expect(await all('b')).to.deep.equal([ofOther]);
    expect((await store.listSealed({ accountId: 'a', from: 2, limit: 1 })).map((one) => one.first)).to.deep.equal([2]);
  });

  it('deletes the oldest blocks beyond the lines of an account, those of earlier days, and all with the account', async () => {
    const chain = [block()];
    for (let i = 0; i < 3; i++) chain.push(block(chain.at(-1)));
    const late = block(chain.at(-1), { atMs: DAY_MS + 86_400_000 });
    await store.addSealed([...chain, late, block({}, { accountId: 'b' })]);
    await store.trimSealed('a', 7);
    expect((await all()).map(({ first }) => first)).to.deep.equal([4, 6, 8]);
    expect(await store.pruneRecords('2026-11-24')).to.equal(3);
    expect(await all()).to.deep.equal([late]);
    expect(await all('b')).to.deep.equal([]);
    expect(await store.deleteAccount('a', sampleEvent('e1', 'a'))).to.equal(true);
    expect(await all()).to.deep.equal([]);
    // Its process has not heard of it.
    expect(await store.addSealed([block()])).to.deep.equal([true]);
    expect(await all()).to.deep.equal([]);
  });

  it('keeps the first key for all processes', async () => {
    expect(await store.sealKey()).to.equal(undefined);
    const keys = await Promise.all([store.sealKey(newSealKey()), other.sealKey(newSealKey())]);
    expect(keys[0]).to.be.a('string').and.equal(keys[1]);
    expect(await store.sealKey()).to.equal(keys[0]);
  });
});
