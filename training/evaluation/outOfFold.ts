import { bytesOfBase64 } from '../../src/core/base64.ts';
import { groupBy } from '../../src/core/groupBy.ts';
import type { MemoryLine } from '../../src/engine/memory/memoryLine.ts';
import { isOpportunity, type RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import type { PredictedRows } from '../loop/predictRows.ts';
import { fitPlatt } from '../metrics/logistic.ts';
import { horizonOf, pickColumns, type Scores } from './Scores.ts';

/** Predictions of rows that the predicting network never saw, one entry per (row, draw). */
export type OutOfFold = {
  readonly count: number;
  readonly row: Int32Array;
  readonly draw: Uint8Array;
  readonly fold: Uint8Array;
  readonly head: Uint8Array;
  /** Logit of the EWMA logistic, fitted on the training rows of the fold. */
  readonly baselineLogit: Float64Array;
  /** Logit of the network, baseline + residual, before calibration. */
  readonly logit: Float64Array;
  readonly directionLogit: Float64Array;
  readonly label: Uint8Array;
  /** ln(theta / theta*). */
  readonly logThetaRatio: Float64Array;
};

export function gatherOutOfFold(rows: RowSet, folds: readonly PredictedRows[]): OutOfFold {
  const count = folds.reduce((sum, fold) => sum + fold.index.length * fold.draws, 0);
  const out = {
    count,
    row: new Int32Array(count),
    draw: new Uint8Array(count),
    fold: new Uint8Array(count),
    head: new Uint8Array(count),
    baselineLogit: new Float64Array(count),
    logit: new Float64Array(count),
    directionLogit: new Float64Array(count),
    label: new Uint8Array(count),
    logThetaRatio: new Float64Array(count),
  };
  let at = 0;
  folds.forEach((fold, foldIndex) => {
    fold.index.forEach((row, i) => {
      for (let draw = 0; draw < fold.draws; draw++, at++) {
        const from = i * fold.draws + draw;
        out.row[at] = row;
        out.draw[at] = draw;
        out.fold[at] = foldIndex;
        out.head[at] = rows.head[row] as number;
        out.baselineLogit[at] = fold.baseline[from] as number;
        out.logit[at] = (fold.baseline[from] as number) + (fold.residual[from] as number);
        out.directionLogit[at] = fold.direction[from] as number;
        out.label[at] = isOpportunity(rows, row, draw);
        out.logThetaRatio[at] = Math.log((rows.theta[row * rows.draws + draw] as number) / (rows.thetaDefault[row] as number));
      }
    });
  });
  return out;
}

/** The entries that `use` accepts. */
export function selectOutOfFold({ count: _, ...columns }: OutOfFold, use: (at: number) => boolean): OutOfFold {
  const at = Int32Array.from(columns.row.keys()).filter(use);
  return { count: at.length, ...pickColumns(columns, at) };
}

export function foldCount({ fold }: OutOfFold): number {
  return fold.reduce((most, of) => Math.max(most, of), 0) + 1;
}

export type Calibration = { readonly slope: number; readonly intercept: number };

/** Slope and intercept of one head's logits. */
export function fitCalibration(out: OutOfFold, head: number): Calibration {
  const members = Array.from({ length: out.count }, (_, at) => at).filter((at) => out.head[at] === head);
  return fitPlatt(
    Float64Array.from(members, (at) => out.logit[at] as number),
    Uint8Array.from(members, (at) => out.label[at] as number),
  );
}

/**
 * One series at one horizon: origins as microseconds (Float64, little endian, base64), probabilities and default thresholds of the windows (Float32,
 * the same). The threshold tells windows of one origin apart, whose lengths depend on the files of a run; older files do not have it.
 */
type FoldCell = {
  readonly fileSha256: string;
  readonly horizonS: number;
  readonly originUs: string;
  readonly probability: string;
  readonly thetaDefault?: string;
};

type OutOfFoldFile = {
  readonly format: 'tickmark-out-of-fold/1';
  /** Names of the left-out groups. */
  readonly folds: readonly string[];
  readonly cells: readonly FoldCell[];
};

/**
 * Predictions of a base for rows that it never saw, by series, horizon and origin. They allow the comparison with a later base on the same
 * origins and folds, although the served weights of both are trained on all of them.
 */
export function writeOutOfFold(rows: RowSet, scores: Scores, sources: readonly TickSource[], folds: readonly string[]): string {
  const shaOf = (row: number): string => sources[rows.instrument[row]]?.file.sha256 ?? '';
  const cells = groupBy(scores.row.keys(), (at) => `${shaOf(scores.row[at])}/${horizonOf(rows, scores.row[at])}`);
  const file: OutOfFoldFile = {
    format: 'tickmark-out-of-fold/1',
    folds,
    cells: [...cells.values()].map((entries) => ({
      fileSha256: shaOf(scores.row[entries[0]]),
      horizonS: horizonOf(rows, scores.row[entries[0]]),
      originUs: base64Of(Float64Array.from(entries, (at) => rows.originUs[scores.row[at] as number] as number)),
      probability: base64Of(Float32Array.from(entries, (at) => scores.candidate[at] as number)),
      thetaDefault: base64Of(Float32Array.from(entries, (at) => rows.thetaDefault[scores.row[at] as number] as number)),
    })),
  };
  return JSON.stringify(file);
}

/**
 * Probabilities of another base for these rows, matched by series, horizon, origin and window; NaN if it has none for a row. Those of another window
 * of the origin are for another threshold, and say less about this one.
 */
export function readOutOfFold(text: string, rows: RowSet, index: Int32Array, sources: readonly TickSource[]): Float64Array {
  const known = new Map<string, { readonly probability: number; readonly theta: number }>();
  for (const { fileSha256, horizonS, originUs, probability, theta } of cellsOutOfFold(text))
    originUs.forEach((us, i) =>
      known.set(`${fileSha256}/${horizonS}/${us}`, { probability: probability[i] ?? NaN, theta: theta[i] ?? NaN }),
    );
  return Float64Array.from(index, (row) => {
    const sha = sources[rows.instrument[row] as number]?.file.sha256 ?? '';
    const found = known.get(`${sha}/${horizonOf(rows, row)}/${rows.originUs[row]}`);
    return found !== undefined && Math.abs(found.theta / rows.thetaDefault[row] - 1) < SAME_THETA ? found.probability : NaN;
  });
}

/** The cells of such a file that have thresholds. */
function cellsOutOfFold(text: string) {
  return (JSON.parse(text) as OutOfFoldFile).cells.flatMap(({ fileSha256, horizonS, originUs, probability, thetaDefault }) => {
    if (thetaDefault === undefined) return [];
    const [p, theta] = [probability, thetaDefault].map((text64) => new Float32Array(bytesOfBase64(text64).buffer)) as [
      Float32Array,
      Float32Array,
    ];
    return [{ fileSha256, horizonS, originUs: new Float64Array(bytesOfBase64(originUs).buffer), probability: p, theta }];
  });
}

/** Of two windows with the same ticks: 32-bit floats differ by less. */
const SAME_THETA = 1e-6;

const base64Of = (values: Float64Array | Float32Array): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64');

/** Id of a base, the content of its `out-of-fold.json`, undefined if it has none, and its line of the memory, which a new base begins with. */
export type PreviousBase = { readonly id: string; readonly outOfFold: string | undefined; readonly memory: MemoryLine | undefined };

/**
 * Probabilities of the base that a new one would replace, on the origins that both predicted out of fold, NaN on others: the served weights of both
 * are trained on these ticks, so they cannot be evaluated on them. Null if there is no previous base, or if it has no such predictions.
 */
export function previousProbabilities(
  rows: RowSet,
  scores: Scores,
  sources: readonly TickSource[],
  previous: PreviousBase | null,
): { readonly served: Float64Array | null; readonly notes: readonly string[] } {
  if (previous === null) return { served: null, notes: [] };
  const { id } = previous;
  if (previous.outOfFold === undefined)
    return { served: null, notes: [`${id} has no out-of-fold predictions: compared only with the baselines.`] };
  const served = readOutOfFold(previous.outOfFold, rows, scores.row, sources);
  const known = served.filter(Number.isFinite).length;
  if (known === 0) return { served: null, notes: [`${id} predicted none of these windows out of fold: compared only with the baselines.`] };
  return { served, notes: [`Compared with ${id} on ${known} of ${scores.row.length} origins whose windows both predicted out of fold.`] };
}
