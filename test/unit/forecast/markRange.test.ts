import { expect } from 'chai';
import { markRange } from '../../../src/forecast/thresholdCurve.ts';

const RANGE = [Math.log(0.25), Math.log(8)] as const;
const UPPER = [-0.75, -0.25, 0.25, 0.75, 1.35, Math.log(8)];
const rangeOf = (decision: (number | null)[]): [number, number] | null => markRange({ bands: { upper: UPPER, decision } }, RANGE);

describe('markRange', () => {
  it('is the trained range if the head decides in each band', () => {
    expect(rangeOf([0.7, 0.6, 0.3, 0.2, 0.1, 0.05])!.map((ratio) => Number(ratio.toFixed(3)))).to.deep.equal([0.25, 8]);
  });

  it('ends where the head abstains above the default threshold', () => {
    const [low, high] = rangeOf([0.7, 0.6, 0.3, null, 0.1, 0.05])!;
    expect(low).to.be.closeTo(0.25, 1e-9);
    expect(high).to.be.within(1, Math.exp(0.5));
  });

  it('lies below the default threshold if the head abstains there, whatever it does above', () => {
    const [low, high] = rangeOf([0.7, 0.6, null, 0.2, 0.1, 0.05])!;
    expect(low).to.be.closeTo(0.25, 1e-9);
    expect(high).to.be.below(1);
    expect(rangeOf([null, null, null, 0.2, 0.1, 0.05])).to.equal(null);
  });

  it('is null if the head always abstains', () => {
    expect(rangeOf([null, null, null, null, null, null])).to.equal(null);
  });
});
