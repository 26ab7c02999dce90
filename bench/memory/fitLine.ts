import { MEMORY_INPUTS, type MemoryInputName } from '../../src/engine/memory/memoryInputs.ts';
import type { MemoryLine } from '../../src/engine/memory/memoryLine.ts';
import { sigmoid } from '../../training/metrics/logistic.ts';
import { outcomeOf } from './figures.ts';
import type { InputRows } from './inputRows.ts';
import type { ScoredRows } from './ScoredRows.ts';

const SLOPE_BOUNDS = [0.5, 1.1] as const;
const BOUNDS: Readonly<Record<MemoryInputName, number>> = {
  ...{ hour: 1, day: 1, cal: 1, prof: 2.5, prof_day: 1, share_30: 0, share_100: 0.25, share_400: 0.25 },
};
const RIDGE = 20;
const STEPS = 30;
const SWEEPS = 10_000;
const SETTLED = 1e-5;

type Coordinate = { readonly column: Float64Array; readonly low: number; readonly high: number };

/**
 * The line of most likelihood, with bounded weights and a ridge on their distance from 0 (of the slope from 1), by Newton steps within the
 * bounds. `rowWeight`: weight of each member.
 */
export function fitLine(
  rows: ScoredRows,
  { inputs, weight }: InputRows,
  members: Int32Array,
  used: readonly MemoryInputName[],
  rowWeight: (row: number) => number = () => 1,
): MemoryLine {
  const column = (value: (row: number) => number): Float64Array => Float64Array.from(members, value);
  const coordinates: Coordinate[] = [
    { column: column((row) => weight[row]! * rows.base[row]!), low: SLOPE_BOUNDS[0] - 1, high: SLOPE_BOUNDS[1] - 1 },
    { column: column((row) => weight[row]!), low: -1, high: 1 },
    ...used.map((name) => ({ column: column((row) => inputs[MEMORY_INPUTS.indexOf(name)]![row]!), low: 0, high: BOUNDS[name] })),
  ];
  const label = column((row) => outcomeOf(rows, row));
  const importance = column(rowWeight);
  const beta = new Float64Array(coordinates.length);
  for (let step = 0, largest = Infinity; step < STEPS && largest > SETTLED; step++) {
    const logit = column((row) => rows.base[row]!);
    coordinates.forEach(({ column: x }, at) => x.forEach((value, i) => (logit[i]! += beta[at]! * value)));
    const p = logit.map(sigmoid);
    const slopes = coordinates.map(({ column: x }, at) => RIDGE * beta[at]! + sumOf(x, (i) => importance[i]! * (p[i]! - label[i]!)));
    const curvature = coordinates.map(({ column: x }, at) =>
      coordinates.map(({ column: z }, other) =>
        other < at ? 0 : (other === at ? RIDGE : 0) + sumOf(x, (i) => importance[i]! * z[i]! * p[i]! * (1 - p[i]!)),
      ),
    );
    largest = boxStep(coordinates, slopes, (a, b) => (a < b ? curvature[a]![b]! : curvature[b]![a]!), beta);
  }
  const digits = (value: number): number => Number(value.toFixed(4));
  return {
    slope: digits(1 + beta[0]!),
    intercept: digits(beta[1]!),
    weights: Object.fromEntries(used.map((name, at) => [name, digits(beta[at + 2]!)])),
  };
}

function sumOf(x: Float64Array, factor: (i: number) => number): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) if (x[i] !== 0) sum += x[i]! * factor(i);
  return sum;
}

/** The lowest point of the quadratic within the bounds, coordinate by coordinate. Changes `beta`; returns the largest change. */
function boxStep(
  coordinates: readonly Coordinate[],
  slopes: readonly number[],
  curvature: (a: number, b: number) => number,
  beta: Float64Array,
): number {
  const start = beta.slice();
  for (let sweep = 0, moved = Infinity; sweep < SWEEPS && moved > SETTLED / 10; sweep++) {
    moved = 0;
    coordinates.forEach(({ low, high }, at) => {
      const slope = slopes[at]! + start.reduce((sum, from, b) => sum + curvature(at, b) * (beta[b]! - from), 0);
      const next = Math.min(high, Math.max(low, beta[at]! - slope / curvature(at, at)));
      moved = Math.max(moved, Math.abs(next - beta[at]!));
      beta[at] = next;
    });
  }
  return start.reduce((most, from, at) => Math.max(most, Math.abs(beta[at]! - from)), 0);
}

/** Log-odds of a row with the memory's part. */
export function lineLogit({ slope, intercept, weights }: MemoryLine, rows: ScoredRows, { inputs, weight }: InputRows, row: number): number {
  const base = rows.base[row]!;
  let logit = base + weight[row]! * ((slope - 1) * base + intercept);
  MEMORY_INPUTS.forEach((name, column) => (logit += (weights[name] ?? 0) * inputs[column]![row]!));
  return logit;
}

/** Inputs of another row of the same horizon in place of a row's own; `from[row]`: that row, or below 0 for no inputs. */
export function movedInputs({ inputs, weight, outcomes }: InputRows, from: Int32Array): InputRows {
  const moved = (values: Float32Array): Float32Array => Float32Array.from(values, (_, row) => (from[row]! < 0 ? 0 : values[from[row]!]!));
  return { inputs: inputs.map(moved), weight, outcomes };
}
