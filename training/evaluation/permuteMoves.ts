import type { Random } from '../../src/core/Random.ts';
import type { RowSet } from '../data/RowSet.ts';

/**
 * The same rows with permuted outcomes: each row gets the signed move, in units of theta*, of another row. Nothing is predictable any more,
 * so an evaluation that still finds a signal has a leak.
 */
export function permuteMoves(rows: RowSet, random: Random): RowSet {
  const order = Int32Array.from({ length: rows.count }, (_, row) => row);
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  const move = new Float64Array(new SharedArrayBuffer(8 * rows.count));
  for (let row = 0; row < rows.count; row++) {
    const from = order[row] as number;
    move[row] = ((rows.move[from] as number) / (rows.thetaDefault[from] as number)) * (rows.thetaDefault[row] as number);
  }
  return { ...rows, move };
}
