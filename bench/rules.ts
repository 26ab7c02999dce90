import { FeatureBuilder } from '../src/engine/features/FeatureBuilder.ts';
import { bucketOf } from '../src/engine/features/horizonBuckets.ts';
import type { WindowMeasures } from '../src/engine/features/WindowMeasures.ts';
import { decideByRules, evaluateRules } from '../src/engine/rules/evaluateRules.ts';
import { defaultRuleSetPath, loadRuleSet } from '../src/engine/rules/loadRuleSet.ts';
import { swingLevels } from '../src/engine/rules/swingLevels.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { measure } from './measure.ts';

const HORIZON_S = 60;
const LENGTHS = [200, 500, 1000, 3000] as const;
const TARGETS: Readonly<Record<number, string>> = { 500: '<= 25 us', 3000: '<= 150 us' };

function measuresOf(ticks: number): WindowMeasures {
  const series = syntheticTicks({ seed: 1, count: ticks });
  const measures = new FeatureBuilder().read(series, 0, ticks, series.timesUs[ticks - 1] + HORIZON_S * 1e6);
  if (typeof measures === 'string') throw new Error(measures);
  return measures;
}

export const bench: Bench = {
  name: 'rules',
  about:
    'The shipped rule set on one window with computed features: every predicate, truth, text and contribution; and the search for levels separately.',
  async run(): Promise<BenchRow[]> {
    const ruleSet = await loadRuleSet(defaultRuleSetPath());
    const rows: BenchRow[] = [];
    for (const ticks of LENGTHS) {
      const measures = measuresOf(ticks);
      const facts = { measures, theta: measures.thetaDefault, bucket: bucketOf(HORIZON_S) };
      const [whole = NaN, decided = NaN, levels = NaN] = await measure([
        () => evaluateRules(ruleSet, facts),
        () => decideByRules(ruleSet, facts),
        () => swingLevels(measures),
      ]);
      const target = TARGETS[ticks];
      rows.push(
        { what: `${ruleSet.rules.length} rules on ${ticks} ticks`, value: whole, unit: 'us', target },
        { what: `decision only, ${ticks} ticks`, value: decided, unit: 'us' },
        { what: `levels of ${ticks} ticks`, value: levels, unit: 'us' },
        { what: `levels of ${ticks} ticks, per tick`, value: (1000 * levels) / ticks, unit: 'ns' },
      );
    }
    return rows;
  },
};
