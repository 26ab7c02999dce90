import { seededRandom } from '../../src/core/Random.ts';
import type { ModelFolder } from '../../src/engine/model/modelFiles.ts';
import type { RuleSet } from '../../src/engine/rules/RuleSet.ts';
import { openRuntime } from '../../src/engine/runtime/openRuntime.ts';
import type { RowSet } from '../data/RowSet.ts';
import { openTestRows } from '../data/openTestRows.ts';
import type { TickSource } from '../data/TickSource.ts';
import type { EvaluateOptions } from '../EvaluateOptions.ts';
import { calibratedProbabilities } from '../evaluation/scoresOutOfFold.ts';
import { readOutOfFold } from '../evaluation/outOfFold.ts';
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
  /** Content of the version's out-of-fold file; undefined if it has none. */
  readonly outOfFold: string | undefined;
};

export type RulesTest = { readonly origins: number; readonly tables: readonly ReportTable[]; readonly worth: readonly HeadWorth[] };

/** Blocks in time that replace the groups if all series are one group. */
const TIME_BLOCKS = 5;

/**
 * Measures the effect of a rule set on top of a version on tick files: for a base by its out-of-fold predictions, for any version by ticks
 * that it was not trained on. Weights are learned on the other groups or, with a single group, on the other blocks in time. Throws the
 * errors of `openTestRows` and `runtime.refused`.
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
  const used = new Set(row);
  const evidence = ruleEvidence(ruleSet, { sources, plan, rows }, seed, { use: (of) => used.has(of) });
  const logit = Float64Array.from(row, (of) => logOdds(p[of] as number));
  const worth = ruleWorth({ rows, row, logit, fold: foldsOf(rows, row, sources), evidence }, null, seededRandom(seed));
  return {
    origins: row.length,
    worth,
    tables: [truthTable(rows, row, evidence), forbiddenTable(rows, row, evidence, ruleSet), ...ruleTables(worth)],
  };
}

/** Outputs of the version for rows that it was not trained on; NaN for the others. */
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

/** Mean truth of each rule, and its relation to the opportunities. */
function truthTable(rows: RowSet, row: Int32Array, { rules, values }: RuleEvidence): ReportTable {
  const labels = labelsOf(rows, row);
  return {
    title: 'Rules and opportunities',
    about:
      'Mean truth of each rule, and the fraction of opportunities in the tenth of the windows with its highest and with its lowest truth. Windows of all horizons.',
    head: ['rule', 'meaning', 'mean truth', 'highest tenth', 'lowest tenth'],
    rows: rules.map(({ id, sign, neutral }, at) => {
      const truth = Float64Array.from(row, (of) => (values.real[of * rules.length + at] as number) + neutral);
      const order = Array.from(row.keys()).sort((a, b) => (truth[a] as number) - (truth[b] as number));
      const tenth = Math.floor(order.length / 10);
      const fractionOf = (members: number[]): string =>
        fixed(members.reduce((sum, i) => sum + (labels[i] as number), 0) / members.length, 3);
      const mean = truth.reduce((sum, value) => sum + value, 0) / truth.length;
      return [id, sign === 1 ? 'raises' : 'lowers', fixed(mean, 3), fractionOf(order.slice(-tenth)), fractionOf(order.slice(0, tenth))];
    }),
  };
}

function forbiddenTable(rows: RowSet, row: Int32Array, { forbidden }: RuleEvidence, { rules }: RuleSet): ReportTable {
  const labels = labelsOf(rows, row);
  const fractionOf = (flag: number): string[] => {
    const members = Array.from(row.keys()).filter((at) => forbidden[row[at] as number] === flag);
    return [String(members.length), fixed(members.reduce((sum, at) => sum + (labels[at] as number), 0) / members.length, 3)];
  };
  const count = rules.filter(({ kind }) => kind !== 'evidence').length;
  return {
    title: 'Vetoes and abstentions',
    about: `${count} rules of the set can prevent marks.`,
    head: ['', 'windows', 'fraction of opportunities'],
    rows: [
      ['prevented', ...fractionOf(1)],
      ['not prevented', ...fractionOf(0)],
    ],
  };
}
