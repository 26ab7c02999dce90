import { expect } from 'chai';
import type { AccountStore } from '../../src/service/accounts/AccountStore.ts';
import { IN_USE_MS, MOST_MEMORIES } from '../../src/service/live/MemoryStore.ts';
import { describeEachStore } from '../support/eachStore.ts';
import { sampleAccount, sampleEvent } from '../support/sampleAccount.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const EURUSD = { accountId: 'a', series: 'eurusd' };

describeEachStore('memory of series', ({ open }) => {
  let store: AccountStore;
  let other: AccountStore;

  beforeEach(async () => {
    [store, other] = [await open(), await open()];
    for (const id of ['a', 'b']) await store.createAccount(sampleAccount(id));
  });
  const contentOf = async (one: AccountStore, key = EURUSD): Promise<readonly [number[], number] | undefined> => {
    const found = await one.readMemory(key);
    if (found === 'unchanged') throw new Error('no revision is known');
    return found && [[...found.bytes], found.revision];
  };

  it('keeps the bytes of each series of each account, for every process', async () => {
    expect(await contentOf(store)).to.equal(undefined);
    for (const [row, value] of [
      [EURUSD, 1],
      [{ ...EURUSD, series: 'eurusd.2' }, 2],
      [{ ...EURUSD, accountId: 'b' }, 3],
    ] as const)
      expect(await store.writeMemory({ ...row, bytes: bytes(value, 0, 255) }, 0, 1)).to.equal(true);
    expect(await contentOf(other)).to.deep.equal([[1, 0, 255], 1]);
    expect(await contentOf(other, { ...EURUSD, accountId: 'b' })).to.deep.equal([[3, 0, 255], 1]);
    expect((await other.listMemories('a')).map(({ series, bytes: kept }) => [series, [...kept]])).to.deep.equal([
      ['eurusd', [1, 0, 255]],
      ['eurusd.2', [2, 0, 255]],
    ]);
  });

  it('writes only over the revision that was read', async () => {
    expect(await store.writeMemory({ ...EURUSD, bytes: bytes(1) }, 0, 1)).to.equal(true);
    expect(await other.writeMemory({ ...EURUSD, bytes: bytes(9) }, 0, 2)).to.equal(false);
    expect(await other.writeMemory({ ...EURUSD, bytes: bytes(2) }, 1, 2)).to.equal(true);
    expect(await store.writeMemory({ ...EURUSD, bytes: bytes(9) }, 1, 3)).to.equal(false);
    expect(await contentOf(store)).to.deep.equal([[2], 2]);
    expect(await store.readMemory(EURUSD, 2)).to.equal('unchanged');
    expect(await store.readMemory(EURUSD, 1)).to.deep.include({ revision: 2 });
    const wins = await Promise.all([store, other].map((one, i) => one.writeMemory({ ...EURUSD, bytes: bytes(10 + i) }, 2, 3)));
    expect(wins.filter(Boolean)).to.have.length(1);
    expect((await contentOf(store))?.[1]).to.equal(3);
  });

  it(`keeps ${MOST_MEMORIES} series of an account: a new one takes the place of that which was not used for longest, if it was not used for an hour`, async () => {
    for (let i = 0; i < MOST_MEMORIES; i++)
      expect(await store.writeMemory({ ...EURUSD, series: `s${i}`, bytes: bytes(i) }, 0, i)).to.equal(true);
    const another = { ...EURUSD, series: 'another', bytes: bytes(1) };
    expect(await store.writeMemory(another, 0, IN_USE_MS - 1)).to.equal('full');
    expect(await contentOf(store, another)).to.equal(undefined);
    expect(await store.writeMemory({ ...another, accountId: 'b' }, 0, IN_USE_MS - 1)).to.equal(true);
    await store.writeMemory({ ...EURUSD, series: 's0', bytes: bytes(0) }, 1, 1000);
    expect(await store.writeMemory(another, 0, IN_USE_MS + 1)).to.equal(true);
    const kept = (await other.listMemories('a')).map(({ series }) => series);
    expect(kept).to.have.length(MOST_MEMORIES);
    expect(kept).to.include.members(['s0', 'another']).and.not.include('s1');
  });

  it('goes with its account, and nothing is kept of one that does not exist', async () => {
    await store.writeMemory({ ...EURUSD, bytes: bytes(1) }, 0, 1);
    await store.deleteAccount('a', sampleEvent('e', 'a'));
    expect(await contentOf(other)).to.equal(undefined);
    expect(await store.writeMemory({ ...EURUSD, bytes: bytes(1) }, 1, 1)).to.equal(false);
    await store.writeMemory({ ...EURUSD, bytes: bytes(1) }, 0, 1);
    await store.importMemories([{ ...EURUSD, series: 'x', bytes: bytes(1) }], 1);
    expect(await store.listMemories('a')).to.deep.equal([]);
  });

  it('imports those of series without one', async () => {
    await store.writeMemory({ ...EURUSD, bytes: bytes(1) }, 0, 1);
    const rows = ['eurusd', 'gold'].map((series) => ({ ...EURUSD, series, bytes: bytes(7) }));
    await other.importMemories(rows, 5);
    expect((await store.listMemories('a')).map(({ series, bytes: kept }) => [series, kept[0]])).to.deep.equal([
      ['eurusd', 1],
      ['gold', 7],
    ]);
  });
});
