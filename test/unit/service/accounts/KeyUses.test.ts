import { expect } from 'chai';
import { sumUse } from '../../../../src/service/accounts/accountKeys.ts';
import type { StoredKey } from '../../../../src/service/accounts/AccountStore.ts';
import { KeyUses } from '../../../../src/service/accounts/KeyUses.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { sampleAccount, sampleKey } from '../../../support/sampleAccount.ts';
import { until } from '../../../support/until.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Of the fake clock. */
const START = Date.UTC(2024, 0, 1);
const TODAY = '2024-01-01';

async function makeUses(mostKeys?: number) {
  const store = new MemoryStore();
  const clock = new FakeClock();
  const uses = new KeyUses(store, clock, mostKeys);
  for (const id of ['a', 'b']) await store.createAccount(sampleAccount(id, { keys: [sampleKey(id), sampleKey(`${id}2`)] }));
  store.calls = 0;
  const callerOf = (id: string) => ({ accountId: id.charAt(0), keyId: `key-of-${id}` });
  const keyOf = (id: string): StoredKey => store.accounts.get(id.charAt(0))!.keys.find((key) => key.id === `key-of-${id}`)!;
  const count = (id: string, forecasts: number, refused = 0, day?: string): string => uses.count(callerOf(id), forecasts, refused, day);
  return { store, clock, uses, callerOf, keyOf, count };
}

describe('KeyUses', () => {
  it('writes what was counted after a minute, with one change for each account', async () => {
    const { store, clock, uses, callerOf, keyOf, count } = await makeUses();
    for (let i = 0; i < 1000; i++) count('a', 1);
    count('a2', 24, 3);
    uses.used(callerOf('a'), START);
    count('b', 2);
    clock.advance(MINUTE - 1);
    expect(store.calls, 'before a minute').to.equal(0);
    clock.advance(1);
    await until(() => keyOf('b').use !== undefined);
    expect(store.calls).to.equal(2);
    expect(keyOf('a').use?.days).to.deep.equal([{ day: TODAY, forecasts: 1000, refused: 0 }]);
    expect([keyOf('a').lastUsedAtMs, keyOf('a2').lastUsedAtMs]).to.deep.equal([START, null]);
    expect(keyOf('a2').use?.days).to.deep.equal([{ day: TODAY, forecasts: 24, refused: 3 }]);
    expect(keyOf('b').use?.days).to.deep.equal([{ day: TODAY, forecasts: 2, refused: 0 }]);
    expect(keyOf('b2'), 'unused').to.deep.equal(sampleKey('b2'));
    await uses.write();
    expect(store.calls, 'nothing is left').to.equal(2);
    count('a', 1);
    clock.advance(MINUTE);
    await until(() => keyOf('a').use?.days[0]?.forecasts === 1001);
  });

  it('writes what is counted during a write before it ends a second one', async () => {
    const { store, uses, keyOf, count } = await makeUses();
    const { changeAccount } = store;
    let [goOn, asked] = [(): void => {}, (): void => {}];
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    store.changeAccount = async (id, change) => {
      asked();
      await held;
      return changeAccount.call(store, id, change);
    };
    count('a', 1);
    const first = uses.write();
    await isAsked;
    count('a', 2);
    const last = uses.write();
    goOn();
    await Promise.all([first, last]);
    expect(keyOf('a').use?.days[0]?.forecasts).to.equal(3);
  });

  it('keeps the latest use, and has no counts of a key that made no forecast', async () => {
    const { uses, callerOf, keyOf } = await makeUses();
    for (const atMs of [START + MINUTE, START]) {
      uses.used(callerOf('a'), atMs);
      await uses.write();
    }
    expect(keyOf('a')).to.deep.equal({ ...sampleKey('a'), lastUsedAtMs: START + MINUTE });
  });

  it('counts a returned permit on the day on which it was taken', async () => {
    const { clock, uses, keyOf, count } = await makeUses();
    clock.advance(DAY - 1);
    count('a', 5);
    const day = count('a', 7);
    clock.advance(1);
    await uses.write();
    count('a', -7, 0, day);
    count('a', 1);
    await uses.write();
    expect(keyOf('a').use?.days).to.deep.equal([
      { day: TODAY, forecasts: 5, refused: 0 },
      { day: '2024-01-02', forecasts: 1, refused: 0 },
    ]);
    count('a', -9, 2, day);
    await uses.write();
    expect(keyOf('a').use?.days, 'never below 0').to.deep.equal([
      { day: TODAY, forecasts: 0, refused: 2 },
      { day: '2024-01-02', forecasts: 1, refused: 0 },
    ]);
    count('a', 0, -2, TODAY);
    count('a', 3, 0, '2023-12-31');
    await uses.write();
    expect(
      keyOf('a').use?.days.map(({ day: each }) => each),
      'in order',
    ).to.deep.equal(['2023-12-31', '2024-01-02']);
  });

  it('tries again a minute after a failure', async () => {
    const { store, clock, uses, keyOf, count } = await makeUses();
    count('a', 1);
    store.failure = new ServiceError('store.unavailable', 'The account store does not answer.');
    await uses.write();
    store.failure = undefined;
    clock.advance(MINUTE);
    await until(() => keyOf('a').use !== undefined);
  });

  it('skips a deleted account, a dropped key and one that never existed', async () => {
    const { store, uses, keyOf, count } = await makeUses();
    for (const id of ['a', 'a2', 'b', 'c']) count(id, 1);
    store.accounts.delete('b');
    store.accounts.set('a', sampleAccount('a', { keys: [sampleKey('a')] }));
    await uses.write();
    const written = store.accounts.get('a');
    count('a2', 1);
    await uses.write();
    expect(store.accounts.get('a'), 'nothing to write').to.equal(written);
    expect([...store.accounts.keys()]).to.deep.equal(['a']);
    expect(store.accounts.get('a')?.keys).to.have.length(1);
    expect(keyOf('a').use?.days[0]?.forecasts).to.equal(1);
  });

  it('holds a bounded number of keys and of days', async () => {
    const { store, uses, keyOf, count } = await makeUses(2);
    for (const id of ['a', 'b', 'a2', 'b2', 'a']) count(id, 1);
    await uses.write();
    expect([keyOf('a').use?.days[0]?.forecasts, keyOf('a2').use]).to.deep.equal([2, undefined]);
    count('a2', 1);
    await uses.write();
    expect(keyOf('a2').use?.days[0]?.forecasts, 'after the write there is room').to.equal(1);
    for (let day = 0; day < 400; day++) count('a', 1, 0, new Date(START + day * DAY).toISOString().slice(0, 10));
    await uses.write();
    expect(JSON.stringify(store.accounts.get('a')).length).to.be.below(3000);
  });
});

describe('sumUse', () => {
  it('adds up today and 30 days, whatever else a wrong clock has left', async () => {
    const { clock, uses, keyOf, count } = await makeUses();
    for (let day = 0; day < 40; day++) {
      count('a', 1 + day, 1);
      await uses.write();
      if (day < 39) clock.advance(DAY);
    }
    const today = sumUse(keyOf('a'), clock.nowMs());
    expect(today.today).to.deep.equal({ forecasts: 40, refused: 1 });
    expect(today.last30Days).to.deep.equal({ forecasts: (30 * (40 + 11)) / 2, refused: 30 });
    count('a', 1000, 0, '2031-01-01');
    await uses.write();
    expect(sumUse(keyOf('a'), clock.nowMs()), 'a day of the future').to.deep.equal(today);
    expect(keyOf('a').use?.days).to.have.length(31);
    expect(sumUse(keyOf('a'), clock.nowMs() + DAY).today).to.deep.equal({ forecasts: 0, refused: 0 });
    expect(sumUse(sampleKey('x'), clock.nowMs()).last30Days).to.deep.equal({ forecasts: 0, refused: 0 });
  });
});
