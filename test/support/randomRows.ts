import { seededRandom } from '../../src/core/Random.ts';
import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import { allocateRows, type RowSet } from '../../training/data/RowSet.ts';

export type RandomRowsOptions = {
  readonly count: number;
  readonly draws?: number;
  readonly seed?: number;
  /** Context column whose sign determines the opportunities; without it they are random. */
  readonly tellingColumn?: number;
};

/** Rows of random inputs at threshold 1, a third of them opportunities; buckets, instruments and seconds cycle. */
export function randomRows({ count, draws = 1, seed = 1, tellingColumn }: RandomRowsOptions): RowSet {
  const random = seededRandom(seed);
  const rows = allocateRows(count, draws);
  for (const values of [rows.sequence, rows.context, rows.baseline]) values.forEach((_, i) => (values[i] = random.normal()));
  rows.theta.fill(1);
  rows.thetaDefault.fill(1);
  rows.horizonS.fill(10);
  for (let row = 0; row < count; row++) {
    const opportunity = random.uniform() < 1 / 3;
    rows.move[row] = (opportunity ? 2 : 0.5) * (random.uniform() < 0.5 ? -1 : 1);
    rows.head[row] = row % 4;
    rows.instrument[row] = row % 3;
    rows.originUs[row] = row * 1e6;
    for (let draw = 0; draw < draws && tellingColumn !== undefined; draw++)
      rows.context[(row * draws + draw) * CONTEXT_COLUMNS + tellingColumn] = opportunity ? 1 : -1;
  }
  return rows;
}
