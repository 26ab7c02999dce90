import { expect } from 'chai';
import { silentLogger } from '../../../../src/core/Logger.ts';
import { FairMap } from '../../../../src/core/FairMap.ts';
import { forgetDeleted } from '../../../../src/service/app/pruneRegularly.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { sampleAccount } from '../../../support/sampleAccount.ts';

describe('forgetDeleted', () => {
  it('forgets a deleted account once its change is known, and within six hours without', async () => {
    const [store, clock, memory] = [new MemoryStore(), new FakeClock(), new FairMap<number>(10)];
    const settled = async (): Promise<void> => {
      for (let i = 0; i < 50; i++) await Promise.resolve();
    };
    for (const id of ['a', 'b', 'c']) {
      await store.createAccount(sampleAccount(id));
      memory.set(id, 'k', 1);
    }
    const { changed, close } = forgetDeleted([memory], store, { clock, logger: silentLogger });
    await settled();
    const { calls } = store;
    for (const id of ['a', 'b']) store.accounts.delete(id);
    for (const id of ['a', 'c', 'unknown']) changed(id);
    await settled();
    expect(memory.accounts()).to.deep.equal(['b', 'c']);
    expect(store.calls - calls, 'no call for an account of which nothing is kept').to.equal(2);
    clock.advance(6 * 3_600_000);
    await settled();
    expect(memory.accounts()).to.deep.equal(['c']);
    close();
  });
});
