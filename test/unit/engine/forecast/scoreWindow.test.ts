import { expect } from 'chai';
import { FeatureBuilder } from '../../../../src/engine/features/FeatureBuilder.ts';
import { scoreWindow } from '../../../../src/engine/forecast/scoreWindow.ts';
import type { ScoredWindow } from '../../../../src/engine/forecast/WindowScore.ts';
import { parseRuleSet } from '../../../../src/engine/rules/parseRuleSet.ts';
import type { TickRequest } from '../../../../src/ticks/parseTickRequest.ts';
import { fakeModel, ruleSetJson, tickRequest } from '../../../support/fakeForecaster.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

describe('scoreWindow', () => {
  const ruleSet = parseRuleSet(ruleSetJson(), 'test');
  const model = fakeModel('fake');
  const requests = [tickRequest({ seed: 1 }), tickRequest({ seed: 2 }), tickRequest({ seed: 1, horizonS: 60 }), tickRequest({ count: 20 })];
  const [first, , longer] = requests as [TickRequest, TickRequest, TickRequest];
  const overlapping = [first, { ...first }, ...requests, { ...first, futureUs: longer.futureUs }];

  /** Scores with the features of `features`; the network reads a row later, as a batch does. */
  function scorer(features: FeatureBuilder): (request: TickRequest, theta: number | null) => Promise<ScoredWindow> {
    const infer = async (_id: string, row: { context: Float32Array; baseline: number; head: number }) => {
      await Promise.resolve();
      return { head: row.head, baselineLogit: row.baseline, residualLogit: row.context[0], directionLogit: row.context[1] };
    };
    const deps = { host: { infer, close: () => Promise.resolve() }, ruleSet, clock: new FakeClock(), features };
    const wanted = { options: {}, wantsTrace: true };
    return (request, theta) => scoreWindow(deps, model, request, { ...wanted, theta });
  }
  const plain = ({ window, context, score }: ScoredWindow) => [
    typeof window === 'string' ? window : { ...window, timesS: null, logPrices: null },
    context,
    typeof score === 'string' ? score : [score.theta, score.logit, score.probabilityUp, score.reasons.map(({ text }) => text())],
  ];

  for (const theta of [null, 3e-4])
    it(`gives windows that overlap what each has alone, ${theta === null ? 'default threshold' : 'a threshold of the caller'}`, async () => {
      const together = scorer(new FeatureBuilder());
      const found = await Promise.all(overlapping.map((request) => together(request, theta)));
      const alone = await Promise.all(overlapping.map((request) => scorer(new FeatureBuilder())(request, theta)));
      expect(found.map(plain)).to.deep.equal(alone.map(plain));
      expect(alone.map(({ context }) => context !== null)).to.deep.equal([true, true, true, true, true, false, true]);
    });
});
