import type { HeadManifest } from '../src/engine/model/ModelManifest.ts';
import { BUCKET_NAMES } from '../src/engine/features/horizonBuckets.ts';
import type { Candidate } from './Candidate.ts';
import { evaluateCandidate } from './evaluateCandidate.ts';
import { coveredRange, type RunPlan } from './planRun.ts';
import { MAX_HORIZON_TO_WINDOW } from './data/buildRow.ts';
import type { MadeRows } from './data/buildRows.ts';
import { fitHeads } from './evaluation/fitHeads.ts';
import { fitTicks } from './evaluation/fitTicks.ts';
import { gatherOutOfFold, previousProbabilities, selectOutOfFold, type OutOfFold, writeOutOfFold } from './evaluation/outOfFold.ts';
import { permutedPlacebo, permutedRows } from './evaluation/permutedPlacebo.ts';
import { headsBelowBaseline, scaleResiduals, withoutResiduals } from './evaluation/residuals.ts';
import { marksOutOfFold, scoresOutOfFold } from './evaluation/scoresOutOfFold.ts';
import { describeSeeds } from './evaluation/describeRun.ts';
import { FACTORS } from './context/addTreeUnits.ts';
import { CONTEXT_FIT } from './context/fitContextUnits.ts';
import { runJobs } from './loop/runJobs.ts';
import type { JobReport, TrainJob, TrainJobResult, TrainJobSetting } from './loop/TrainJob.ts';
import { allRows, planFolds, type Fold } from './splits/planFolds.ts';
import type { TrainOptions } from './TrainOptions.ts';

const PERMUTE_SEED = 7;
/** Difference between the seeds of two networks. */
const SEED_STRIDE = 101;

/**
 * Trains the whole network: per seed, one network for each left-out group, which predicts that group, and one on all rows. The best of the
 * latter by validation loss is served. The predictions of the former for their left-out groups are the evaluation; they also calibrate the
 * heads and set the thresholds. A head that does not beat the EWMA logistic there ships with a residual of zero.
 */
export async function trainBase(
  options: TrainOptions,
  plan: RunPlan,
  made: MadeRows,
  setting: TrainJobSetting,
  report: JobReport,
): Promise<Candidate> {
  const { rows } = made.test;
  const folds = planFolds(plan.sources, made.train.rows, rows);
  const results = await runJobs(baseJobs(options, made, folds), setting, options.workers, report);
  const permuted = results.pop() as TrainJobResult;
  const perSeed = Array.from({ length: options.seeds }, (_, at) => results.slice(at * (folds.length + 1), (at + 1) * (folds.length + 1)));
  const lossOf = (ofSeed: readonly TrainJobResult[]): number => (ofSeed.at(-1) as TrainJobResult).bestLoss;
  const chosen = perSeed.reduce((best, ofSeed) => (lossOf(ofSeed) < lossOf(best) ? ofSeed : best));
  const served = chosen.at(-1) as TrainJobResult;
  const gathered = perSeed.map((ofSeed) =>
    gatherOutOfFold(
      rows,
      ofSeed.slice(0, -1).map(({ predicted }) => predicted),
    ),
  );
  const outs = gathered.map((all) => selectOutOfFold(all, (at) => rows.barS[all.row[at] as number] === 0));
  const out = outs[perSeed.indexOf(chosen)] as OutOfFold;
  const all = gathered[perSeed.indexOf(chosen)] as OutOfFold;
  const onCloses = selectOutOfFold(all, (at) => (rows.barS[all.row[at] as number] as number) > 0);
  const zeroed = headsBelowBaseline(rows, scoresOutOfFold(rows, out));
  const alone = scoresOutOfFold(rows, out, { zeroed });
  const { previousBase } = options;
  const previous = previousProbabilities(rows, alone, plan.sources, previousBase);
  const { passing, notes, ...evaluated } = evaluateCandidate(options, plan, {
    rows,
    alone: { ...alone, served: previous.served },
    line: previousBase?.memory,
    marks: marksOutOfFold(rows, out, { zeroed }),
    against: previous.served === null ? null : (previousBase?.id ?? null),
    seen: new Uint8Array(rows.count),
    placebo: permutedPlacebo(permutedRows(made.train.rows, rows, options.seed + PERMUTE_SEED).testRows, permuted.predicted),
  });
  const ticks = fitTicks(rows, alone);
  const heads = fitHeads(rows, withoutResiduals(out, zeroed)).map((head, at): HeadManifest => ({
    ...head,
    directionPassed: passing.has(at),
    residual: zeroed.has(at) ? 'zero' : 'trained',
    ticks: ticks[at],
  }));
  return {
    weights: scaleResiduals(
      served.weights,
      BUCKET_NAMES.map((_, head) => (zeroed.has(head) ? 0 : 1)),
    ),
    spec: served.spec,
    heads,
    trained: coveredRange(options.scope.rangeS, made.train.rows, MAX_HORIZON_TO_WINDOW),
    ...made,
    ...evaluated,
    closes: onCloses.count === 0 ? null : scoresOutOfFold(rows, onCloses, { zeroed, fitted: out }),
    folds: folds.map(({ name }) => name),
    results: chosen,
    outOfFold: writeOutOfFold(
      rows,
      alone,
      plan.sources,
      folds.map(({ name }) => name),
    ),
    notes: [
      ...previous.notes,
      ...notes,
      ...[...zeroed].map((head) => `Head ${BUCKET_NAMES[head]} did not beat the EWMA logistic on left-out groups: its residual is zero.`),
      `The residual of a head is ${FACTORS.lstm} × that of the LSTM + ${FACTORS.units} × that of ${CONTEXT_FIT.units} units over the context, which imitate boosted trees.`,
      ...describeSeeds(
        rows,
        outs.map((of) => scoresOutOfFold(rows, of, { zeroed })),
      ),
    ],
  };
}

/** One network for each seed and left-out group, one for each seed on all rows, and the placebo. */
function baseJobs({ seed, seeds }: Pick<TrainOptions, 'seed' | 'seeds'>, { train, test }: MadeRows, folds: readonly Fold[]): TrainJob[] {
  const all = allRows(train.rows);
  const ofSeeds = Array.from({ length: seeds }, (_, s): TrainJob[] => [
    ...folds.map((fold, i): TrainJob => ({
      kind: 'network',
      name: `seed ${seed + s} without ${fold.name}`,
      train: fold.train,
      test: fold.test,
      seed: seed + s + SEED_STRIDE * (i + 1),
    })),
    { kind: 'network', name: `seed ${seed + s} all rows`, train: all, test: new Int32Array(0), seed: seed + s },
  ]).flat();
  const [first] = folds;
  const placebo: TrainJob = {
    kind: 'network',
    name: 'permuted outcomes',
    train: first?.train ?? all,
    test: first?.test ?? allRows(test.rows),
    seed,
    permuteSeed: seed + PERMUTE_SEED,
  };
  return [...ofSeeds, placebo];
}
