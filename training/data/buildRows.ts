import { CONTEXT_COLUMNS, baselineInput, sessionGapS } from '../../src/features/columns.ts';
import { FeatureBuilder } from '../../src/features/FeatureBuilder.ts';
import { bucketOf } from '../../src/model/NetworkSpec.ts';
import { labelOrigin } from '../labels/labelOrigin.ts';
import type { PlannedRow } from './planRows.ts';
import { allocateRows, SEQUENCE_SIZE, type RowSet } from './RowSet.ts';

/** H/W above this is outside what the base is trained on. */
export const MAX_HORIZON_TO_WINDOW = 20;

/** What became of the planned windows: each is counted once. */
export type RowCounts = Record<'used' | 'data_ends' | 'session_gap' | 'no_features' | 'window_too_short', number>;

export type BuiltRows = { readonly rows: RowSet; readonly counts: RowCounts };
export type MadeRows = { readonly train: BuiltRows; readonly test: BuiltRows };

/**
 * Makes rows of planned windows: features at the origin, label after it, `logThetaRatios(row)` further draws of ln(theta / theta*)
 * beside the default one; a threshold never lies below the cost. Windows without features or label are left out and counted.
 */
export function buildRows(
  planned: readonly PlannedRow[],
  extraDraws: number,
  logThetaRatio: (draw: number) => number,
  onProgress: (done: number, total: number) => void = () => {},
): BuiltRows {
  const rows = allocateRows(planned.length, 1 + extraDraws);
  const counts: RowCounts = { used: 0, data_ends: 0, session_gap: 0, no_features: 0, window_too_short: 0 };
  const builder = new FeatureBuilder();
  for (const [done, plan] of planned.entries()) {
    if (done % 1000 === 0) onProgress(done, planned.length);
    counts[addRow(rows, counts.used, plan, builder, logThetaRatio)]++;
  }
  onProgress(planned.length, planned.length);
  return { rows: shrink(rows, counts.used), counts };
}

function addRow(
  rows: RowSet,
  row: number,
  plan: PlannedRow,
  builder: FeatureBuilder,
  logThetaRatio: (draw: number) => number,
): keyof RowCounts {
  const { series, from, origin, horizonS } = plan;
  const originMs = Math.floor((series.timesUs[origin] as number) / 1000);
  const measures = builder.read(series, from, origin + 1, originMs * 1000 + horizonS * 1e6);
  if (typeof measures === 'string') return 'no_features';
  if (measures.horizonS / measures.windowS > MAX_HORIZON_TO_WINDOW) return 'window_too_short';
  const label = labelOrigin(series, origin, measures.horizonS, sessionGapS(measures.medianGapS));
  if (label.status === 'dropped') return label.why;
  for (let draw = 0; draw < rows.draws; draw++) {
    const ratio = draw === 0 ? 0 : logThetaRatio(draw);
    const theta = draw === 0 ? measures.thetaDefault : Math.max(measures.cost, measures.thetaDefault * Math.exp(ratio));
    const at = row * rows.draws + draw;
    const refusal = builder.write(theta, rows.sequence, row * SEQUENCE_SIZE, rows.context, at * CONTEXT_COLUMNS);
    if (refusal !== null) throw new Error(`training row at ${originMs} ms: ${refusal}`);
    rows.theta[at] = theta;
    rows.baseline[at] = baselineInput(measures, theta);
  }
  rows.move[row] = label.move;
  rows.thetaDefault[row] = measures.thetaDefault;
  rows.hasPrice[row] = label.hasPrice ? 1 : 0;
  rows.head[row] = bucketOf(measures.horizonS);
  rows.horizonS[row] = measures.horizonS;
  rows.windowS[row] = measures.windowS;
  rows.medianGapS[row] = measures.medianGapS;
  rows.instrument[row] = plan.instrument;
  rows.originUs[row] = originMs * 1000;
  rows.thinned[row] = plan.thinned ? 1 : 0;
  return 'used';
}

/** The first `count` rows; the arrays stay views of the same memory. */
function shrink(rows: RowSet, count: number): RowSet {
  const { draws } = rows;
  return {
    count,
    draws,
    sequence: rows.sequence.subarray(0, count * SEQUENCE_SIZE),
    context: rows.context.subarray(0, count * draws * CONTEXT_COLUMNS),
    baseline: rows.baseline.subarray(0, count * draws),
    theta: rows.theta.subarray(0, count * draws),
    move: rows.move.subarray(0, count),
    thetaDefault: rows.thetaDefault.subarray(0, count),
    hasPrice: rows.hasPrice.subarray(0, count),
    head: rows.head.subarray(0, count),
    horizonS: rows.horizonS.subarray(0, count),
    windowS: rows.windowS.subarray(0, count),
    medianGapS: rows.medianGapS.subarray(0, count),
    instrument: rows.instrument.subarray(0, count),
    originUs: rows.originUs.subarray(0, count),
    thinned: rows.thinned.subarray(0, count),
  };
}
