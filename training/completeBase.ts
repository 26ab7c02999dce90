import { ServiceError } from '../src/core/ServiceError.ts';
import { seededRandom } from '../src/core/Random.ts';
import type { HeadManifest } from '../src/model/ModelManifest.ts';
import type { ModelFolder } from '../src/model/modelFiles.ts';
import { BUCKET_NAMES } from '../src/features/horizonBuckets.ts';
import type { Candidate } from './Candidate.ts';
import { addContextUnits } from './context/addContextUnits.ts';
import { completedOutOfFold } from './context/completedOutOfFold.ts';
import { CONTEXT_FIT, fitContextUnits } from './context/fitContextUnits.ts';
import { contextPlacebo } from './context/contextPlacebo.ts';
import type { MadeRows } from './data/buildRows.ts';
import { describeScope } from './data/HorizonScope.ts';
import { compareWithPrevious } from './evaluation/compareWithPrevious.ts';
import { fitHeads } from './evaluation/fitHeads.ts';
import { fitTicks } from './evaluation/fitTicks.ts';
import { decideGate } from './evaluation/gate.ts';
import { leakTest } from './evaluation/leakTest.ts';
import { selectOutOfFold, writeOutOfFold } from './evaluation/outOfFold.ts';
import { fitResidualFactors, headsBelowBaseline, withFactors, zeroedFactors } from './evaluation/residualFactors.ts';
import { compareScores, entriesOf } from './evaluation/Scores.ts';
import { scoresOutOfFold } from './evaluation/scoresOutOfFold.ts';
import type { TrainJobSetting } from './loop/TrainJob.ts';
import { logOdds } from './metrics/logistic.ts';
import type { RunPlan } from './planRun.ts';
import { evidenceOfDraws, learnedRules, withRules } from './rules/learnedRules.ts';
import { ruleEvidence } from './rules/ruleEvidence.ts';
import { ruleWorth } from './rules/ruleWorth.ts';
import { allRows, planFolds } from './splits/planFolds.ts';
import { splitValidation } from './splits/splitValidation.ts';
import type { TrainOptions } from './TrainOptions.ts';

const PLACEBO_SEED = 7;

/**
 * Completes a base: its heads with a residual of zero get units over the context columns alone, if these beat the EWMA logistic on left-out
 * groups (docs/adr/0030). Trunk, other heads and their thresholds stay; the evaluation combines what the base predicted on left-out groups
 * with the predictions of the new units there.
 *
 * Throws ServiceError `command.invalid` if the base has no such head or no predictions on left-out groups.
 */
export function completeBase(
  options: TrainOptions & { readonly parent: ModelFolder },
  plan: RunPlan,
  made: MadeRows,
  setting: TrainJobSetting,
): Candidate {
  const { parent, seed, previousBase } = options;
  const { id, heads: given, network } = parent.manifest;
  const completed = BUCKET_NAMES.map((_, head) => head).filter((head) => given[head]?.residual === 'zero');
  if (completed.length === 0) throw new ServiceError('command.invalid', `${id} has no head with a residual of zero: nothing to complete.`);
  if (previousBase?.outOfFold === undefined)
    throw new ServiceError('command.invalid', `${id} has no out-of-fold.json: its other heads cannot be evaluated.`);
  const { rows } = made.test;
  const folds = planFolds(plan.sources, made.train.rows, rows);
  const groupOf = (instrument: number): string => setting.groups[instrument] ?? '';
  const all = completedOutOfFold({ made, folds, sources: plan.sources, groupOf, completed, outOfFold: previousBase.outOfFold, seed });
  const out = selectOutOfFold(all, (at) => rows.barS[all.row[at] as number] === 0);
  const onCloses = selectOutOfFold(all, (at) => (rows.barS[all.row[at] as number] as number) > 0);
  const random = (): ReturnType<typeof seededRandom> => seededRandom(seed);
  const kept = new Set(BUCKET_NAMES.map((_, head) => head).filter((head) => !completed.includes(head)));
  const below = headsBelowBaseline(rows, scoresOutOfFold(rows, out, { kept }));
  const zeroed = new Set(completed.filter((head) => below.has(head)));
  const scores = scoresOutOfFold(rows, out, { zeroed, kept });
  const shares = zeroedFactors(fitResidualFactors(out), zeroed);
  const { training } = splitValidation(made.train.rows, allRows(made.train.rows), groupOf);
  const units = fitContextUnits(
    made.train.rows,
    training.filter((row) => completed.includes(made.train.rows.head[row] as number)),
    given.map((_, head) => ({
      slope: parent.weights['baseline/kernel'][head] as number,
      intercept: parent.weights['baseline/bias'][head] as number,
    })),
    { ...CONTEXT_FIT, seed },
  );
  const isCompleted = (row: number): boolean => rows.barS[row] === 0 && completed.includes(rows.head[row] as number);
  const worth = ruleWorth(
    {
      rows,
      row: scores.row,
      logit: scores.candidate.map(logOdds),
      fold: out.fold.filter((_, at) => out.draw[at] === 0),
      evidence: ruleEvidence(options.ruleSet, { sources: plan.sources, plan: plan.test, rows }, seed, { use: isCompleted }),
    },
    null,
    random(),
  );
  const { previous, notes } = compareWithPrevious(rows, scores, plan.sources, previousBase, random());
  const against = previous === null ? null : id;
  const ewma = compareScores(rows, scores, 'ewma', entriesOf(scores), random());
  const verdict = decideGate({
    id: options.id,
    against,
    ewma,
    served: previous,
    leak: leakTest(plan.sources, plan.test, rows),
    placebos: [contextPlacebo(made, folds[0], groupOf, completed, seed + PLACEBO_SEED)],
    origins: scores.row.length,
    seen: 0,
    what: describeScope(options.scope),
  });
  const scaled = withFactors(out, (at) => (kept.has(out.head[at] as number) ? 1 : (shares[out.head[at] as number] ?? 1)));
  const fitted = fitHeads(
    rows,
    withRules(scaled, worth, evidenceOfDraws(options, { sources: plan.sources, plan: plan.test, rows }, worth, isCompleted)),
  );
  const ticks = fitTicks(rows, scores);
  const names = folds.map(({ name }) => name);
  return {
    ...addContextUnits(
      network,
      parent.weights,
      units,
      shares.map((share, head) => (kept.has(head) ? 0 : share)),
    ),
    heads: given.map((head, at): HeadManifest => ({
      ...(kept.has(at) ? head : { ...(fitted[at] as HeadManifest), residual: zeroed.has(at) ? 'zero' : 'trained' }),
      ...(ticks[at] === undefined ? {} : { ticks: ticks[at] }),
    })),
    trained: parent.manifest.trained,
    ...made,
    scores,
    seen: 0,
    closes: onCloses.count === 0 ? null : scoresOutOfFold(rows, onCloses, { zeroed, kept, fitted: out }),
    ewma,
    served: previous,
    seenToo: null,
    against,
    rules: worth,
    learnedRules: learnedRules(options.ruleSet, worth, completed, options.id),
    directions: [],
    verdict,
    folds: names,
    results: [],
    outOfFold: writeOutOfFold(rows, scores, plan.sources, names),
    notes: [
      ...notes,
      `Trunk and the heads ${[...kept].map((head) => BUCKET_NAMES[head]).join(', ')} are those of ${id}, with its direction test; ${completed.map((head) => BUCKET_NAMES[head]).join(' and ')} share ${CONTEXT_FIT.units} units over the context columns alone.`,
      ...[...zeroed].map((head) => `Head ${BUCKET_NAMES[head]} did not beat the EWMA logistic on left-out groups: its residual is zero.`),
      `Factors of the new residuals: ${completed.map((head) => `${BUCKET_NAMES[head]} ${(shares[head] ?? 0).toFixed(2)}`).join(', ')}; fitted on left-out groups and multiplied into the weights.`,
      `The command of ${id}: \`${commandOf(parent)}\``,
    ],
  };
}

/** The command on the card of a version. */
function commandOf({ card }: ModelFolder): string {
  return /## Command\s+```\n(.*?)\n```/s.exec(card)?.[1] ?? 'not on its card';
}
