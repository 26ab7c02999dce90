import { expect } from 'chai';
import { brierSkill } from '../../../../src/engine/scoring/brierSkill.ts';
import { clearingHorizonsS, noWindowText, setupLength, setupOf, setupOrigins } from '../../../../src/engine/scoring/usefulSetup.ts';
import { wilsonInterval } from '../../../../src/engine/scoring/wilsonInterval.ts';

/** One tick per second. */
const seconds = (count: number): Float64Array => Float64Array.from({ length: count }, (_, i) => i * 1e6);

describe('a useful set-up', () => {
  it('has windows of the number of ticks that suits the horizon, or the next longer ones that span enough time', () => {
    expect(setupLength(seconds(10_000), 1800, 20, 500)).to.equal(500);
    expect(setupLength(seconds(10_000), 1800, 2, 500)).to.equal(1000);
    expect(setupLength(seconds(10_000), 1800, 0.5, 500)).to.equal(null);
    expect(setupLength(seconds(400), 10, 20, 500)).to.equal(null);
    expect([setupLength(seconds(10_000), 10, 20, 1000), setupLength(seconds(10_000), 1800, 1, 1500)]).to.deep.equal([1000, 2000]);
  });

  it('says whether the file has too few ticks for a window, or too short a time for the horizon', () => {
    expect(noWindowText(199, 500)).to.equal('the file has 199 ticks; a window takes 500');
    expect(noWindowText(700, 500)).to.equal('even 500 ticks of this file are too short a time for this horizon');
    expect(noWindowText(10_000, 500)).to.equal('even 3000 ticks of this file are too short a time for this horizon');
  });

  it('is tried on at most 40 windows, spread over the ticks', () => {
    const origins = [...setupOrigins(seconds(10_000), 500)];
    expect(origins).to.have.length(40);
    expect([origins[0], origins.at(-1)! > 9000]).to.deep.equal([499, true]);
    expect([...setupOrigins(seconds(501), 500)]).to.deep.equal([499, 500]);
    expect(setupOrigins(seconds(499), 500)).to.have.length(0);
  });

  it('tells thresholds, marks, and the reason that other figures do not show', () => {
    const window = (minMoveBps: number | null, moveBps: number | null, isMarked: boolean, ...reasons: string[]) => ({ isMarked, minMoveBps, moveBps, reasons, isSeen: moveBps === -9 }); // prettier-ignore
    const windows = [
      window(4, -5, true),
      window(4, 4, true),
      window(4, null, true),
      window(2, 1, false, 'below_threshold', 'density_untrained'),
      window(3, -9, false, 'density_untrained'),
      window(null, 2, false, 'constant_price'),
    ];
    expect(setupOf({ horizonS: 10, ticks: 500, noWindow: null, cut: 0.3 }, windows)).to.deep.equal({
      ...{ horizonS: 10, ticks: 500, noWindow: null, windows: 6, marks: 3 },
      ...{ thresholdBps: [2, 4, 4], cut: 0.3, reason: 'density_untrained' },
      ...{ medianMoveBps: 4, hits: 1, scored: 2, isSeen: true },
    });
    expect(setupOf({ horizonS: 10, ticks: null, noWindow: 'too few', cut: null }, [])).to.deep.include({
      noWindow: 'too few',
      thresholdBps: null,
      cut: null,
      reason: null,
      medianMoveBps: null,
    });
  });

  it('names the horizons whose median move clears a cost', () => {
    const setups = [2, null, 6, 20].map((medianMoveBps, i) => ({ horizonS: i, medianMoveBps }));
    expect([1, 6, 50].map((costBps) => clearingHorizonsS(setups, costBps))).to.deep.equal([[0, 2, 3], [3], []]);
  });
});

describe('the Brier skill', () => {
  const at = (hour: number, probability: number, moved: boolean) => ({
    timeUs: hour * 3.6e9,
    probability,
    rivalProbability: 0.5,
    moved,
  });

  it('is 1 minus the ratio of the mean squared errors', () => {
    const skill = brierSkill([at(0, 0.8, true), at(0.5, 0.4, false)])!;
    expect(skill.model).to.be.closeTo((0.04 + 0.16) / 2, 1e-12);
    expect(skill.rival).to.equal(0.25);
    expect(skill.skill).to.be.closeTo(1 - 0.1 / 0.25, 1e-12);
    expect([skill.windows, skill.clusters, skill.by, skill.skillInterval95]).to.deep.equal([2, 1, 'hour', null]);
  });

  it('has an interval by hour from 30 hours on, by day from 10 days on, and is null of nothing', () => {
    const rows = Array.from({ length: 300 }, (_, i) => at(i / 10, i % 3 === 0 ? 0.7 : 0.3, i % 3 === 0 || i % 7 === 0));
    const { skill, skillInterval95, clusters } = brierSkill(rows)!;
    expect(clusters).to.equal(30);
    expect(skillInterval95![0]).to.be.below(skill).and.above(0);
    expect(skillInterval95![1]).to.be.above(skill);
    expect(brierSkill(rows.slice(0, 290))!.skillInterval95).to.equal(null);
    const days = brierSkill(rows.map((row) => ({ ...row, timeUs: 8 * row.timeUs })))!;
    expect(days).to.include({ by: 'day', clusters: 10 });
    expect(days.skillInterval95![0]).to.be.below(days.skill).and.above(0);
    expect(brierSkill([])).to.equal(null);
  });
});

describe("Wilson's interval", () => {
  it('contains the fraction, stays within 0 and 1, and is everything without trials', () => {
    const [low, high] = wilsonInterval(5, 10);
    // Solves (p - 0.5)^2 = z^2 p (1 - p) / 10 for z = 1.6449.
    expect(low).to.be.closeTo(0.2692718, 1e-6);
    expect(high).to.be.closeTo(0.7307282, 1e-6);
    expect(wilsonInterval(0, 10)[0]).to.be.closeTo(0, 1e-12);
    expect(wilsonInterval(10, 10)[1]).to.equal(1);
    expect(wilsonInterval(0, 0)).to.deep.equal([0, 1]);
  });
});
