import { expect } from 'chai';
import fc from 'fast-check';
import { FairMap } from '../../../src/core/FairMap.ts';

describe('FairMap', () => {
  it('bounds the sum of weights, and cuts no account that holds at most its share', () => {
    const set = fc.record({
      account: fc.integer({ min: 0, max: 12 }),
      key: fc.integer({ min: 0, max: 30 }),
      weight: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(set, { maxLength: 200 }), fc.integer({ min: 6, max: 40 }), (sets, most) => {
        const held = new Map<string, number>();
        const cut: [string, number][] = [];
        const map = new FairMap<[string, number]>(most, { onCut: (value) => void cut.push(value) });
        const sum = (): number => [...held.values()].reduce((total, weight) => total + weight, 0);
        for (const { account, key, weight } of sets) {
          const accountId = `a${account}`;
          const old = map.get(accountId, `${key}`)?.[1] ?? 0;
          map.set(accountId, `${key}`, [accountId, weight], weight);
          held.set(accountId, (held.get(accountId) ?? 0) + weight - old);
          for (const [from, lost] of cut.splice(0)) {
            const accounts = [...held.values()].filter((some) => some > 0).length;
            expect(sum()).to.be.above(most);
            if (accounts <= most) expect(held.get(from), 'of the account that lost').to.be.above(Math.floor(most / accounts));
            held.set(from, held.get(from)! - lost);
          }
          expect(map.size).to.equal(sum()).and.to.be.at.most(most);
        }
        const left = map.values().reduce((total, [, weight]) => total + weight, 0);
        expect(left).to.equal(map.size);
        expect([...map.accounts()].sort()).to.deep.equal([...held].filter(([, weight]) => weight > 0).map(([id]) => id).sort()); // prettier-ignore
      }),
    );
  });

  it('cuts the entry of an account that was not set for longest, and only above its own bound', () => {
    const cut: string[] = [];
    const map = new FairMap<string>(100, { mostOfAccount: 2, onCut: (value) => void cut.push(value) });
    for (const key of ['x', 'y', 'x', 'z']) map.set('a', key, key);
    expect(cut).to.deep.equal(['y']);
    expect(['x', 'y', 'z'].map((key) => map.get('a', key))).to.deep.equal(['x', undefined, 'z']);
    map.forget('a');
    expect([map.size, map.values(), cut]).to.deep.equal([0, [], ['y']]);
  });

  it('cuts the account that was not used for longest if there are more accounts than places', () => {
    const map = new FairMap<number>(3);
    for (const accountId of ['a', 'b', 'c', 'a', 'd']) map.set(accountId, 'k', 1);
    expect(map.accounts()).to.deep.equal(['c', 'a', 'd']);
  });
});
