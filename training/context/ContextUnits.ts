import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import type { RowSet } from '../data/RowSet.ts';

/** A layer of relu units over the context columns with a linear output: the residual of a head without the sequence. */
export type ContextUnits = {
  readonly count: number;
  /** [C, count], on unscaled columns. */
  readonly kernel: Float64Array;
  readonly bias: Float64Array;
  /** [count] */
  readonly output: Float64Array;
  readonly outputBias: number;
};

/** Residuals of the rows of `index` at their first `draws` thresholds, [index, draws]. */
export function contextResiduals(rows: RowSet, index: Int32Array, draws: number, units: ContextUnits): Float32Array {
  const { count, kernel, bias, output, outputBias } = units;
  const residuals = new Float32Array(index.length * draws);
  const sums = new Float64Array(count);
  for (let entry = 0; entry < residuals.length; entry++) {
    const row = index[Math.floor(entry / draws)] as number;
    const from = (row * rows.draws + (entry % draws)) * CONTEXT_COLUMNS;
    sums.set(bias);
    for (let c = 0, at = 0; c < CONTEXT_COLUMNS; c++) {
      const x = rows.context[from + c] as number;
      for (let unit = 0; unit < count; unit++, at++) sums[unit] = (sums[unit] as number) + x * (kernel[at] as number);
    }
    let residual = outputBias;
    for (let unit = 0; unit < count; unit++) residual += Math.max(0, sums[unit] as number) * (output[unit] as number);
    residuals[entry] = residual;
  }
  return residuals;
}
