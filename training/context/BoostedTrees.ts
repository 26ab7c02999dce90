/** Binary trees whose leaf values are added; a value of at most `threshold` goes left. All arrays have one entry for each node of all trees. */
export type BoostedTrees = {
  /** First node of each tree. */
  readonly roots: Int32Array;
  /** Column of a split; −1 for a leaf. */
  readonly column: Int32Array;
  readonly threshold: Float32Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** Value of a leaf. */
  readonly value: Float64Array;
};

/** The sum of the leaf values for one row of columns. */
export function sumOfLeaves({ roots, column, threshold, left, right, value }: BoostedTrees, x: Float32Array): number {
  let sum = 0;
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree];
    for (let of = column[node]; of >= 0; of = column[node]) node = x[of] <= threshold[node] ? left[node] : right[node];
    sum += value[node];
  }
  return sum;
}
