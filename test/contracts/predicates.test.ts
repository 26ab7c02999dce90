import { expect } from 'chai';
import type { WindowMeasures } from '../../src/engine/features/WindowMeasures.ts';
import { PREDICATES } from '../../src/engine/rules/predicates.ts';
import { type RuleContext, ruleContext } from '../../src/engine/rules/Predicate.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { buildFeatures } from '../support/buildFeatures.ts';
import { makeMeasures } from '../support/makeMeasures.ts';
import { walkTicks } from '../support/walkTicks.ts';

const contextOf = (measures: WindowMeasures, theta = measures.thetaDefault): RuleContext => ruleContext(measures, theta);

function scaled({ timesUs, prices }: TickSeries, factor: number): TickSeries {
  return { timesUs, prices: prices.map((price) => price * factor) };
}

const series = [1, 2, 3, 4, 5, 6].map((seed) => walkTicks({ seed, count: [60, 200, 500, 1200][seed % 4] ?? 200, maxSteps: seed }));
const horizonsMs = [50, 10_000, 300_000];
const hostile: readonly [string, WindowMeasures][] = [
  ['no tick', makeMeasures([])],
  ['one tick', makeMeasures([0])],
  ['constant price', makeMeasures(Array.from({ length: 60 }, () => 0))],
  ['no volatility', makeMeasures([0, 1e-4, 0, 1e-4], { sigmas: [0, 0, 0, 0], sigmaHorizon: 0 })],
  ['no duration', makeMeasures([0, 1e-4, 0, 1e-4], { timesS: new Float64Array(4), windowS: 0, medianGapS: 0 })],
  ['huge moves', makeMeasures([0, 50, -50, 50, -50, 0])],
  ['tiny scale', makeMeasures([0, 1e-4, 0, 1e-4], { sigmas: [1e-300, 1e-300, 1e-300, 1e-300], sigmaHorizon: 1e-300, horizonS: 1e-3 })],
  ['NaN', makeMeasures([0, NaN, 0, 1e-4], { sigmas: [NaN, NaN, NaN, NaN], sigmaHorizon: NaN, cost: NaN, medianGapS: NaN })],
];

/** Contract of every predicate in the registry. */
for (const predicate of PREDICATES) {
  describe(`predicate ${predicate.name}`, () => {
    it('has a name, a sentence and a unit, and names its numbers', () => {
      expect(predicate.name).to.match(/^[a-z]+(_[a-z]+)*$/);
      expect(predicate.about).to.match(/^[A-Z].*\.$/);
      expect(predicate.unit).to.not.equal('');
      const measures = makeMeasures(Array.from({ length: 300 }, (_, i) => 2e-3 * Math.sin(i / 9)));
      const numbers = Object.keys(predicate.evaluate(contextOf(measures)).numbers ?? {});
      if (numbers.length > 0) expect(numbers).to.have.members(predicate.numbers ?? []);
    });

    it('returns an ordered, reproducible truth interval in [0, 1] for random walks', () => {
      for (const ticks of series)
        for (const horizonMs of horizonsMs) {
          const features = buildFeatures(ticks, horizonMs);
          if (typeof features === 'string') continue;
          for (const factor of [0.2, 1, 8]) {
            const context = contextOf(features.measures, features.measures.thetaDefault * factor);
            const result = predicate.evaluate(context);
            const { lower, upper, value } = result;
            expect(lower).to.be.within(0, upper);
            expect(upper).to.be.at.most(1);
            if (value === null) expect([lower, upper]).to.deep.equal([0, 1]);
            else expect(value).to.satisfy(Number.isFinite);
            expect(predicate.evaluate(context)).to.deep.equal(result);
          }
        }
    });

    it('does not depend on the unit of the price', () => {
      for (const ticks of series)
        for (const factor of [1e-6, 1e5]) {
          const one = buildFeatures(ticks, 20_000);
          const other = buildFeatures(scaled(ticks, factor), 20_000);
          if (typeof one === 'string' || typeof other === 'string') throw new Error('refused');
          const a = predicate.evaluate(contextOf(one.measures));
          const b = predicate.evaluate(contextOf(other.measures));
          expect(b.lower).to.be.closeTo(a.lower, 1e-6);
          expect(b.upper).to.be.closeTo(a.upper, 1e-6);
          expect((b.numbers?.['price'] ?? 0) / factor).to.be.closeTo(a.numbers?.['price'] ?? 0, 1e-6);
        }
    });

    for (const [name, measures] of hostile)
      it(`does not throw, and returns a valid or unknown truth: ${name}`, () => {
        const { lower, upper } = predicate.evaluate(contextOf(measures, 1e-4));
        // Evaluation treats NaN as unknown; an inverted interval is not allowed.
        expect(lower > upper).to.equal(false);
      });
  });
}
