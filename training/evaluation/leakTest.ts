import { CONTEXT_COLUMN_NAMES, CONTEXT_COLUMNS, SEQUENCE_COLUMN_NAMES } from '../../src/engine/features/columns.ts';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { SEQUENCE_COLUMNS } from '../../src/engine/features/WindowMeasures.ts';
import { SEQUENCE_SIZE, type RowSet } from '../data/RowSet.ts';
import { placeOfWindow, rowIndex, type RowPlan, thinPlan, walkPlan } from '../data/RowPlan.ts';
import type { TickSource } from '../data/TickSource.ts';

export type LeakResult = {
  /** Number of checked rows. */
  readonly checked: number;
  /** Names of columns that differ without the ticks after the origin; empty if no leak was found. */
  readonly leaking: readonly string[];
};

/** Default number of checked rows, spread over the plan. */
const SAMPLE = 200;

/**
 * Recomputes sampled rows from ticks that end at their origin, and compares every bit of sequence and context with the rows of training or
 * evaluation. A column that uses later ticks differs.
 */
export function leakTest(sources: readonly TickSource[], plan: RowPlan, rows: RowSet, sample = SAMPLE): LeakResult {
  const builder = new FeatureBuilder();
  const places = rowIndex(rows);
  const sampled = thinPlan(plan, Math.max(1, Math.floor(plan.count / sample)));
  const leaking = new Set<string>();
  let checked = 0;
  for (const { block, series } of walkPlan(sources, sampled)) {
    const { timesUs, prices } = series;
    for (const window of block.windows) {
      const [from, to] = [window.from, window.origin + 1];
      const row = places.get(placeOfWindow(series, block, window));
      if (row === undefined) continue;
      const past = { timesUs: timesUs.slice(from, to), prices: prices.slice(from, to) };
      checked++;
      compareRow(builder, past, rows, row, leaking);
    }
  }
  return { checked, leaking: [...leaking].sort() };
}

function compareRow(
  builder: FeatureBuilder,
  past: { timesUs: Float64Array; prices: Float64Array },
  rows: RowSet,
  row: number,
  leaking: Set<string>,
): void {
  const lastUs = past.timesUs[past.timesUs.length - 1] as number;
  const horizonUs = Math.round((rows.horizonS[row] as number) * 1000) * 1000;
  const measures = builder.read(past, 0, past.timesUs.length, Math.floor(lastUs / 1000) * 1000 + horizonUs);
  if (typeof measures === 'string') return void leaking.add(`the window itself (${measures})`);
  const sequence = new Float32Array(SEQUENCE_SIZE);
  const context = new Float32Array(CONTEXT_COLUMNS);
  for (let draw = 0; draw < rows.draws; draw++) {
    const at = row * rows.draws + draw;
    builder.write(rows.theta[at] as number, sequence, 0, context, 0);
    for (let c = 0; c < CONTEXT_COLUMNS; c++)
      if (!Object.is(context[c], rows.context[at * CONTEXT_COLUMNS + c])) leaking.add(CONTEXT_COLUMN_NAMES[c] ?? String(c));
  }
  for (let i = 0; i < SEQUENCE_SIZE; i++)
    if (!Object.is(sequence[i], rows.sequence[row * SEQUENCE_SIZE + i]))
      leaking.add(SEQUENCE_COLUMN_NAMES[i % SEQUENCE_COLUMNS] ?? String(i));
}
