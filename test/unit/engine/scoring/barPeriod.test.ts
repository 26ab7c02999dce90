import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { barHorizonFault, barPeriodUs } from '../../../../src/engine/scoring/barPeriod.ts';
import { setupWindow } from '../../../../src/engine/scoring/usefulSetup.ts';
import { labelOrigin } from '../../../../src/engine/features/labelOrigin.ts';

/** `count` bars of a period in seconds; every `missing`-th is left out. */
function bars(periodS: number, count: number, missing = 0, jitterUs = 0): Float64Array {
  const random = seededRandom(2);
  return Float64Array.from({ length: count }, (_, i) => i)
    .filter((i) => missing === 0 || i % missing !== 1)
    .map((i) => i * periodS * 1e6 + Math.round(jitterUs * random.uniform()));
}

describe('the period of bars', () => {
  for (const [name, timesUs, period] of [
    ['one-minute bars', bars(60, 500), 60],
    ['bars with missing ones', bars(60, 500, 4), 60],
    ['bars that are stamped a little late', bars(60, 500, 0, 200_000), 60],
    ['hourly bars', bars(3600, 300), 3600],
    ['snapshots of 3 s', bars(3, 5000), 3],
    ['several rows of a stamp', bars(60, 500).map((us, i, all) => (i % 2 === 1 ? all[i - 1] : us)), 120],
  ] as const) {
    it(`is found in ${name}`, () => {
      expect(barPeriodUs(timesUs)! / 1e6).to.be.closeTo(period, 0.01 * period);
      expect(barHorizonFault(timesUs, 2.02 * period * 1e6)).to.equal(null);
      expect(barHorizonFault(timesUs, 1.9 * period * 1e6)).to.match(/the shortest horizon is [\d.]+ s$/);
    });
  }

  it('is none in ticks, and in files without two stamps', () => {
    const random = seededRandom(5);
    let us = 0;
    const ticks = Float64Array.from({ length: 2000 }, () => (us += Math.round(2e6 * random.uniform())));
    for (const timesUs of [ticks, bars(0.2, 900), new Float64Array(0), Float64Array.of(1), Float64Array.of(1, 1, 1)])
      expect(barHorizonFault(timesUs, 10e6)).to.equal(null);
  });

  it('forbids exactly the horizons whose outcome is always 0', () => {
    const timesUs = bars(60, 300);
    const prices = timesUs.map((_, i) => 100 + (i % 7));
    const moves = (horizonS: number): number[] =>
      [50, 60, 70].map((origin) => {
        const label = labelOrigin({ timesUs, prices }, origin, horizonS, 1800);
        return label.status === 'ok' ? label.move : NaN;
      });
    expect(moves(60)).to.deep.equal([0, 0, 0]);
    expect(moves(119)).to.deep.equal([0, 0, 0]);
    expect(moves(120).some((move) => move !== 0)).to.equal(true);
  });

  it('makes a set-up not useful, with the reason', () => {
    expect(setupWindow(bars(60, 3000), 60, 20, 500)).to.deep.include({ ticks: null });
    expect(setupWindow(bars(60, 3000), 60, 20, 500).noWindow).to.include('60 s apart');
    expect(setupWindow(bars(60, 3000), 300, 20, 500)).to.deep.equal({ ticks: 500, noWindow: null });
  });
});
