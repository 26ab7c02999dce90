import * as path from 'node:path';
import type { RowSet } from '../../training/data/RowSet.ts';
import type { TickSource } from '../../training/data/TickSource.ts';
import { readOutOfFold } from '../../training/evaluation/outOfFold.ts';
import { readCheckpoint, writeCheckpoint } from '../../training/loop/Checkpoint.ts';
import { fitBaselines, predictRows } from '../../training/loop/predictRows.ts';
import { trainNetwork } from '../../training/loop/trainNetwork.ts';
import { logOdds } from '../../training/metrics/logistic.ts';
import { networkSpec } from '../../training/networkSpec.ts';
import type { Fold } from '../../training/splits/planFolds.ts';
import { splitValidation } from '../../training/splits/splitValidation.ts';
import type { TrainOptions } from '../../training/TrainOptions.ts';
import type { LeftOut } from './figures.ts';
import { predictContext } from './contextTrial.ts';
import type { Trial } from './Trial.ts';

export type SearchData = {
  readonly options: TrainOptions;
  readonly sources: readonly TickSource[];
  readonly train: RowSet;
  readonly test: RowSet;
  readonly folds: readonly Fold[];
  /** Folder of the residuals of finished trials. */
  readonly cache: string;
};

const SEED_STRIDE = 101;
const PATIENCE = 4;

/** Trains one network for each left-out group, as `train --base` does, and predicts this group at the default threshold. */
export function trainTrial(trial: Trial, { options, sources, train, test, folds, cache }: SearchData): LeftOut {
  const { every = 1, heads, seed = options.seed } = trial;
  const spec = networkSpec(trial.units ?? options.units);
  const groupOf = (instrument: number): string => sources[instrument]?.group ?? '';
  const parts = folds.map((fold, at) => {
    const used = fold.train.filter((row) => row % every === 0 && ((trial.rowsOf ?? heads)?.includes(train.head[row] as number) ?? true));
    const { training, validation } = splitValidation(train, used, groupOf);
    const index = fold.test.filter((row) => test.barS[row] === 0);
    const baselines = fitBaselines(train, training, spec.heads);
    const ofFold = seed + SEED_STRIDE * (at + 1);
    if (trial.context !== undefined || trial.trees === true)
      return predictContext({ ...trial, seed: ofFold }, { train, test }, { train: training, test: index }, baselines);
    const { weights } = trainNetwork(
      train,
      training,
      {
        spec,
        baselines,
        validation,
        batchSize: trial.batchSize ?? options.batchSize,
        epochs: trial.epochs ?? options.epochs,
        learningRate: trial.learningRate ?? options.learningRate,
        schedule: options.schedule,
        patience: PATIENCE,
        validations: 2,
        seed: ofFold,
      },
      { nowMs: () => performance.now() },
    );
    return predictRows(spec, weights, test, index, 1);
  });
  const count = parts.reduce((sum, { index }) => sum + index.length, 0);
  const out = {
    row: new Int32Array(count),
    fold: new Uint8Array(count),
    baseline: new Float32Array(count),
    residual: new Float32Array(count),
  };
  let at = 0;
  parts.forEach(({ index, baseline, residual }, fold) => {
    out.row.set(index, at);
    out.fold.fill(fold, at, at + index.length);
    out.baseline.set(baseline, at);
    out.residual.set(residual, at);
    at += index.length;
  });
  return save(cache, trial.id, out);
}

type Saved = { readonly row: Int32Array; readonly fold: Uint8Array; readonly baseline: Float32Array; readonly residual: Float32Array };

function save(cache: string, id: string, { residual, fold, ...rest }: Saved): LeftOut {
  writeCheckpoint(fileOf(cache, id), { meta: { id }, arrays: { ...rest, residual, fold: Int32Array.from(fold) } });
  return { ...rest, fold, residuals: [residual] };
}

/** Adds the residuals of another trial in the heads that this one does not train. */
export function joinHeads(out: LeftOut, other: LeftOut, heads: readonly number[], { test }: SearchData): LeftOut {
  const place = new Map([...other.row].map((row, at) => [row, at]));
  const residuals = out.residuals.map((own, member) =>
    Float32Array.from(out.row, (row, at) => {
      if (heads.includes(test.head[row] as number)) return own[at] as number;
      return member === 0 ? (other.residuals[0]?.[place.get(row) ?? -1] ?? 0) : 0;
    }),
  );
  // The baseline of a head that was not trained here was fitted on the rows of other heads.
  const baseline = Float32Array.from(out.row, (row, at) =>
    heads.includes(test.head[row] as number) ? (out.baseline[at] as number) : (other.baseline[place.get(row) ?? -1] as number),
  );
  return { ...out, baseline, residuals };
}

const fileOf = (cache: string, id: string): string => path.join(cache, `${id}.residuals`);

/** The residuals of finished trials, one member each; the baseline is that of the first one. */
export function mixOf(ids: readonly string[], data: SearchData): LeftOut {
  const members = ids.map((id) => {
    const saved = readCheckpoint(fileOf(data.cache, id));
    if (saved === undefined) throw new RangeError(`Trial ${id} has not run.`);
    const { row, fold, baseline, residual } = saved.arrays as {
      row: Int32Array;
      fold: Int32Array;
      baseline: Float32Array;
      residual: Float32Array;
    };
    return { row, fold: Uint8Array.from(fold), baseline, residuals: [residual] };
  });
  const [first] = members;
  if (first === undefined) throw new RangeError('A mix needs a trial.');
  const place = new Map([...first.row].map((row, at) => [row, at]));
  const residuals = members.map(({ row, residuals: [residual] }) => {
    const moved = new Float32Array(first.row.length);
    row.forEach((of, at) => {
      const to = place.get(of);
      if (to !== undefined) moved[to] = residual?.[at] ?? 0;
    });
    return moved;
  });
  return { ...first, residuals };
}

/** The residuals of the shipped base, from its published probabilities: scaled with the factors of each fold. */
export function readShipped(id: string, { options, sources, train, test, folds, cache }: SearchData): LeftOut {
  const text = options.previousBase?.outOfFold;
  if (text === undefined) throw new RangeError('The shipped base has no predictions on left-out groups.');
  const [row, fold, baseline, residual]: [number[], number[], number[], number[]] = [[], [], [], []];
  const groupOf = (instrument: number): string => sources[instrument]?.group ?? '';
  folds.forEach((of, at) => {
    const { training } = splitValidation(train, of.train, groupOf);
    const fits = fitBaselines(train, training, networkSpec().heads);
    const index = of.test.filter((r) => test.barS[r] === 0);
    const p = readOutOfFold(text, test, index, sources);
    index.forEach((r, i) => {
      const fit = fits[test.head[r] as number];
      const logit = (fit?.intercept ?? 0) + (fit?.slope ?? 0) * (test.baseline[r * test.draws] as number);
      row.push(r);
      fold.push(at);
      baseline.push(logit);
      residual.push(Number.isFinite(p[i]) ? logOdds(p[i] as number) - logit : 0);
    });
  });
  return save(cache, id, {
    row: Int32Array.from(row),
    fold: Uint8Array.from(fold),
    baseline: Float32Array.from(baseline),
    residual: Float32Array.from(residual),
  });
}
