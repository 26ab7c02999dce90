import type { Column } from './columns.ts';

/** The numbers of a column table as arrays, for the loop below. `perBound` is 1 / bound, 0 to clip; `undefinedAs` NaN means always defined. */
export type ColumnShape = {
  readonly length: number;
  readonly center: Float64Array;
  readonly scale: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly perBound: Float64Array;
  readonly undefinedAs: Float64Array;
};

export function columnShape(table: readonly Column[]): ColumnShape {
  return {
    length: table.length,
    center: Float64Array.from(table, (column) => column.center),
    scale: Float64Array.from(table, (column) => column.scale),
    low: Float64Array.from(table, (column) => column.low),
    high: Float64Array.from(table, (column) => column.high),
    perBound: Float64Array.from(table, (column) => (column.isSquashed ? 1 / column.high : 0)),
    undefinedAs: Float64Array.from(table, (column) => column.undefinedAs ?? NaN),
  };
}

/** Far beyond every bound; prevents infinity / infinity in the squash. */
const SQUASH_LIMIT = 1e6;

/** Converts the raw values of one column as `shapeValues` does, where none is NaN. */
export function shapeColumn(raw: Float64Array, rows: number, shape: ColumnShape, column: number, out: Float32Array): void {
  const [center, scale, perBound] = [shape.center[column], shape.scale[column], shape.perBound[column]];
  const [low, high] = perBound > 0 ? [-SQUASH_LIMIT, SQUASH_LIMIT] : [shape.low[column], shape.high[column]];
  for (let row = 0, at = column; row < rows; row++, at += shape.length) {
    const value = Math.min(high, Math.max(low, (raw[at] - center) * scale));
    out[at] = value / (1 + Math.abs(value) * perBound);
  }
}

/**
 * Converts raw values of `rows` rows to network input as `Column` describes; infinities become the bounds.
 * Returns false if a value is NaN and its column has no `undefinedAs`; `out` is then incomplete.
 */
export function shapeValues(raw: Float64Array, rows: number, shape: ColumnShape, out: Float32Array, outOffset: number): boolean {
  const { length, center, scale, low, high, perBound, undefinedAs } = shape;
  for (let row = 0, at = 0; row < rows; row++) {
    for (let i = 0; i < length; i++, at++) {
      let value = (raw[at] - center[i]) * scale[i];
      if (value !== value) {
        value = undefinedAs[i];
        if (value !== value) return false;
      } else if (perBound[i] > 0) {
        if (value > SQUASH_LIMIT) value = SQUASH_LIMIT;
        else if (value < -SQUASH_LIMIT) value = -SQUASH_LIMIT;
        value /= 1 + Math.abs(value) * perBound[i];
      } else if (value > high[i]) value = high[i];
      else if (value < low[i]) value = low[i];
      out[outOffset + at] = value;
    }
  }
  return true;
}
