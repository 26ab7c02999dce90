import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import { ROW_FATES, type RowCounts } from './buildRow.ts';
import { type RowPlan, walkPlan } from './RowPlan.ts';
import { allocateRows, SEQUENCE_SIZE, type RowSet } from './RowSet.ts';
import { RowThreads } from './RowThreads.ts';
import type { TickSource } from './TickSource.ts';

export type BuiltRows = { readonly rows: RowSet; readonly counts: RowCounts };
export type MadeRows = { readonly train: BuiltRows; readonly test: BuiltRows };

/**
 * Computes the rows of a plan, segment by segment, on `threads` threads. Windows without features or label are excluded and counted. The
 * rows are in the order of the plan for any number of threads.
 */
export async function buildRows(
  sources: readonly TickSource[],
  plan: RowPlan,
  threads: number,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<BuiltRows> {
  const rows = allocateRows(plan.count, plan.draws);
  const fates = new Uint8Array(new SharedArrayBuffer(plan.count));
  const workers = new RowThreads({ rows, fates }, threads);
  let done = 0;
  let first = 0;
  try {
    for (const { block, series } of walkPlan(sources, plan)) {
      await workers.build(series, block, first, (count) => onProgress((done += count), plan.count));
      first += block.origin.length;
    }
  } finally {
    await workers.close();
  }
  return compact(rows, fates);
}

/** Moves the used rows to the front in place; the arrays remain views of the same memory. */
function compact(rows: RowSet, fates: Uint8Array): BuiltRows {
  const counts: RowCounts = { used: 0, data_ends: 0, session_gap: 0, level_changed: 0, no_features: 0, window_too_short: 0 };
  for (let row = 0; row < fates.length; row++) {
    const fate = ROW_FATES[fates[row] as number] ?? 'no_features';
    if (fate === 'used' && counts.used !== row) moveRow(rows, row, counts.used);
    counts[fate]++;
  }
  return { rows: firstRows(rows, counts.used), counts };
}

/** Values per row of each array. */
function widths(draws: number): Readonly<Record<Exclude<keyof RowSet, 'count' | 'draws'>, number>> {
  return {
    sequence: SEQUENCE_SIZE,
    context: draws * CONTEXT_COLUMNS,
    baseline: draws,
    theta: draws,
    move: 1,
    thetaDefault: 1,
    hasPrice: 1,
    head: 1,
    horizonS: 1,
    windowS: 1,
    medianGapS: 1,
    instrument: 1,
    originUs: 1,
    barS: 1,
  };
}

function moveRow(rows: RowSet, from: number, to: number): void {
  for (const [name, width] of Object.entries(widths(rows.draws)))
    rows[name as 'sequence'].copyWithin(to * width, from * width, (from + 1) * width);
}

/** The arrays of a RowSet in a fixed order. */
export function rowArrays(rows: RowSet): (Float32Array | Float64Array | Uint8Array | Uint16Array)[] {
  return Object.keys(widths(rows.draws)).map((name) => rows[name as 'sequence']);
}

function firstRows(rows: RowSet, count: number): RowSet {
  const views = Object.entries(widths(rows.draws)).map(([name, width]) => [name, rows[name as 'sequence'].subarray(0, count * width)]);
  return { ...(Object.fromEntries(views) as Omit<RowSet, 'count' | 'draws'>), count, draws: rows.draws };
}
