import type { MadeRows } from '../data/buildRows.ts';
import type { TickSource } from '../data/TickSource.ts';
import { isOpportunity } from '../data/RowSet.ts';
import { readOutOfFold, type OutOfFold } from '../evaluation/outOfFold.ts';
import { fitBaselines } from '../loop/predictRows.ts';
import { logOdds } from '../metrics/logistic.ts';
import type { Fold } from '../splits/planFolds.ts';
import { splitValidation } from '../splits/splitValidation.ts';
import { BUCKET_NAMES } from '../../src/features/horizonBuckets.ts';
import { contextResiduals } from './ContextUnits.ts';
import { CONTEXT_FIT, fitContextUnits } from './fitContextUnits.ts';

export type Completion = {
  readonly made: MadeRows;
  readonly folds: readonly Fold[];
  readonly sources: readonly TickSource[];
  readonly groupOf: (instrument: number) => string;
  /** Heads that get new units. */
  readonly completed: readonly number[];
  /** `out-of-fold.json` of the base, with the predictions of its other heads. */
  readonly outOfFold: string;
  readonly seed: number;
};

const SEED_STRIDE = 101;

type Entry = { row: number; draw: number; fold: number; head: number; baselineLogit: number; logit: number };

/**
 * Predictions on left-out groups: of the completed heads by units that never saw the group, at all thresholds; of the other heads as the
 * base published them, at the default threshold. Rows that the base did not predict are left out.
 */
export function completedOutOfFold({ made, folds, sources, groupOf, completed, outOfFold, seed }: Completion): OutOfFold {
  const { train, test } = { train: made.train.rows, test: made.test.rows };
  const entries: Entry[] = [];
  folds.forEach((fold, at) => {
    const { training } = splitValidation(train, fold.train, groupOf);
    const baselines = fitBaselines(train, training, BUCKET_NAMES.length);
    const baselineLogit = (row: number, draw: number): number => {
      const fit = baselines[test.head[row] as number];
      return (fit?.slope ?? 0) * (test.baseline[row * test.draws + draw] as number) + (fit?.intercept ?? 0);
    };
    const isOurs = (head: number | undefined): boolean => completed.includes(head as number);
    const own = training.filter((row) => isOurs(train.head[row]));
    const tested = fold.test.filter((row) => isOurs(test.head[row]));
    const units = fitContextUnits(train, own, baselines, { ...CONTEXT_FIT, seed: seed + SEED_STRIDE * (at + 1) });
    const residuals = contextResiduals(test, tested, test.draws, units);
    const residualOf = new Map([...tested].map((row, i) => [row, residuals.subarray(i * test.draws, (i + 1) * test.draws)]));
    const published = readOutOfFold(outOfFold, test, fold.test, sources);
    fold.test.forEach((row, i) => {
      const head = test.head[row] as number;
      const place = { row, fold: at, head };
      const residuals = residualOf.get(row);
      residuals?.forEach((residual, draw) =>
        entries.push({ ...place, draw, baselineLogit: baselineLogit(row, draw), logit: baselineLogit(row, draw) + residual }),
      );
      const p = published[i] as number;
      if (!completed.includes(head) && test.barS[row] === 0 && Number.isFinite(p))
        entries.push({ ...place, draw: 0, baselineLogit: baselineLogit(row, 0), logit: logOdds(p) });
    });
  });
  const doubles = (of: (entry: Entry) => number): Float64Array => Float64Array.from(entries, of);
  const bytes = (of: (entry: Entry) => number): Uint8Array => Uint8Array.from(entries, of);
  return {
    count: entries.length,
    row: Int32Array.from(entries, ({ row }) => row),
    draw: bytes(({ draw }) => draw),
    fold: bytes(({ fold }) => fold),
    head: bytes(({ head }) => head),
    baselineLogit: doubles((entry) => entry.baselineLogit),
    logit: doubles((entry) => entry.logit),
    directionLogit: new Float64Array(entries.length),
    label: bytes(({ row, draw }) => isOpportunity(test, row, draw)),
    logThetaRatio: doubles(({ row, draw }) =>
      Math.log((test.theta[row * test.draws + draw] as number) / (test.thetaDefault[row] as number)),
    ),
  };
}
