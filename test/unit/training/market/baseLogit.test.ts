import { expect } from 'chai';
import type { HeadManifest } from '../../../../src/engine/model/ModelManifest.ts';
import { allocateRows } from '../../../../training/data/RowSet.ts';
import { baseLogit } from '../../../../training/market/marketExamples.ts';

describe('the log-odds of the base at any threshold', () => {
  const rows = allocateRows(1, 3);
  [2, 1, 4].forEach((theta, draw) => (rows.theta[draw] = theta));
  // Baseline 1 - ln(theta); a residual that depends on the threshold.
  const baseline = Float32Array.from(rows.theta, (theta) => 1 - Math.log(theta));
  const predicted = {
    index: Int32Array.of(0),
    draws: 3,
    baseline,
    residual: Float32Array.of(0.5, 0.25, 1),
    direction: new Float32Array(3),
  };
  const at = (theta: number, slope = 1): number =>
    baseLogit(rows, predicted, 0, { calibration: { slope, intercept: slope - 1 } } as HeadManifest, theta);

  it('are those of the row at its own thresholds, with the calibration of the head', () => {
    expect(at(2)).to.be.closeTo(1 - Math.log(2) + 0.5, 1e-6);
    expect(at(1)).to.be.closeTo(1.25, 1e-6);
    expect(at(4, 2)).to.be.closeTo(2 * (2 - Math.log(4)) + 1, 1e-6);
  });

  it('are linear in ln(theta) between them', () => {
    expect(at(Math.SQRT2)).to.be.closeTo((at(1) + at(2)) / 2, 1e-6);
    expect(at(Math.sqrt(8))).to.be.closeTo((at(2) + at(4)) / 2, 1e-6);
  });

  it('keep the residual of the last threshold outside of them', () => {
    expect(at(8)).to.be.closeTo(1 - Math.log(8) + 1, 1e-6);
    expect(at(0.5)).to.be.closeTo(1 - Math.log(0.5) + 0.25, 1e-6);
  });
});
