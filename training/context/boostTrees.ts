import { seededRandom, type Random } from '../../src/core/Random.ts';
import { sigmoid } from '../metrics/logistic.ts';

type Node = {
  /** Column of a split; −1 for a leaf. */
  column: number;
  /** A value of at most this goes left; `bin` is the bin that ends there. */
  threshold: number;
  bin: number;
  /** Numbers of nodes. */
  left: number;
  right: number;
  /** Value of a leaf. */
  value: number;
};

/** Binary trees whose leaf values are added. `roots`: number of the first node of each tree. */
export type BoostedTrees = { readonly roots: readonly number[]; readonly nodes: readonly Readonly<Node>[] };

/** The sum of the leaf values for one row of columns. */
export function sumOfLeaves({ roots, nodes }: BoostedTrees, x: Float32Array): number {
  let sum = 0;
  for (const root of roots) {
    let node = nodes[root];
    while (node.column >= 0) node = nodes[x[node.column] <= node.threshold ? node.left : node.right];
    sum += node.value;
  }
  return sum;
}

export type BoostOptions = {
  readonly rounds: number;
  readonly leaves: number;
  readonly learningRate: number;
  /** Fewest sampled rows of a leaf. */
  readonly leastRows: number;
  /** Fractions of the columns and rows that each tree sees. */
  readonly columnFraction: number;
  readonly rowFraction: number;
  readonly l2: number;
  readonly seed: number;
};

/** Chosen before the third search of docs/benchmarks/search.md, by a probe with LightGBM. */
export const BOOST: Omit<BoostOptions, 'seed'> = {
  rounds: 400,
  leaves: 8,
  learningRate: 0.03,
  leastRows: 400,
  columnFraction: 0.5,
  rowFraction: 0.6,
  l2: 20,
};

const MAX_BINS = 255;
/** Most values of a column that its bins are placed by. */
const BIN_SAMPLE = 20_000;
/** Gradient, curvature and count of a bin. */
const BIN_SIZE = 3;

type Split = { readonly gain: number; readonly at: number; readonly bin: number };
type Leaf = { readonly rows: Int32Array; readonly sums: Float64Array; readonly split: Split | null; readonly node: number };

/**
 * Gradient boosting on the cross entropy of labels: histograms of at most 255 bins, trees that grow at the leaf with the largest gain, as in
 * LightGBM. The same arguments give the same trees.
 *
 * @param columns one array for each column; all values are finite
 * @param start logit of each row before the first tree
 */
export function boostTrees(columns: readonly Float32Array[], label: Uint8Array, start: Float64Array, options: BoostOptions): BoostedTrees {
  const { rounds, leaves, learningRate, leastRows, columnFraction, rowFraction, l2, seed } = options;
  const random = seededRandom(seed);
  const count = label.length;
  const edges = columns.map(binEdges);
  const bins = columns.map((values, c) => binsOf(values, edges[c]));
  const sample = new Int32Array(count);
  const logit = start.slice();
  const [gradient, curvature] = [new Float64Array(count), new Float64Array(count)];
  const used = Math.max(1, Math.round(columnFraction * columns.length));
  const nodes: Node[] = [];
  const roots: number[] = [];

  const histogram = (rows: Int32Array, chosen: readonly number[]): Float64Array => {
    const sums = new Float64Array(chosen.length * MAX_BINS * BIN_SIZE);
    const [g, h] = [rows, rows].map(() => new Float64Array(rows.length)) as [Float64Array, Float64Array];
    for (let i = 0; i < rows.length; i++) {
      g[i] = gradient[rows[i]];
      h[i] = curvature[rows[i]];
    }
    for (let at = 0; at < chosen.length; at++) addToBins(sums, at * MAX_BINS * BIN_SIZE, bins[chosen[at]], rows, g, h);
    return sums;
  };

  const bestSplit = (rows: Int32Array, sums: Float64Array, chosen: readonly number[]): Split | null => {
    // Every row is in a bin of each column.
    let [g, h] = [0, 0];
    for (let at = 0; at < MAX_BINS * BIN_SIZE; at += BIN_SIZE) {
      g += sums[at];
      h += sums[at + 1];
    }
    const without = (g * g) / (h + l2);
    let best: Split | null = null;
    chosen.forEach((column, at) => {
      let [leftG, leftH, leftCount] = [0, 0, 0];
      for (let bin = 0; bin < edges[column].length; bin++) {
        const from = (at * MAX_BINS + bin) * BIN_SIZE;
        leftG += sums[from];
        leftH += sums[from + 1];
        leftCount += sums[from + 2];
        if (leftCount < leastRows) continue;
        if (rows.length - leftCount < leastRows) break;
        const gain = leftG ** 2 / (leftH + l2) + (g - leftG) ** 2 / (h - leftH + l2) - without;
        if (gain > (best?.gain ?? 1e-9)) best = { gain, at, bin };
      }
    });
    return best;
  };

  const addNode = (): number => nodes.push({ column: -1, threshold: 0, bin: 0, left: 0, right: 0, value: 0 }) - 1;

  const growTree = (sampled: Int32Array, chosen: readonly number[]): void => {
    const leafOf = (rows: Int32Array, sums: Float64Array): Leaf => ({ rows, sums, split: bestSplit(rows, sums, chosen), node: addNode() });
    const open: Leaf[] = [leafOf(sampled, histogram(sampled, chosen))];
    roots.push(open[0].node);
    while (open.length < leaves) {
      const leaf = open.reduce((best, other) => ((other.split?.gain ?? 0) > (best.split?.gain ?? 0) ? other : best));
      if (leaf.split === null) break;
      const { at, bin } = leaf.split;
      const column = chosen[at];
      const own = bins[column];
      const [left, right] = divide(leaf.rows, own, bin);
      // The larger side is the rest of the histogram.
      const small = histogram(left.length < right.length ? left : right, chosen);
      const large = leaf.sums;
      for (let i = 0; i < large.length; i++) large[i] = large[i] - small[i];
      const children = [
        leafOf(left, left.length < right.length ? small : large),
        leafOf(right, left.length < right.length ? large : small),
      ];
      Object.assign(nodes[leaf.node], { column, bin, threshold: edges[column][bin], left: children[0].node, right: children[1].node });
      open.splice(open.indexOf(leaf), 1, ...children);
    }
    for (const { rows, node } of open) {
      let [g, h] = [0, 0];
      for (let i = 0; i < rows.length; i++) {
        g += gradient[rows[i]];
        h += curvature[rows[i]];
      }
      nodes[node].value = (-learningRate * g) / (h + l2);
    }
  };

  for (let round = 0; round < rounds; round++) {
    for (let row = 0; row < count; row++) {
      const p = sigmoid(logit[row]);
      gradient[row] = p - label[row];
      curvature[row] = p * (1 - p);
    }
    let kept = 0;
    for (let row = 0; row < count; row++) if (random.uniform() < rowFraction) sample[kept++] = row;
    growTree(sample.slice(0, kept), chooseColumns(columns.length, used, random));
    for (let row = 0; row < count; row++) {
      let node = nodes[roots.at(-1)!];
      while (node.column >= 0) node = nodes[bins[node.column][row] <= node.bin ? node.left : node.right];
      logit[row] += node.value;
    }
  }
  return { roots, nodes };
}

/** The rows up to a bin of a column, and the others, each in their order. */
function divide(rows: Int32Array, bins: Uint8Array, bin: number): [Int32Array, Int32Array] {
  const [left, right] = [new Int32Array(rows.length), new Int32Array(rows.length)];
  let [l, r] = [0, 0];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    if (bins[row] <= bin) left[l++] = row;
    else right[r++] = row;
  }
  return [left.slice(0, l), right.slice(0, r)];
}

function addToBins(sums: Float64Array, from: number, bins: Uint8Array, rows: Int32Array, g: Float64Array, h: Float64Array): void {
  for (let i = 0; i < rows.length; i++) {
    const at = from + bins[rows[i]] * BIN_SIZE;
    sums[at] = sums[at] + g[i];
    sums[at + 1] = sums[at + 1] + h[i];
    sums[at + 2] = sums[at + 2] + 1;
  }
}

/** Values that split a column into bins of about equal size; none for a constant column. */
function binEdges(values: Float32Array): Float32Array {
  const step = Math.max(1, Math.floor(values.length / BIN_SAMPLE));
  const sorted = values.filter((_, i) => i % step === 0).sort();
  const edges: number[] = [];
  for (let bin = 1; bin < MAX_BINS; bin++) {
    const edge = sorted[Math.floor((bin * sorted.length) / MAX_BINS)];
    if (edge !== edges.at(-1) && edge < sorted.at(-1)!) edges.push(edge);
  }
  return Float32Array.from(edges);
}

/** The number of edges below each value. */
function binsOf(values: Float32Array, edges: Float32Array): Uint8Array {
  const bins = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    let low = 0;
    let high = edges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (edges[middle] < value) low = middle + 1;
      else high = middle;
    }
    bins[i] = low;
  }
  return bins;
}

function chooseColumns(count: number, used: number, random: Random): number[] {
  const all = Array.from({ length: count }, (_, column) => column);
  for (let i = 0; i < used; i++) {
    const j = i + random.integer(count - i);
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all.slice(0, used);
}
