import { expect } from 'chai';
import { planFolds } from '../../../../training/splits/planFolds.ts';
import { randomRows } from '../../../support/randomRows.ts';

const instruments = (...groups: string[]): { group: string }[] => groups.map((group) => ({ group }));

describe('planFolds', () => {
  const [train, test] = [randomRows({ count: 300 }), randomRows({ count: 90 })];

  it('leaves each group out once, with all its instruments', () => {
    const folds = planFolds(instruments('crypto', 'gold', 'crypto'), train, test);
    expect(folds.map(({ name }) => name)).to.deep.equal(['crypto', 'gold']);
    const [crypto, gold] = folds as [(typeof folds)[0], (typeof folds)[0]];
    expect(new Set(crypto.train.map((row) => train.instrument[row]))).to.deep.equal(new Set([1]));
    expect(new Set(crypto.test.map((row) => test.instrument[row]))).to.deep.equal(new Set([0, 2]));
    expect(new Set(gold.train.map((row) => train.instrument[row]))).to.deep.equal(new Set([0, 2]));
    expect(crypto.test.length + gold.test.length).to.equal(test.count);
  });

  it('makes no fold for a group without test rows', () => {
    const folds = planFolds(instruments('a', 'b', 'c', 'd'), train, test);
    expect(folds.map(({ name }) => name)).to.deep.equal(['a', 'b', 'c']);
  });

  it('cuts a single group in time: the training labels end ten minutes before the first test origin', () => {
    const [fold] = planFolds(instruments('one', 'one', 'one'), randomRows({ count: 3000 }), randomRows({ count: 3000, seed: 2 }));
    const lastLabelS = Math.max(...fold!.train) + 10;
    const firstTestS = Math.min(...fold!.test);
    expect(firstTestS).to.equal(2100);
    expect(lastLabelS).to.equal(firstTestS - 601);
    expect(fold!.test.length).to.equal(900);
  });
});
