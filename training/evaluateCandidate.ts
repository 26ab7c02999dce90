import { seededRandom } from '../src/core/Random.ts';
import type { MemoryLine } from '../src/engine/memory/memoryLine.ts';
import type { RowSet } from './data/RowSet.ts';
import { describeScope } from './data/HorizonScope.ts';
import type { AsServedInput } from './evaluation/asServed.ts';
import { checkLine, compareAsServed } from './evaluation/compareAsServed.ts';
import { directionTest } from './evaluation/directionTest.ts';
import { decideGate, type Placebo } from './evaluation/gate.ts';
import { leakTest } from './evaluation/leakTest.ts';
import { compareScores, entriesOf } from './evaluation/Scores.ts';
import type { RunPlan } from './planRun.ts';
import type { TrainOptions } from './TrainOptions.ts';

type CandidateInput = Pick<AsServedInput, 'alone' | 'marks' | 'servedMarks'> & {
  readonly rows: RowSet;
  /** Id of the version that the candidate would replace. */
  readonly against: string | null;
  /** The line of the memory of that version, which the candidate begins with. */
  readonly line: MemoryLine | undefined;
  /** 1 for rows that do not count, because the other version was trained on them. */
  readonly seen: Uint8Array;
  readonly placebo: Placebo;
};

/** Evaluates a candidate on rows that its network never saw, as it would be served, and decides whether it may be. */
export function evaluateCandidate(
  { id, seed, scope }: TrainOptions,
  { sources, test }: RunPlan,
  { rows, alone, marks, servedMarks, against, line: given, seen, placebo }: CandidateInput,
) {
  const random = seededRandom(seed);
  const lines = { candidate: given, served: given };
  const { scores, line, notes } = checkLine({ rows, sources, alone, lines, marks, ...(servedMarks && { servedMarks }) });
  const counting = entriesOf(scores, (row) => seen[row] === 0);
  const compared = compareAsServed(rows, scores, alone, counting, random);
  const hasSeen = counting.length < scores.row.length;
  const seenToo = hasSeen ? compareScores(rows, scores, 'ewma', entriesOf(scores), random) : null;
  const directions = directionTest(rows, compared.scores, random);
  const leak = leakTest(sources, test, rows);
  const seenCount = scores.row.length - counting.length;
  const verdict = decideGate({
    ...{ id, against, leak, placebos: [placebo], what: describeScope(scope) },
    ...{ baselines: compared.baselines, served: compared.served, marks: compared.marks.after },
    ...{ origins: scores.row.length, seen: seenCount },
  });
  return {
    /** Test rows that count, as served and alone. */
    compared,
    /** What it adds with the memory of a series; undefined: it does not use one. */
    memory: line,
    seen: seenCount,
    /** Comparison with the recalibrated EWMA logistic on all test rows, including those that do not count; null if all rows count. */
    seenToo,
    against,
    directions,
    /** Heads that may state a direction. */
    passing: new Set(directions.filter(({ passed }) => passed && leak.leaking.length === 0).map(({ head }) => head)),
    verdict,
    notes,
  };
}
