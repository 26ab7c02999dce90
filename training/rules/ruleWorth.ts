import type { Random } from '../../src/core/Random.ts';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import type { RowSet } from '../data/RowSet.ts';
import { instrumentClusters, compareScores, entriesOf, labelsOf, type Scores } from '../evaluation/Scores.ts';
import { sigmoid } from '../metrics/logistic.ts';
import type { PairedComparison } from '../metrics/comparePaired.ts';
import { learnWeights, type WeightProblem } from './learnWeights.ts';
import { EVIDENCE_KINDS, type EvidenceKind, type RuleEvidence } from './ruleEvidence.ts';
import { weightIntervals, type WeightInterval } from './weightIntervals.ts';

/** Rows with out-of-fold outputs of the network, the fold of each row, and the evidence of the rules. */
export type RuleRows = {
  readonly rows: RowSet;
  readonly row: Int32Array;
  readonly logit: Float64Array;
  readonly fold: Uint8Array;
  readonly evidence: RuleEvidence;
};

type RuleWeight = { readonly id: string; readonly weight: number; readonly interval: WeightInterval };
export type HeadWorth = {
  readonly head: number;
  readonly origins: number;
  /** The network with rules compared with the network without rules, with weights from the other folds: on the real windows and on both placebos. */
  readonly comparisons: Readonly<Record<EvidenceKind, PairedComparison>>;
  /** Learned on all folds; 0 if the interval contains 0. */
  readonly weights: readonly RuleWeight[];
  /** Whether the rules improve the network here: only then their weights are used. */
  readonly better: boolean;
};

const HOUR_US = 3_600_000_000;
const MIN_ROWS = 500;

/**
 * Measures the effect of the evidence rules of a set on top of a network, head by head. Weights are learned on the rows `learn` or, without
 * them, on the other folds of the evaluated rows; a rule whose interval contains 0 gets the weight 0. Rules improve a head if the lower 90
 * % bound of the Brier skill is above 0 and the skill is above that of both placebos.
 */
export function ruleWorth(evaluated: RuleRows, learn: RuleRows | null, random: Random): HeadWorth[] {
  return BUCKET_NAMES.flatMap((_, head): HeadWorth[] => {
    const own = membersOf(evaluated, head);
    const learned = learn === null ? own : membersOf(learn, head);
    if (Math.min(own.length, learned.length) < MIN_ROWS || evaluated.evidence.rules.length === 0) return [];
    const comparisons = Object.fromEntries(
      EVIDENCE_KINDS.map((kind) => {
        const problem = problemOf(evaluated, own, kind);
        const withRules =
          learn === null
            ? acrossFolds(
                problem,
                clustersOf(evaluated, own),
                Uint8Array.from(own, (at) => evaluated.fold[at] as number),
                random,
              )
            : added(problem, sureWeights(problemOf(learn, learned, kind), clustersOf(learn, learned), () => true, random).weights);
        return [kind, compared(evaluated, own, problem.logit, withRules, random)];
      }),
    ) as Record<EvidenceKind, PairedComparison>;
    const { brierSkill } = comparisons.real.intervals;
    const placebo = Math.max(0, comparisons.shifted.intervals.brierSkill.estimate, comparisons.reversed.intervals.brierSkill.estimate);
    const better = brierSkill.lower90OneSided > 0 && brierSkill.estimate > placebo;
    return [{ head, origins: own.length, comparisons, weights: weightsOf(learn ?? evaluated, learned, random), better }];
  });
}

/** Entries of a head with all kinds of evidence. */
function membersOf({ rows, row, evidence: { rules, values } }: RuleRows, head: number): Int32Array {
  return Int32Array.from(row.keys()).filter((at) => {
    const of = row[at] as number;
    return rows.head[of] === head && EVIDENCE_KINDS.every((kind) => Number.isFinite(values[kind][of * rules.length]));
  });
}

function clustersOf({ rows, row }: RuleRows, members: Int32Array): Int32Array {
  return instrumentClusters(
    rows,
    members.map((at) => row[at] as number),
    HOUR_US,
  );
}

type SureWeights = { readonly weights: Float64Array; readonly intervals: readonly WeightInterval[] };

/** Weights on the rows that `use` accepts: weights whose interval contains 0 are set to 0, and the others are learned without them. */
function sureWeights(problem: WeightProblem, cluster: Int32Array, use: (row: number) => boolean, random: Random): SureWeights {
  const intervals = weightIntervals(problem, cluster, use, random);
  const rowWeights = Float64Array.from(problem.logit, (_, row) => (use(row) ? 1 : 0));
  const sure = intervals.map(({ isSure }) => isSure);
  return { weights: learnWeights(problem, rowWeights, sure), intervals };
}

function problemOf({ rows, row, logit, evidence: { rules, values } }: RuleRows, members: Int32Array, kind: EvidenceKind): WeightProblem {
  const k = rules.length;
  const rowAt = members.map((at) => row[at] as number);
  const evidence = new Float64Array(members.length * k);
  rowAt.forEach((of, i) => evidence.set(values[kind].subarray(of * k, (of + 1) * k), i * k));
  return {
    logit: Float64Array.from(members, (at) => logit[at] as number),
    evidence,
    y: labelsOf(rows, rowAt),
    signs: rules.map(({ sign }) => sign),
    bounds: rules.map(({ bound }) => bound),
  };
}

/** Logits plus the evidence of the rules. */
function added({ logit, evidence }: WeightProblem, weights: Float64Array): Float64Array {
  const k = weights.length;
  return logit.map((of, i) => weights.reduce((sum, weight, rule) => sum + weight * (evidence[i * k + rule] as number), of));
}

/** Logits of each fold plus the evidence with weights from the other folds. */
function acrossFolds(problem: WeightProblem, cluster: Int32Array, fold: Uint8Array, random: Random): Float64Array {
  const withRules = problem.logit.slice();
  for (const left of new Set(fold)) {
    const { weights } = sureWeights(problem, cluster, (row) => fold[row] !== left, random);
    const ofFold = added(problem, weights);
    fold.forEach((of, i) => {
      if (of === left) withRules[i] = ofFold[i] as number;
    });
  }
  return withRules;
}

function compared(
  { rows, row }: RuleRows,
  members: Int32Array,
  without: Float64Array,
  withRules: Float64Array,
  random: Random,
): PairedComparison {
  const scores: Scores = {
    row: members.map((at) => row[at] as number),
    candidate: withRules.map(sigmoid),
    ewma: without.map(sigmoid),
    served: null,
    directionLogit: new Float64Array(members.length),
    marked: null,
  };
  return compareScores(rows, scores, 'ewma', entriesOf(scores), random);
}

function weightsOf(learn: RuleRows, members: Int32Array, random: Random): RuleWeight[] {
  const { weights, intervals } = sureWeights(problemOf(learn, members, 'real'), clustersOf(learn, members), () => true, random);
  return learn.evidence.rules.map(({ id }, rule) => ({
    id,
    weight: weights[rule] as number,
    interval: intervals[rule] as WeightInterval,
  }));
}
