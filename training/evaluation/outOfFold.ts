import { isOpportunity, type RowSet } from '../data/RowSet.ts';
import type { PredictedRows } from '../loop/predictRows.ts';
import { fitPlatt } from '../metrics/fitPlatt.ts';

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
export function selectOutOfFold(out: OutOfFold, use: (at: number) => boolean): OutOfFold {
  const at = Int32Array.from(out.row.keys()).filter(use);
  const bytes = (values: Uint8Array): Uint8Array => Uint8Array.from(at, (i) => values[i] as number);
  const doubles = (values: Float64Array): Float64Array => Float64Array.from(at, (i) => values[i] as number);
  return {
    count: at.length,
    row: at.map((i) => out.row[i] as number),
    draw: bytes(out.draw),
    fold: bytes(out.fold),
    head: bytes(out.head),
    label: bytes(out.label),
    baselineLogit: doubles(out.baselineLogit),
    logit: doubles(out.logit),
    directionLogit: doubles(out.directionLogit),
    logThetaRatio: doubles(out.logThetaRatio),
  };
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
