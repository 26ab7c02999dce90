import { seededRandom } from '../../src/core/Random.ts';
import type { ModelFolder } from '../../src/model/modelFiles.ts';
import type { RuleSet } from '../../src/rules/RuleSet.ts';
import { openRuntime } from '../../src/runtime/openRuntime.ts';
import type { RowSet } from '../data/RowSet.ts';
import { openTestRows } from '../data/openTestRows.ts';
import type { TickSource } from '../data/TickSource.ts';
import type { EvaluateOptions } from '../EvaluateOptions.ts';
import { calibratedProbabilities } from '../evaluation/calibratedProbabilities.ts';
import { readOutOfFold } from '../evaluation/outOfFoldFile.ts';
import { labelsOf } from '../evaluation/Scores.ts';
import { seenRows } from '../evaluation/seenRows.ts';
import { predictRows } from '../loop/predictRows.ts';
import { fixed } from '../metrics/formatComparison.ts';
import { logOdds } from '../metrics/logistic.ts';
import type { ReportTable } from '../report/ReportData.ts';
import { allRows } from '../splits/planFolds.ts';
import type { TrainEvent } from '../TrainOptions.ts';
import { ruleEvidence, type RuleEvidence } from './ruleEvidence.ts';
import { ruleTables } from './ruleTables.ts';
import { ruleWorth, type HeadWorth } from './ruleWorth.ts';

export type TestRulesOptions = Pick<
  EvaluateOptions,
  'data' | 'reading' | 'groups' | 'horizonsS' | 'workDir' | 'seed' | 'workers' | 'backend' | 'environment' | 'model'
> & {
  readonly ruleSet: RuleSet;
  /** Content of the version's out-of-fold file; undefined where it has none. */
  readonly outOfFold: string | undefined;
};

export type RulesTest = { readonly origins: number; readonly tables: readonly ReportTable[]; readonly worth: readonly HeadWorth[] };

/** Blocks in time that stand for groups where all series are one group. */
const TIME_BLOCKS = 5;

/**
 * What a rule set adds to a version on tick files: a base by what it predicted of groups that it had not seen, any version by ticks that it was not
 * trained on. Weights are learned on the other groups, or, of a single one, on the other stretches of time.
 * Throws what `openTestRows` throws, `runtime.refused`.
 */
export async function testRules(options: TestRulesOptions, onEvent: (event: TrainEvent) => void): Promise<RulesTest> {
  const { model, seed, ruleSet } = options;
  const {
    sources,
    plan,
    made: { rows },
  } = await openTestRows({ ...options, barS: 0 }, onEvent);
  await openRuntime(options.backend, options);
  const p = unseenProbabilities(model, options.outOfFold, rows, sources);
  const row = allRows(rows).filter((of) => Number.isFinite(p[of]));
  const judged = new Set(row);
  const evidence = ruleEvidence(ruleSet, { sources, plan, rows }, seed, { use: (of) => judged.has(of) });
  const logit = Float64Array.from(row, (of) => logOdds(p[of] as number));
  const worth = ruleWorth({ rows, row, logit, fold: foldsOf(rows, row, sources), evidence }, null, seededRandom(seed));
  return {
    origins: row.length,
    worth,
    tables: [truthTable(rows, row, evidence), forbiddenTable(rows, row, evidence, ruleSet), ...ruleTables(worth)],
  };
}

/** What the version says of rows that it did not learn from; NaN for the others. */
function unseenProbabilities(
  { manifest, weights }: ModelFolder,
  outOfFold: string | undefined,
  rows: RowSet,
  sources: readonly TickSource[],
): Float64Array {
  const seen = seenRows(rows, sources, manifest.lineage.data);
  const own = calibratedProbabilities(manifest.heads, rows, predictRows(manifest.network, weights, rows, allRows(rows), 1));
  const leftOut = outOfFold === undefined ? null : readOutOfFold(outOfFold, rows, allRows(rows), sources);
  return own.map((p, row) => {
    const of = leftOut?.[row] ?? NaN;
    return Number.isFinite(of) ? of : seen[row] === 0 ? p : NaN;
  });
}

function foldsOf(rows: RowSet, row: Int32Array, sources: readonly TickSource[]): Uint8Array {
  const groups = [...new Set(sources.map(({ group }) => group))];
  if (groups.length > 1) return Uint8Array.from(row, (of) => groups.indexOf(sources[rows.instrument[of] as number]?.group ?? ''));
  const order = Float64Array.from(row, (of) => rows.originUs[of] as number).sort();
  const edges = Array.from(
    { length: TIME_BLOCKS - 1 },
    (_, block) => order[Math.floor(((block + 1) * order.length) / TIME_BLOCKS)] ?? Infinity,
  );
  return Uint8Array.from(row, (of) => edges.filter((edge) => (rows.originUs[of] as number) >= edge).length);
}

/** How true each rule usually is, and how the opportunities go with it. */
function truthTable(rows: RowSet, row: Int32Array, { rules, values }: RuleEvidence): ReportTable {
  const labels = labelsOf(rows, row);
  return {
    title: 'Rules and opportunities',
    about:
      'Mean truth of each rule, and the share of opportunities in the tenth of the windows where it is truest and where it is least true. Windows of all horizons.',
    head: ['rule', 'meaning', 'mean truth', 'truest tenth', 'least true tenth'],
    rows: rules.map(({ id, sign, neutral }, at) => {
      const truth = Float64Array.from(row, (of) => (values.real[of * rules.length + at] as number) + neutral);
      const order = Array.from(row.keys()).sort((a, b) => (truth[a] as number) - (truth[b] as number));
      const tenth = Math.floor(order.length / 10);
      const share = (members: number[]): string => fixed(members.reduce((sum, i) => sum + (labels[i] as number), 0) / members.length, 3);
      const mean = truth.reduce((sum, value) => sum + value, 0) / truth.length;
      return [id, sign === 1 ? 'raises' : 'lowers', fixed(mean, 3), share(order.slice(-tenth)), share(order.slice(0, tenth))];
    }),
  };
}

function forbiddenTable(rows: RowSet, row: Int32Array, { forbidden }: RuleEvidence, { rules }: RuleSet): ReportTable {
  const labels = labelsOf(rows, row);
  const share = (flag: number): string[] => {
    const members = Array.from(row.keys()).filter((at) => forbidden[row[at] as number] === flag);
    return [String(members.length), fixed(members.reduce((sum, at) => sum + (labels[at] as number), 0) / members.length, 3)];
  };
  const count = rules.filter(({ kind }) => kind !== 'evidence').length;
  return {
    title: 'Vetoes and abstentions',
    about: `${count} rules of the set forbid marks.`,
    head: ['', 'windows', 'share of opportunities'],
    rows: [
      ['forbidden', ...share(1)],
      ['let pass', ...share(0)],
    ],
  };
}
