import { CONTEXT_COLUMNS, baselineInput } from '../../src/engine/features/columns.ts';
import type { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { bucketOf } from '../../src/engine/features/horizonBuckets.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { labelOrigin } from '../../src/engine/features/labelOrigin.ts';
import { sessionGapS } from '../../src/engine/features/sessionGap.ts';
import type { PlanBlock, PlannedWindow } from './RowPlan.ts';
import { SEQUENCE_SIZE, type RowSet } from './RowSet.ts';

/** Largest H/W that the base is trained on. */
export const MAX_HORIZON_TO_WINDOW = 20;

/** Outcomes of a planned window; the index is the code in the status bytes. */
export const ROW_FATES = ['used', 'data_ends', 'session_gap', 'level_changed', 'no_features', 'window_too_short'] as const;
export type RowFate = (typeof ROW_FATES)[number];
export type RowCounts = Record<RowFate, number>;

/**
 * Computes row `row` from a window of a block: features at the origin, the label after it, the default threshold and those of the block;
 * no threshold is below the cost. Returns the outcome; only a row that is `used` is valid.
 */
export function buildRow(
  rows: RowSet,
  row: number,
  series: TickSeries,
  { source, barS }: Pick<PlanBlock, 'source' | 'barS'>,
  { from, origin, horizonS, logThetaRatios }: PlannedWindow,
  builder: FeatureBuilder,
): RowFate {
  const originMs = Math.floor((series.timesUs[origin] as number) / 1000);
  const futureUs = originMs * 1000 + horizonS * 1e6;
  const measures = builder.read(series, from, origin + 1, futureUs);
  if (typeof measures === 'string') return 'no_features';
  if (measures.horizonS / measures.windowS > MAX_HORIZON_TO_WINDOW) return 'window_too_short';
  const label = labelOrigin(series, origin, measures.horizonS, sessionGapS(measures.medianGapS));
  if (label.status === 'dropped') return label.why;
  for (let draw = 0; draw < rows.draws; draw++) {
    const ratio = draw === 0 ? 0 : logThetaRatios[draw - 1];
    const theta = draw === 0 ? measures.thetaDefault : Math.max(measures.cost, measures.thetaDefault * Math.exp(ratio));
    const place = row * rows.draws + draw;
    const refusal = builder.write(theta, rows.sequence, row * SEQUENCE_SIZE, rows.context, place * CONTEXT_COLUMNS);
    if (refusal !== null) throw new Error(`training row at ${originMs} ms: ${refusal}`);
    rows.theta[place] = theta;
    rows.baseline[place] = baselineInput(measures, theta);
  }
  rows.move[row] = label.move;
  rows.thetaDefault[row] = measures.thetaDefault;
  rows.hasPrice[row] = label.entry !== null ? 1 : 0;
  rows.head[row] = bucketOf(measures.horizonS);
  rows.horizonS[row] = measures.horizonS;
  rows.windowS[row] = measures.windowS;
  rows.medianGapS[row] = measures.medianGapS;
  rows.instrument[row] = source;
  rows.originUs[row] = originMs * 1000;
  rows.barS[row] = barS;
  return 'used';
}

export type RowWorkerData = { readonly rows: RowSet; readonly fates: Uint8Array };

/** Windows of a block, the first of which is row `first`. The arrays of the series are in shared memory. */
export type RowTask = {
  readonly series: TickSeries;
  readonly block: PlanBlock;
  readonly first: number;
};

/** Computes the rows of a task and notes the outcome of each window. */
export function buildTask({ rows, fates }: RowWorkerData, { series, block, first }: RowTask, builder: FeatureBuilder): void {
  for (const [at, window] of block.windows.entries())
    fates[first + at] = ROW_FATES.indexOf(buildRow(rows, first + at, series, block, window, builder));
}
