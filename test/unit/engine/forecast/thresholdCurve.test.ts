import { expect } from 'chai';
import { logOdds, sigmoid } from '../../../../src/engine/scoring/logOdds.ts';
import { knotsTowards, ThresholdCurve } from '../../../../src/engine/forecast/thresholdCurve.ts';

const RANGE = [Math.log(0.25), Math.log(8)] as const;
const FAR = -12;

describe('ThresholdCurve below the trained range', () => {
  const knots = knotsTowards(RANGE, FAR);
  /** Log-odds that rise by `slope` when the threshold is divided by e; `end` is the probability at the end of the range. */
  const curveOf = (slope: number, end: number, moving?: number): ThresholdCurve => {
    const totals = knots.map((knot) => logOdds(end) - slope * (knot - RANGE[0]));
    return new ThresholdCurve(knots, totals, moving);
  };
  const probability = (curve: ThresholdCurve, logRatio: number): number => sigmoid(curve.at(logRatio));

  const slopes: [number, number][] = [
    [0.1, 0.5],
    [0.8, 0.8],
    [3, 1.25],
  ];
  for (const [slope, used] of slopes)
    it(`goes on along a line of ${slope} with a slope of ${used}`, () => {
      const curve = curveOf(slope, 0.6);
      expect(curve.at(RANGE[0] - 2) - curve.at(RANGE[0] - 1)).to.be.closeTo(used, 1e-9);
    });

  it('goes towards the fraction of past horizons in which the price moved', () => {
    for (const moving of [0.7, 0.8, 0.95]) expect(probability(curveOf(1, 0.6, moving), FAR)).to.be.closeTo(moving, 1e-4);
  });

  it('rises by a tenth of the line where the window moved less often than the end of the range says', () => {
    for (const moving of [0, 0.3, 0.6]) expect(probability(curveOf(1, 0.6, moving), FAR)).to.be.closeTo(0.64, 1e-4);
  });

  it('rises strictly as the threshold falls, whatever the window did', () => {
    for (const moving of [0, 0.5, 0.9, 0.998, 1])
      for (let logRatio = RANGE[0]; logRatio > -8; logRatio -= 0.25)
        expect(curveOf(1, 0.6, moving).at(logRatio - 0.25)).to.be.above(curveOf(1, 0.6, moving).at(logRatio));
  });

  it('changes no bit from the end of the range up', () => {
    for (const logRatio of [RANGE[0], -1.2, -0.3, 0]) {
      const needed = knotsTowards(RANGE, logRatio);
      const totals = needed.map((_, at) => -1 + 0.7 * at);
      expect(new ThresholdCurve(needed, totals, 0.7).at(logRatio)).to.equal(new ThresholdCurve(needed, totals).at(logRatio));
    }
  });
});
