import { tallyFault } from '../../../../src/engine/live/tallyFault.ts';
import { expect } from 'chai';
import fc from 'fast-check';
import type { RangeBand } from '../../../../src/contract/outlook.ts';
import { seededRandom } from '../../../../src/core/Random.ts';
import {
  addForecast,
  addOutcome,
  addRanges,
  addTouches,
  addUnscored,
  type BaseRateSums,
  comparisonFields,
  conclude,
  conclusionOf,
  EMPTY_TALLY,
  mergeTallies,
  type ScoredOutcome,
  type Tally,
} from '../../../../src/engine/live/score.ts';

const tallyOf = (outcomes: readonly ScoredOutcome[]): Tally =>
  outcomes.reduce((tally, one) => addOutcome(addForecast(tally), one), EMPTY_TALLY);

/** `count` forecasts whose right probability is 0.2 or 0.5 in turn; the baseline always says 0.35. `repeat`: each outcome counts that often. */
function drawOutcomes(count: number, seed: number, { isRight = true, repeat = 1 } = {}): ScoredOutcome[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const right = i % 2 === 0 ? 0.2 : 0.5;
    const one = {
      probability: isRight ? right : 0.7 - right,
      baselines: { baseline: 0.35, baseRate: 0.4 },
      isMarked: right === 0.5,
      moved: random.uniform() < right,
    };
    return Array.from({ length: repeat }, () => ({ ...one, overlap: repeat }));
  }).flat();
}

describe('score of live forecasts', () => {
  it('counts forecasts, outcomes, marks, hits and moves', () => {
    const one = { probability: 0.5, baselines: { baseline: 0.25, baseRate: 0.75 } };
    let tally = tallyOf([
      { ...one, isMarked: true, moved: true },
      { ...one, isMarked: true, moved: false },
      { ...one, isMarked: false, moved: true },
    ]);
    tally = addUnscored(addForecast(addForecast(tally)));
    expect(tally).to.deep.equal({
      ...{ forecasts: 5, outcomes: 3, unscored: 1, marks: 2, hits: 1, moved: 2 },
      ...{ brierSum: 0.75, baselineBrierSum: 0.5625 + 0.0625 + 0.5625 },
      ...{ squaredDifferenceSum: 2 * 0.3125 ** 2 + 0.1875 ** 2, markOverlapSum: 2 },
      baseRateSums: {
        outcomes: 3,
        brierSum: 2 * 0.0625 + 0.5625,
        forecastBrierSum: 0.75,
        squaredDifferenceSum: 2 * 0.1875 ** 2 + 0.3125 ** 2,
      },
      bins: [{ tenth: 5, outcomes: 3, moved: 2, probabilitySum: 1.5 }],
    });
  });

  it('counts ranges of the kept levels whose move is known, in whatever parts', () => {
    const band = (level: number, bps: number | null): RangeBand => ({
      ...{ level, move_bps: bps, low: null, high: null, coverage: null },
      reason: bps === null ? 'range_untrained' : null,
    });
    const bands = [band(0.5, 1), band(0.75, 2), band(0.8, null), band(0.9, 3)];
    const tallies = [0.5, -1, 1.5, -4].map((moveBps, i) => addRanges(EMPTY_TALLY, bands, moveBps, i === 0 ? 3 : 1));
    expect(tallies.reduce(mergeTallies)).to.deep.equal({
      ...EMPTY_TALLY,
      coverage: [
        { level: 0.5, outcomes: 4, covered: 2, overlapSum: 6 },
        { level: 0.9, outcomes: 4, covered: 3, overlapSum: 6 },
      ],
    });
    expect(addRanges(EMPTY_TALLY, undefined, 1)).to.equal(EMPTY_TALLY);
    expect(addRanges(EMPTY_TALLY, [band(0.5, null)], 1)).to.equal(EMPTY_TALLY);
  });

  it('counts a forecast with touch once, with the means over its prices, next to a driftless normal, in whatever parts', () => {
    const level = (probability: number | null, rival: number | null) => ({ probability, baseline_probability: rival });
    const levels = [level(0.5, 0.25), level(null, null), level(0.25, 0.5)];
    const tallies = [addTouches(EMPTY_TALLY, levels, [true, true, false], 2), addTouches(EMPTY_TALLY, levels.slice(0, 1), [false])];
    expect(mergeTallies(...(tallies as [Tally, Tally]))).to.deep.equal({
      ...EMPTY_TALLY,
      touchSums: {
        ...{ outcomes: 2, levels: 3, reached: 1 },
        ...{ forecastBrierSum: 0.15625 + 0.25, brierSum: 0.40625 + 0.0625, squaredDifferenceSum: 2 * 0.25 ** 2 + 0.1875 ** 2 },
      },
    });
    expect(addTouches(EMPTY_TALLY, [levels[1]], [true])).to.equal(EMPTY_TALLY);
    expect(tallyFault(tallies[0])).to.equal(undefined);
    for (const wrong of [{ levels: 0 }, { reached: 3 }, { brierSum: 2.5 }, { squaredDifferenceSum: -1 }, { outcomes: 0.5 }])
      expect(tallyFault({ ...tallies[0], touchSums: { ...tallies[0].touchSums!, ...wrong } }), JSON.stringify(wrong)).to.match(
        /^touchSums has/,
      );
  });

  it('gives the same sums in whatever parts the outcomes are tallied', () => {
    fc.assert(
      fc.property(fc.nat({ max: 50 }), fc.nat({ max: 1000 }), (cut, seed) => {
        const outcomes = drawOutcomes(50, seed);
        const whole = tallyOf(outcomes);
        const merged = mergeTallies(tallyOf(outcomes.slice(0, cut)), tallyOf(outcomes.slice(cut)));
        for (const name of Object.keys(EMPTY_TALLY) as Exclude<keyof Tally, 'bins' | 'coverage' | 'baseRateSums' | 'touchSums'>[])
          expect(merged[name], name).to.be.closeTo(whole[name], 1e-9);
        for (const [name, sum] of Object.entries(whole.baseRateSums!))
          expect(merged.baseRateSums?.[name as keyof BaseRateSums], name).to.be.closeTo(sum, 1e-9);
        expect(merged.bins?.map(({ tenth, outcomes: count, moved }) => [tenth, count, moved])).to.deep.equal(
          whole.bins?.map(({ tenth, outcomes: count, moved }) => [tenth, count, moved]),
        );
        expect(merged.bins?.reduce((sum, { probabilitySum }) => sum + probabilitySum, 0)).to.be.closeTo(
          outcomes.reduce((sum, { probability }) => sum + probability, 0),
          1e-9,
        );
      }),
    );
  });

  it('concludes better or worse once the interval excludes 0, and too few before', () => {
    expect(conclude(EMPTY_TALLY)).to.deep.equal({
      ...{ conclusion: 'too_few', rival: null, brier: null, against: { baseline: null, base_rate: null } },
    });
    expect(conclude(tallyOf(drawOutcomes(60, 1))).conclusion).to.equal('too_few');
    const betterTally = tallyOf(drawOutcomes(2000, 1));
    const better = conclude(betterTally);
    expect(better).to.include({ brier: betterTally.brierSum / 2000, rival: 'baseline', conclusion: 'better' });
    const { brier, difference, interval } = better.against.baseline!;
    expect(brier).to.equal(betterTally.baselineBrierSum / 2000);
    expect(difference).to.be.within(...interval);
    expect(interval[0]).to.be.greaterThan(0);
    expect(conclusionOf(comparisonFields(better))).to.deep.equal(better);
    expect(conclude(tallyOf(drawOutcomes(2000, 1, { isRight: false }))).conclusion).to.equal('worse');
  });

  it('learns nothing from overlapping forecasts of the same moves', () => {
    const single = conclude(tallyOf(drawOutcomes(300, 3)));
    const repeated = conclude(tallyOf(drawOutcomes(300, 3, { repeat: 12 })));
    for (const rival of ['baseline', 'base_rate'] as const) {
      expect(repeated.against[rival]!.difference).to.be.closeTo(single.against[rival]!.difference, 1e-12);
      expect(repeated.against[rival]!.interval[0]).to.be.closeTo(single.against[rival]!.interval[0], 1e-12);
    }
  });

  it('concludes in fewer than 1 of 100 samples where forecast and baseline are equally good', () => {
    let concluded = 0;
    for (let seed = 0; seed < 500; seed++) {
      const random = seededRandom(seed);
      const outcomes = Array.from({ length: 400 }, () => {
        const side = random.uniform() < 0.5 ? 0.1 : -0.1;
        const baselines = { baseline: 0.3 - side, baseRate: 0.9 };
        return { probability: 0.3 + side, baselines, isMarked: false, moved: random.uniform() < 0.3 };
      });
      if (conclude(tallyOf(outcomes)).conclusion !== 'too_few') concluded++;
    }
    expect(concluded).to.be.at.most(10);
  });

  it('concludes from 40 moves and 40 other outcomes on, if the interval excludes 0 and does not end there', () => {
    const of = (moved: number, others: number, given: Partial<Tally> = {}): string =>
      conclude({ ...EMPTY_TALLY, outcomes: moved + others, moved, baselineBrierSum: 9, squaredDifferenceSum: 1, ...given }).conclusion;
    for (const [moved, others, conclusion] of [
      [40, 40, 'better'],
      [39, 41, 'too_few'],
      [41, 39, 'too_few'],
      [400, 40, 'better'],
      [40, 400, 'better'],
    ] as const)
      // prettier-ignore
      expect(of(moved, others), `${moved} moves, ${others} others`).to.equal(conclusion);
    // Half the interval is 2.5758 times the root of the sum of squares.
    for (const [difference, conclusion] of [
      [2.5758, 'too_few'],
      [2.5759, 'better'],
      [-2.5758, 'too_few'],
      [-2.5759, 'worse'],
    ] as const)
      // prettier-ignore
      expect(of(64, 64, { brierSum: Math.max(0, -difference), baselineBrierSum: Math.max(0, difference) }), `${difference}`).to.equal(conclusion);
    expect(of(64, 64, { baselineBrierSum: 0, squaredDifferenceSum: 0 })).to.equal('too_few');
  });

  it('concludes against the better baseline alone: the one on which the forecasts gain least', () => {
    const sums = { outcomes: 100, moved: 50, brierSum: 20, baselineBrierSum: 30, squaredDifferenceSum: 0.01 };
    const rate = (brierSum: number, outcomes = 100, forecastBrierSum = 20) => ({
      outcomes,
      brierSum,
      forecastBrierSum,
      squaredDifferenceSum: 0.01,
    });
    for (const [baseRateSums, rival, conclusion] of [
      [rate(31), 'baseline', 'better'],
      [rate(29), 'base_rate', 'better'],
      [rate(20.1), 'base_rate', 'too_few'],
      [rate(19), 'base_rate', 'worse'],
      // On the half that was compared with it, the forecasts were as good as on all.
      [rate(9, 50, 10), 'base_rate', 'worse'],
      [undefined, 'baseline', 'better'],
    ] as const) {
      const tally = { ...EMPTY_TALLY, ...sums, ...(baseRateSums === undefined ? {} : { baseRateSums }) };
      expect(conclude(tally), JSON.stringify(baseRateSums)).to.include({ rival, conclusion });
    }
  });

  it('does not conclude from outcomes of one kind', () => {
    const outcomes = Array.from({ length: 1000 }, (_, i) => ({
      probability: 0.05,
      baselines: { baseline: 0.5, baseRate: 0.5 },
      isMarked: false,
      moved: i < 39,
    }));
    expect(conclude(tallyOf(outcomes)).conclusion).to.equal('too_few');
  });
});
