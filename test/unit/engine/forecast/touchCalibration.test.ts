import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import type { ReplayedWindow } from '../../../../src/engine/forecast/replayTicks.ts';
import { touchCalibration } from '../../../../src/engine/forecast/touchCalibration.ts';
import { normalTail } from '../../../../src/engine/scoring/normal.ts';

/** Windows of ten minutes whose levels are reached with the probability `chance`, which EWMA knows but for a factor of its volatility. */
function windowsOf(count: number, factor: number): ReplayedWindow[] {
  const random = seededRandom(3);
  return Array.from({ length: count }, (_, at) => {
    const distance = 0.5 + 2 * random.uniform();
    const chance = 2 * normalTail(distance);
    const level = () => ({ probability: chance, isReached: random.uniform() < chance });
    const levels = [level(), level()];
    // Reached or not at each of the distances that the second baseline learns from, as the first level is.
    const size = Math.abs(random.normal());
    return { timeUs: 600e6 * at, touch: { levels, distance: distance * 1e-4, sigma: 1e-4 * factor, up: size * 1e-4, down: -size * 1e-4 } };
  }) as unknown as ReplayedWindow[];
}

describe('touchCalibration', () => {
  it('has ten rows of as many levels whose means are those of what was reached, next to those of the normal', () => {
    const found = touchCalibration(windowsOf(20_000, 1), () => true)!;
    expect(found.levels).to.equal(40_000);
    expect(found.deciles.map(({ levels }) => levels)).to.deep.equal(Array(10).fill(4000));
    expect(found.deciles.reduce((sum, { reached }) => sum + reached, 0)).to.equal(found.reached);
    for (const {
      levels,
      probability,
      baseline,
      reached,
      reachedInterval90: [low, high],
    } of found.deciles) {
      expect(baseline).to.be.closeTo(probability, 1e-12);
      expect(reached / levels)
        .to.be.closeTo(probability, 0.03)
        .and.within(low, high);
    }
    expect(found.baseline.skill).to.be.closeTo(0, 1e-9);
  });

  it('shows what a wrong volatility costs the normal, and counts no window that is left out', () => {
    const windows = windowsOf(5000, 1.6);
    const found = touchCalibration(windows, ({ timeUs }) => timeUs >= 600e6 * 1000)!;
    expect(found.levels).to.equal(8000);
    expect(found.baseline.skillInterval95![0]).to.be.above(0.03);
    expect(found.learned.rival, 'outcomes correct it').to.be.below(found.baseline.rival);
    expect(touchCalibration(windows, () => false)).to.equal(null);
    const triggered = windows.slice(0, 100).map((window) => ({ ...window, touch: { ...window.touch!, distance: 0 } }));
    expect(touchCalibration([...triggered, ...windows.slice(100)], () => true)!.levels, 'nor a stop that is triggered').to.equal(9800);
  });
});
