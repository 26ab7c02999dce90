import { seededRandom } from '../../src/core/Random.ts';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { buildRow } from '../data/buildRow.ts';
import { BASE_SCOPE } from '../data/HorizonScope.ts';
import { planTestRows } from '../data/planRows.ts';
import { sourceOfSeries } from '../data/readSources.ts';
import { allocateRows, type RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { labelsOf } from '../evaluation/Scores.ts';
import { allRows } from '../splits/planFolds.ts';
import { chanceTest, type PlaceboInput, scoreRows } from './scoreRows.ts';

const TICKS = 60_000;
const HORIZON_S = 10;

/** A walk as a source, and its test windows. */
function planWalk(name: string, series: TickSeries, seed: number) {
  const source = sourceOfSeries(name, series, name);
  return { source, plan: planTestRows([source], { scope: { ...BASE_SCOPE, testedS: [HORIZON_S] }, seed }) };
}

/** With bid-ask bounce, a label that starts at the last tick gives plain reversal an AUC above this. */
const ARTEFACT_AUC = 0.6;

type Walk = { readonly rows: RowSet; readonly lastReturn: Float64Array; readonly naiveMove: Float64Array };

/**
 * Random walks of constant volatility. Without bounce, neither size nor direction is predictable: marks are false alarms, and their rate is
 * printed. With bounce, a label that starts at the last tick makes plain reversal look like skill; the label of tickmark does not.
 */
export function bouncePlacebos({ model, seed }: PlaceboInput): Placebo[] {
  const plain = walk(seed, 0);
  const bouncing = walk(seed, 2);
  const { p, up } = scoreRows(model, plain.rows);
  const marks = p.filter((value, row) => {
    const head = model.manifest.heads[plain.rows.head[row] as number];
    const threshold = head === undefined ? null : head.cut;
    return threshold !== null && value >= threshold;
  }).length;
  const labels = labelsOf(plain.rows, allRows(plain.rows));
  const rate = labels.reduce((sum, label) => sum + label, 0) / labels.length;
  const direction = directionAuc(plain, up, plain.rows.move);
  const naive = directionAuc(
    bouncing,
    bouncing.lastReturn.map((value) => -value),
    bouncing.naiveMove,
  );
  const ours = directionAuc(
    bouncing,
    bouncing.lastReturn.map((value) => -value),
    bouncing.rows.move,
  );
  return [
    {
      name: 'A random walk has no direction',
      holds: Math.abs(direction.auc - 0.5) <= direction.allowed,
      text: `direction AUC ${direction.auc.toFixed(3)} on ${direction.n} opportunities, chance is 0.500 ± ${direction.allowed.toFixed(3)}; ${marks} of ${p.length} origins are marked (false alarms; the base rate is ${(100 * rate).toFixed(1)} %).`,
    },
    {
      name: 'A walk with bounce fools a label that starts at the last tick',
      holds: naive.auc > ARTEFACT_AUC,
      text: `reversal has a direction AUC of ${naive.auc.toFixed(3)} by that label on ${naive.n} moves: the test detects the artefact.`,
    },
    {
      name: 'It does not fool the label of tickmark, which starts one second later',
      holds: Math.abs(ours.auc - 0.5) <= ours.allowed,
      text: `reversal has a direction AUC of ${ours.auc.toFixed(3)} on ${ours.n} opportunities; chance is 0.500 ± ${ours.allowed.toFixed(3)}.`,
    },
  ];
}

function directionAuc({ rows }: Walk, score: Float64Array, move: Float64Array): ReturnType<typeof chanceTest> {
  const moved = [...allRows(rows)].filter((row) => Math.abs(move[row] as number) > (rows.thetaDefault[row] as number));
  return chanceTest(
    Float64Array.from(moved, (row) => score[row] as number),
    Uint8Array.from(moved, (row) => ((move[row] as number) > 0 ? 1 : 0)),
  );
}

function walk(seed: number, spreadTicks: number): Walk {
  const options = { seed, count: TICKS, medianGapMs: 400, spreadTicks, signalStrength: 0, regimeSpread: 0, volatilityBps: 0.5 };
  const { source, plan } = planWalk('walk', syntheticTicks(options), seed);
  const [{ series }] = source.segments();
  const rows = allocateRows(plan.count, plan.draws);
  const [lastReturn, naiveMove]: [number[], number[]] = [[], []];
  const builder = new FeatureBuilder();
  for (const block of plan.blocks)
    for (const window of block.windows) {
      if (buildRow(rows, lastReturn.length, series, block, window, builder) !== 'used') continue;
      lastReturn.push(Math.log(series.prices[window.origin] / series.prices[window.origin - 1]));
      naiveMove.push(moveFromOrigin(series, window.origin, HORIZON_S));
    }
  return {
    rows: { ...rows, count: lastReturn.length },
    lastReturn: Float64Array.from(lastReturn),
    naiveMove: Float64Array.from(naiveMove),
  };
}

/** The naive label: the move from the last tick to the last price at or before the horizon. */
function moveFromOrigin({ timesUs, prices }: { timesUs: Float64Array; prices: Float64Array }, origin: number, horizonS: number): number {
  const endUs = (timesUs[origin] as number) + horizonS * 1e6;
  let exit = origin;
  while (exit + 1 < timesUs.length && (timesUs[exit + 1] as number) <= endUs) exit++;
  return Math.log((prices[exit] as number) / (prices[origin] as number));
}

export type ConstantWalk = { readonly name: string; readonly source: TickSource; readonly rows: RowSet };

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
  const { source, plan } = planWalk(name, ticks, seed);
  const draws = 2;
  const rows = allocateRows(plan.count, draws);
  const builder = new FeatureBuilder();
  let used = 0;
  for (const block of plan.blocks)
    for (const { from, origin, ...window } of block.windows) {
      const measures = builder.read(ticks, from, origin + 1, ticks.timesUs[origin] + HORIZON_S * 1e6);
      if (typeof measures === 'string') continue;
      const asked = { ...window, from, origin, logThetaRatios: [Math.log(THETA / measures.thetaDefault)] };
      if (buildRow(rows, used, ticks, block, asked, builder) !== 'used') continue;
      // Of both thresholds, the constant one is asked for.
      rows.context.copyWithin(used * draws * CONTEXT_COLUMNS, (used * draws + 1) * CONTEXT_COLUMNS, (used + 1) * draws * CONTEXT_COLUMNS);
      rows.baseline[used * draws] = rows.baseline[used * draws + 1];
      rows.theta[used * draws] = rows.thetaDefault[used] = rows.theta[used * draws + 1];
      used++;
    }
  return { name, source, rows: { ...rows, count: used } };
}
