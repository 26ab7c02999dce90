import { expect } from 'chai';
import fc from 'fast-check';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { decideByRules, evaluateRules, sumRules } from '../../src/engine/rules/evaluateRules.ts';
import { parseRuleSet } from '../../src/engine/rules/parseRuleSet.ts';
import { PREDICATES } from '../../src/engine/rules/predicates.ts';
import type { TickRequest } from '../../src/ticks/parseTickRequest.ts';
import { buildFeatures } from '../support/buildFeatures.ts';
import { fakeForecaster } from '../support/fakeForecaster.ts';
import { makeMeasures } from '../support/makeMeasures.ts';
import { walkTicks } from '../support/walkTicks.ts';

const literalsArb = fc
  .uniqueArray(fc.constantFrom(...PREDICATES.map(({ name }) => name)), { minLength: 1, maxLength: 4 })
  .chain((names) => fc.tuple(...names.map((predicate) => fc.boolean().map((not) => ({ predicate, not })))));
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const ruleArb = fc
  .record({ literals: literalsArb, isVeto: fc.boolean(), isUp: fc.boolean(), size: unit, neutral: unit })
  .map(({ literals, isVeto, isUp, size, neutral }) =>
    isVeto
      ? { kind: 'veto', text: 'veto', literals, threshold: Math.max(0.1, size) }
      : { kind: 'evidence', text: 'evidence', literals, weight: isUp ? size : -size, sign: isUp ? '+' : '-', bound: 1, neutral },
  );
const rulesArb = fc.array(ruleArb, { minLength: 1, maxLength: 12 }).map((rules) => rules.map((rule, i) => ({ id: `r${i}`, ...rule })));
const setOf = (rules: unknown): unknown => ({ format: 'tickmark-rules/1', id: 's', version: 1, about: '', rules });

const windows = [1, 2, 3, 4].map((seed) => {
  const features = buildFeatures(walkTicks({ seed, count: 150 * seed, maxSteps: seed }), 20_000);
  if (typeof features === 'string') throw new Error(features);
  return features.measures;
});
const windowArb = fc.constantFrom(...windows);

describe('rules, for any set', () => {
  it('contributions sum to the total in order, each within its weight, and vetoes add nothing', () => {
    fc.assert(
      fc.property(rulesArb, windowArb, fc.double({ min: 1e-6, max: 1e-2, noNaN: true }), (rules, measures, theta) => {
        const { rules: trace, total, vetoedBy } = evaluateRules(parseRuleSet(setOf(rules), 's'), { measures, theta, bucket: 0 });
        let sum = 0;
        for (const { id, kind, truth, contribution, fired } of trace) {
          sum += contribution;
          expect(truth[0]).to.be.within(0, truth[1]);
          expect(truth[1]).to.be.at.most(1);
          const written = rules.find((rule) => rule.id === id) as { weight?: number; threshold?: number };
          expect(Math.abs(contribution)).to.be.at.most(Math.abs(written.weight ?? 0) * (1 + 1e-12));
          if (truth[0] === 0 && truth[1] === 1) expect(contribution).to.be.closeTo(0, 1e-12);
          expect(fired).to.equal(kind === 'veto' && truth[0] >= (written.threshold as number));
        }
        expect(total).to.equal(sum);
        expect(vetoedBy).to.deep.equal(trace.filter(({ fired }) => fired).map(({ id }) => id));
      }),
      { numRuns: 60 },
    );
  });

  it('give the same decision with and without evidence of weight 0', () => {
    const weightless = fc
      .tuple(rulesArb, fc.array(fc.boolean(), { minLength: 1 }))
      .map(([rules, zeros]) =>
        rules.map((rule, i) => (zeros[i % zeros.length] === true && 'weight' in rule ? { ...rule, weight: 0 } : rule)),
      );
    fc.assert(
      fc.property(weightless, windowArb, (rules, measures) => {
        const set = parseRuleSet(setOf(rules), 's');
        const facts = { measures, theta: measures.thetaDefault, bucket: 0 };
        const [whole, decided] = [evaluateRules(set, facts), decideByRules(set, facts)];
        expect(sumRules(set, facts)).to.equal(whole.total);
        expect([decided.total, decided.vetoedBy, decided.levels]).to.deep.equal([whole.total, whole.vetoedBy, []]);
        expect(decided.rules.filter(({ fired }) => fired).map((rule) => rule.text())).to.deep.equal(
          whole.rules.filter(({ fired }) => fired).map((rule) => rule.text()),
        );
        const counts = new Set(rules.filter((rule) => !('weight' in rule) || rule.weight !== 0).map(({ id }) => id));
        expect(decided.rules.map(({ id }) => id)).to.deep.equal(whole.rules.map(({ id }) => id).filter((id) => counts.has(id)));
      }),
      { numRuns: 60 },
    );
  });

  it('permuting rules and literals changes no bit', () => {
    fc.assert(
      fc.property(rulesArb, windowArb, fc.nat(), (rules, measures, rotation) => {
        const cut = rotation % rules.length;
        const turned = [...rules.slice(cut), ...rules.slice(0, cut)].map((rule) => ({ ...rule, literals: rule.literals.toReversed() }));
        const facts = { measures, theta: measures.thetaDefault, bucket: 0 };
        expect(evaluateRules(parseRuleSet(setOf(turned), 's'), facts)).to.deep.equal(evaluateRules(parseRuleSet(setOf(rules), 's'), facts));
      }),
      { numRuns: 40 },
    );
  });

  it('evaluation never throws for any measures, and every truth is a valid interval', () => {
    const number = fc.oneof(fc.double(), fc.constantFrom(0, NaN, Infinity, -Infinity, 1e308, 5e-324));
    const all = parseRuleSet(
      setOf(
        PREDICATES.map(({ name }) => ({
          id: name.replaceAll('_', '-'),
          kind: 'evidence',
          text: `{${name}}`,
          literals: [{ predicate: name }],
          weight: 1,
          sign: '+',
          bound: 1,
        })),
      ),
      's',
    );
    fc.assert(
      fc.property(fc.array(number, { maxLength: 60 }), number, number, number, number, (logPrices, a, b, c, theta) => {
        const measures = makeMeasures(logPrices, {
          sigmas: [a, b, c, a],
          sigmaHorizon: b,
          cost: c,
          horizonS: a,
          windowS: b,
          medianGapS: c,
        });
        const { rules, total } = evaluateRules(all, { measures, theta, bucket: 0 });
        expect(total).to.satisfy(Number.isFinite);
        for (const { truth } of rules) expect(truth[0] >= 0 && truth[0] <= truth[1] && truth[1] <= 1).to.equal(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('Forecaster, for any ticks', () => {
  it('returns a forecast or throws a ServiceError', async () => {
    const { forecaster } = fakeForecaster();
    const gapUs = fc.oneof(fc.constantFrom(0, 1, 1000, 3_600_000_000), fc.integer({ min: 0, max: 5_000_000 }));
    const price = fc.oneof(fc.constantFrom(1e-300, 5e-324, 1e11, 1, 1.0000000001), fc.double({ min: 1e-9, max: 1e9, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(gapUs, price), { minLength: 1, maxLength: 250 }),
        fc.oneof(fc.integer({ min: 1, max: 1e9 }), fc.constant(1e14)),
        fc.boolean(),
        async (ticks, horizonUs, isFlat) => {
          const timesUs = new Float64Array(ticks.length);
          let timeUs = 1e15;
          ticks.forEach(([gap], i) => (timesUs[i] = timeUs += gap));
          const prices = Float64Array.from(ticks, ([, value]) => (isFlat ? 5 : value));
          const request: TickRequest = { series: { timesUs, prices }, futureUs: timeUs + horizonUs };
          try {
            const { mark, detail } = await forecaster.forecast(request, { detail: true });
            expect(mark === 1).to.equal(detail?.reasons.length === 0);
            if (detail?.logit)
              expect(detail.rules.reduce((sum, { contribution }) => sum + contribution, 0)).to.be.closeTo(detail.logit.rules, 1e-9);
          } catch (error) {
            if (!(error instanceof ServiceError)) throw error;
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
