import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { BASE_SCOPE } from '../data/HorizonScope.ts';
import { buildRow } from '../data/buildRow.ts';
import { planTestRows } from '../data/planRows.ts';
import { allocateRows, type RowSet } from '../data/RowSet.ts';
import { sourceOfSeries } from '../data/readSources.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { labelsOf } from '../evaluation/Scores.ts';
import { allRows } from '../splits/planFolds.ts';
import { type PlaceboInput, chanceTest, scoreRows } from './scoreRows.ts';

const TICKS = 60_000;
const HORIZON_S = 10;
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
  const series = syntheticTicks({
    seed,
    count: TICKS,
    medianGapMs: 400,
    spreadTicks,
    signalStrength: 0,
    regimeSpread: 0,
    volatilityBps: 0.5,
  });
  const source = sourceOfSeries('walk', series, 'walk');
  const plan = planTestRows([source], { scope: { ...BASE_SCOPE, testedS: [HORIZON_S] }, seed });
  const [segment] = [...source.segments()];
  const rows = allocateRows(plan.count, plan.draws);
  const lastReturn: number[] = [];
  const naiveMove: number[] = [];
  const builder = new FeatureBuilder();
  let used = 0;
  for (const block of plan.blocks) {
    for (let at = 0; at < block.origin.length && segment !== undefined; at++) {
      if (buildRow(rows, used, segment.series, block, at, builder) !== 'used') continue;
      const origin = block.origin[at] as number;
      const { prices } = segment.series;
      lastReturn.push(Math.log((prices[origin] as number) / (prices[origin - 1] as number)));
      naiveMove.push(moveFromOrigin(segment.series, origin, HORIZON_S));
      used++;
    }
  }
  return { rows: firstRows(rows, used), lastReturn: Float64Array.from(lastReturn), naiveMove: Float64Array.from(naiveMove) };
}

/** The naive label: the move from the last tick to the last price at or before the horizon. */
function moveFromOrigin({ timesUs, prices }: { timesUs: Float64Array; prices: Float64Array }, origin: number, horizonS: number): number {
  const endUs = (timesUs[origin] as number) + horizonS * 1e6;
  let exit = origin;
  while (exit + 1 < timesUs.length && (timesUs[exit + 1] as number) <= endUs) exit++;
  return Math.log((prices[exit] as number) / (prices[origin] as number));
}

function firstRows(rows: RowSet, count: number): RowSet {
  return { ...rows, count };
}
