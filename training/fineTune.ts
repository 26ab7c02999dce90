import type { ModelFolder } from '../src/engine/model/modelFiles.ts';
import { BUCKET_NAMES } from '../src/engine/features/horizonBuckets.ts';
import type { Candidate } from './Candidate.ts';
import { evaluateCandidate } from './evaluateCandidate.ts';
import { MAX_HORIZON_TO_WINDOW } from './data/buildRow.ts';
import type { MadeRows } from './data/buildRows.ts';
import { calibratedProbabilities } from './evaluation/scoresOutOfFold.ts';
import { fitHeads } from './evaluation/fitHeads.ts';
import type { Placebo } from './evaluation/gate.ts';
import { markRows } from './evaluation/scoreTables.ts';
import { fitCalibration, gatherOutOfFold } from './evaluation/outOfFold.ts';
import { permutedPlacebo, permutedRows } from './evaluation/permutedPlacebo.ts';
import type { Scores } from './evaluation/Scores.ts';
import { seenRows } from './evaluation/seenRows.ts';
import { coveredRange, type RunPlan } from './planRun.ts';
import { baselineProbabilities } from './loop/predictRows.ts';
import { runJobs } from './loop/runJobs.ts';
import type { JobReport, TrainJob, TrainJobResult, TrainJobSetting } from './loop/TrainJob.ts';
import { allRows } from './splits/planFolds.ts';
import type { TrainOptions } from './TrainOptions.ts';

const PLACEBO_SEED = 7;

/**
 * Tunes the heads of the parent version on the earlier ticks and evaluates them on the later ones, against the parent and the EWMA
 * logistic, which is fitted on the same earlier ticks. Origins that the parent was trained on do not count.
 */
export async function fineTune(
  options: TrainOptions & { readonly parent: ModelFolder },
  plan: RunPlan,
  made: MadeRows,
  setting: TrainJobSetting,
  report: JobReport,
): Promise<Candidate> {
  const { parent, scope, seed } = options;
  const job: TrainJob = {
    kind: 'heads',
    name: 'heads',
    train: allRows(made.train.rows),
    test: allRows(made.test.rows),
    seed,
    parent: parent.weights,
    heads: scope.heads,
    placeboSeed: seed + PLACEBO_SEED,
  };
  const [result] = (await runJobs([job], setting, 1, report)) as [TrainJobResult];
  const heads = headsOf(parent, scope.heads, made, result);
  const { rows } = made.test;
  const alone = scoresOf(made, heads, parent, result);
  const { passing, notes, ...evaluated } = evaluateCandidate(options, plan, {
    ...{ rows, alone, line: parent.memory, against: parent.manifest.id },
    marks: (p) => markRows(heads, rows, alone.row, p),
    servedMarks: (p) => markRows(parent.manifest.heads, rows, alone.row, p),
    seen: seenRows(rows, plan.sources, parent.manifest.lineage.data),
    placebo: placeboOf(made, result, seed + PLACEBO_SEED),
  });
  return {
    weights: result.weights,
    spec: result.spec,
    heads: heads.map((head, at) => (scope.heads.includes(at) ? { ...head, directionPassed: passing.has(at) } : head)),
    trained: trainedRange(parent, options, made),
    ...made,
    ...evaluated,
    closes: null,
    folds: ['later ticks'],
    results: [result],
    notes: [
      ...notes,
      ...(result.bestStep === 0 ? ['Training did not improve the validation loss: the heads keep the residual of the parent.'] : []),
    ],
  };
}

function placeboOf({ train, test }: MadeRows, { placeboPredicted }: TrainJobResult, seed: number): Placebo {
  if (placeboPredicted === null) return { name: 'Trained on randomly permuted outcomes', holds: false, text: 'it was not run.' };
  return permutedPlacebo(permutedRows(train.rows, test.rows, seed).testRows, placeboPredicted);
}

/** The parent's heads, the tuned ones with calibration and thresholds fitted on the validation rows. */
function headsOf(parent: ModelFolder, tuned: readonly number[], { train }: MadeRows, result: TrainJobResult): Candidate['heads'] {
  const out = gatherOutOfFold(train.rows, [result.validated]);
  const fitted = fitHeads(train.rows, out, { calibrations: BUCKET_NAMES.map((_, head) => fitCalibration(out, head)) });
  return parent.manifest.heads.map((head, at) => {
    const own = fitted[at];
    if (!tuned.includes(at) || own === undefined) return head;
    return { ...own, name: BUCKET_NAMES[at] ?? head.name, ticks: head.ticks };
  });
}

function scoresOf({ test: { rows } }: MadeRows, heads: Candidate['heads'], parent: ModelFolder, result: TrainJobResult): Scores {
  const { predicted, parentPredicted, baselines } = result;
  const { index, draws } = predicted;
  const candidate = calibratedProbabilities(heads, rows, predicted);
  return {
    row: index,
    candidate,
    ewma: baselineProbabilities(rows, index, baselines),
    served: parentPredicted === null ? null : calibratedProbabilities(parent.manifest.heads, rows, parentPredicted),
    directionLogit: Float64Array.from(index, (_, i) => predicted.direction[i * draws] as number),
    baseRate: null,
    marked: markRows(heads, rows, index, candidate),
    servedMarked: null,
  };
}

/** The union of both training ranges. */
function trainedRange({ manifest }: ModelFolder, { scope }: TrainOptions, { train }: MadeRows): Candidate['trained'] {
  const own = coveredRange(scope.rangeS, train.rows, MAX_HORIZON_TO_WINDOW);
  const join = (a: readonly [number, number], b: readonly [number, number]): [number, number] => [
    Math.min(a[0], b[0]),
    Math.max(a[1], b[1]),
  ];
  const { trained } = manifest;
  return {
    horizonS: join(trained.horizonS, own.horizonS),
    horizonToWindow: join(trained.horizonToWindow, own.horizonToWindow),
    medianGapS: join(trained.medianGapS, own.medianGapS),
    logThetaRatio: join(trained.logThetaRatio, own.logThetaRatio),
  };
}
