import { expect } from 'chai';
import type { AccountStore } from '../../../../src/service/accounts/AccountStore.ts';
import { meteredStore } from '../../../../src/service/accounts/meteredStore.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';

type Method = (...args: unknown[]) => Promise<unknown>;

/** A store that takes 5 ms for each call, and then gives `answer` or throws it. */
function open(answer: unknown) {
  const clock = new FakeClock();
  const asked: unknown[][] = [];
  const all = Object.entries(new MemoryStore()).filter(([, value]) => typeof value === 'function');
  const names = ['close', ...all.map(([name]) => name)];
  const method = (name: string): Method => async (...args) => {
    asked.push([name, ...args]);
    clock.advance(5);
    if (answer instanceof Error) throw answer;
    return answer;
  }; // prettier-ignore
  const inner = Object.fromEntries(names.map((name) => [name, method(name)])) as unknown as AccountStore;
  const calls: unknown[][] = [];
  const store = meteredStore(inner, clock, (...call) => void calls.push(call)) as unknown as Record<string, Method>;
  return { store, names, asked, calls };
}

describe('meteredStore', () => {
  it('passes each call on with its arguments, gives its answer, and reports its name and duration', async () => {
    const { store, names, asked, calls } = open('answer');
    for (const name of names) {
      const args = Array.from({ length: 3 }, (_, i) => `${name} ${i}`);
      expect(await store[name](...args), name).to.equal('answer');
      const [[called, ...passed]] = asked.splice(0) as [[string, ...string[]]];
      expect([called, passed], name).to.deep.equal([name, args.slice(0, passed.length)]);
      expect(calls.splice(0), name).to.deep.equal(name === 'close' ? [] : [[name, 'answered', 5]]);
    }
    expect(names).to.include.members(['createAccount', 'addRecords', 'claimDeliveries', 'ping']);
  });

  const faults: [error: Error, outcome: string][] = [
    [new ServiceError('store.unavailable', 'down'), 'failed'],
    [new Error('broken'), 'failed'],
    [new ServiceError('key.unknown', 'no'), 'answered'],
  ];
  for (const [error, outcome] of faults)
    it(`reports a call that throws "${error.message}" as ${outcome}`, async () => {
      const { store, calls } = open(error);
      expect(await store['findAccount']('a').catch((thrown: unknown) => thrown)).to.equal(error);
      expect(calls).to.deep.equal([['findAccount', outcome, 5]]);
    });
});
