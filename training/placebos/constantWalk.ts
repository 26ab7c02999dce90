import { seededRandom } from '../../src/core/Random.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import { buildRow } from '../data/buildRow.ts';
import { BASE_SCOPE } from '../data/HorizonScope.ts';
import { planTestRows } from '../data/planRows.ts';
import { sourceOfSeries } from '../data/readSources.ts';
import { allocateRows, type RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';

export type ConstantWalk = { readonly name: string; readonly source: TickSource; readonly rows: RowSet };

const TICKS = 60_000;
const HORIZON_S = 10;
const START_US = Date.UTC(2024, 0, 2) * 1000;
/** Times are regular: ticks that come faster would make the way from entry to exit longer. */
const GAP_US = 400_000;
const SIGMA = 1e-4;
/** About one move in five exceeds it. The default threshold follows the noise of its window, and would tell something of the outcome. */
const THETA = 4e-4;

/** @param bounce largest distance of a price from the walk, in log price */
function walkTicks(seed: number, bounce: number): TickSeries {
  const random = seededRandom(seed);
  let walk = Math.log(100);
  const price = (): number => {
    walk += SIGMA * Math.sqrt(GAP_US / 1e6) * random.normal();
    return Math.exp(walk + (random.uniform() < 0.5 ? -bounce : bounce));
  };
  return {
    timesUs: Float64Array.from({ length: TICKS }, (_, i) => START_US + i * GAP_US),
    prices: Float64Array.from({ length: TICKS }, price),
  };
}

/** A random walk of constant volatility whose windows have one threshold: no model can tell its windows apart. */
export function constantWalk(name: string, seed: number, bounce: number): ConstantWalk {
  const ticks = walkTicks(seed, bounce);
  const source = sourceOfSeries(name, ticks, name);
  const plan = planTestRows([source], { scope: { ...BASE_SCOPE, testedS: [HORIZON_S] }, seed });
  const draws = 2;
  const rows = allocateRows(plan.count, draws);
  const builder = new FeatureBuilder();
  let used = 0;
  for (const block of plan.blocks)
    for (let at = 0; at < block.origin.length; at++) {
      const measures = builder.read(ticks, block.from[at], block.origin[at] + 1, ticks.timesUs[block.origin[at]] + HORIZON_S * 1e6);
      if (typeof measures === 'string') continue;
      const logThetaRatios = new Float64Array(block.origin.length).fill(Math.log(THETA / measures.thetaDefault));
      if (buildRow(rows, used, ticks, { ...block, logThetaRatios }, at, builder) !== 'used') continue;
      // Of both thresholds, the constant one is asked for.
      rows.context.copyWithin(used * draws * CONTEXT_COLUMNS, (used * draws + 1) * CONTEXT_COLUMNS, (used + 1) * draws * CONTEXT_COLUMNS);
      rows.baseline[used * draws] = rows.baseline[used * draws + 1];
      rows.theta[used * draws] = rows.thetaDefault[used] = rows.theta[used * draws + 1];
      used++;
    }
  return { name, source, rows: { ...rows, count: used } };
}
