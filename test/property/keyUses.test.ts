import { expect } from 'chai';
import fc from 'fast-check';
import { KeyUses } from '../../src/service/accounts/KeyUses.ts';
import { forecastLimit, rateLimit, type LimitPolicy, type Permit } from '../../src/service/accounts/limits/RateLimit.ts';
import { MemoryCounter } from '../../src/service/accounts/limits/MemoryCounter.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { dayOf } from '../../src/service/live/TrackRecord.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { MemoryStore } from '../support/MemoryStore.ts';
import { sampleAccount, sampleKey } from '../support/sampleAccount.ts';

const PROCESSES = 3;
const KEYS = ['a1', 'a2', 'b1'];
const HOUR = 3_600_000;
const POLICY: LimitPolicy = { name: 'forecasts', quota: 12, windowSeconds: 60 };

const process = fc.nat(PROCESSES - 1);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const), process, key: fc.constantFrom(...KEYS), count: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('return' as const), at: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const), process, failure: fc.constantFrom('none', 'before', 'after'), failsAt: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clock' as const), process, hours: fc.integer({ min: -30, max: 30 }) }) },
); // prettier-ignore

describe('the counted use of keys', () => {
  it('is the sum of what all processes admitted and refused, by day, whatever fails and whenever it is written (row 94)', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const store = new MemoryStore();
        for (const id of ['a', 'b'])
          await store.createAccount(sampleAccount(id, { keys: KEYS.filter((key) => key.startsWith(id)).map((key) => sampleKey(key)) }));
        const { changeAccount } = store;
        const processes = Array.from({ length: PROCESSES }, () => {
          const clock = new FakeClock();
          const uses = new KeyUses(store, clock);
          const limit = (): ReturnType<typeof rateLimit> => rateLimit(POLICY, new MemoryCounter(POLICY, clock));
          return { clock, uses, limit: forecastLimit(limit(), limit(), uses.count) };
        });
        const expected = new Map<string, { forecasts: number; refused: number }>();
        const add = (at: string, forecasts: number, refused: number): void => {
          const before = expected.get(at) ?? { forecasts: 0, refused: 0 };
          expected.set(at, { forecasts: before.forecasts + forecasts, refused: before.refused + refused });
        };
        const permits: { readonly permit: Permit; readonly at: string; readonly count: number }[] = [];
        for (const one of steps) {
          if (one.kind === 'take') {
            const { clock, limit } = processes[one.process];
            const at = `${one.key} ${dayOf(clock.nowMs())}`;
            const caller = { accountId: one.key.charAt(0), keyId: `key-of-${one.key}` };
            const permit = await limit.take(caller, one.count).catch((error: unknown) => void expect(error).to.be.instanceOf(ServiceError));
            add(at, permit === undefined ? 0 : one.count, permit === undefined ? one.count : 0);
            if (permit !== undefined) permits.push({ permit, at, count: one.count });
          } else if (one.kind === 'return') {
            const [given] = permits.splice(one.at, 1);
            if (given !== undefined) add(given.at, -given.count, 0);
            await given?.permit.giveBack();
          } else if (one.kind === 'write') {
            let calls = 0;
            store.changeAccount = async (id, change) => {
              const fails = one.failure !== 'none' && calls++ === one.failsAt;
              const changed = fails && one.failure === 'before' ? undefined : await changeAccount.call(store, id, change);
              if (fails) throw new ServiceError('store.unavailable', 'The account store does not answer.');
              return changed;
            };
            await processes[one.process].uses.write();
            store.changeAccount = changeAccount;
            // An unknown outcome is repeated before another process writes the key.
            if (one.failure === 'after') await processes[one.process].uses.write();
          } else {
            processes[one.process].clock.advance(one.hours * HOUR);
            // What its timer has begun.
            if (one.hours > 0) await processes[one.process].uses.write();
          }
        }
        for (const { uses } of processes) await uses.write();
        const stored = new Map<string, { forecasts: number; refused: number }>();
        for (const { keys } of store.accounts.values())
          for (const [i, { use }] of keys.entries())
            for (const { day, ...counts } of use?.days ?? [])
              stored.set(`${KEYS.filter((key) => keys[i].id.endsWith(key))[0]} ${day}`, counts);
        const counted = [...expected].filter(([, { forecasts, refused }]) => forecasts + refused > 0);
        expect(new Map([...stored].sort())).to.deep.equal(new Map(counted.sort()));
      }),
      { numRuns: 300 },
    ));
});
