import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import type { RowSet } from '../../training/data/RowSet.ts';
import { labelsOf } from '../../training/evaluation/Scores.ts';
import { MIN_DECISION, ownRates } from '../../training/evaluation/fitHeads.ts';
import { chooseThreshold } from '../../training/metrics/decision.ts';
import { markdownTable } from '../../training/metrics/formatComparison.ts';
import { sigmoid } from '../../training/metrics/logistic.ts';
import type { LeftOut } from './figures.ts';
import { openSearch } from './openSearch.ts';
import { parseTrials } from './Trial.ts';
import { mixOf } from './trainTrial.ts';

const USAGE = `Usage: node --import tsx bench/search/marks.ts RUN.json TRIALS.jsonl --cache FOLDER
Precision of marks on left-out groups at the default threshold, for each trial with fixed weights, by the least number of marks with which
a left-out group counts. Decision thresholds of a group come from the other groups.`;
const LEAST_MARKS = [20, 50, 100];

/** Rows of one head: probability, outcome, left-out group and instrument of each. */
type HeadRows = { readonly p: Float64Array; readonly y: Uint8Array; readonly fold: Uint8Array; readonly instrument: Int32Array };
/** Fraction of rows, and precision over the base rates of the marked instruments. */
type Marks = { readonly marked: number; readonly ratio: number };

function headRows(rows: RowSet, out: LeftOut, weights: readonly number[], head: number): HeadRows {
  const label = labelsOf(rows, out.row);
  const logitOf = (at: number): number => out.residuals.reduce((sum, of, m) => sum + weights[m]! * of[at]!, out.baseline[at]!);
  const members = Int32Array.from(out.row.keys()).filter((at) => rows.head[out.row[at]!] === head);
  return {
    p: Float64Array.from(members, (at) => sigmoid(logitOf(at))),
    y: Uint8Array.from(members, (at) => label[at]!),
    fold: Uint8Array.from(members, (at) => out.fold[at]!),
    instrument: members.map((at) => rows.instrument[out.row[at]!]!),
  };
}

/** The decision threshold from all groups but one. */
function thresholdWithout(left: number, { p, y, fold, instrument }: HeadRows, minPartMarks: number): number {
  const others = Int32Array.from(fold.keys()).filter((i) => fold[i] !== left);
  const labels = Uint8Array.from(others, (i) => y[i]!);
  const chosen = chooseThreshold(
    Float64Array.from(others, (i) => p[i]!),
    labels,
    {
      expected: ownRates(
        others.map((i) => instrument[i]!),
        labels,
      ),
      part: Uint8Array.from(others, (i) => fold[i]!),
      minPartMarks,
    },
  );
  return chosen === null ? Infinity : Math.max(MIN_DECISION, chosen.threshold);
}

function marksOf(of: HeadRows, minPartMarks: number): Marks {
  const usual = ownRates(of.instrument, of.y);
  const least = new Map([...new Set(of.fold)].map((left) => [left, thresholdWithout(left, of, minPartMarks)]));
  const marked = [...of.p.keys()].filter((i) => of.p[i]! >= least.get(of.fold[i]!)!);
  const total = (values: ArrayLike<number>): number => marked.reduce((sum, i) => sum + values[i]!, 0);
  return { marked: marked.length / of.p.length, ratio: total(of.y) / total(usual) };
}

const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
const percent = (fraction: number): string => `${(100 * fraction).toFixed(1)} %`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: { cache: { type: 'string' } }, allowPositionals: true });
  const [runFile, listFile] = positionals;
  if (runFile === undefined || listFile === undefined || values.cache === undefined) {
    process.stderr.write(`${USAGE}\n`);
    return 1;
  }
  const opened = await openSearch(runFile);
  const data = { ...opened, cache: values.cache };
  const mixes = parseTrials(readFileSync(listFile, 'utf8')).flatMap(({ mix, weights }) =>
    mix === undefined || weights === undefined ? [] : [{ out: mixOf(mix, data), weights }],
  );
  const table = BUCKET_NAMES.flatMap((name, head) => {
    const heads = mixes.map(({ out, weights }) => headRows(opened.test, out, weights, head));
    return LEAST_MARKS.map((least) => {
      const all = heads.map((of) => marksOf(of, least));
      return [
        ...[name, String(least)],
        ...[all.map(({ marked }) => percent(marked)).join(', '), percent(mean(all.map(({ marked }) => marked)))],
        ...[all.map(({ ratio }) => ratio.toFixed(2)).join(', '), mean(all.map(({ ratio }) => ratio)).toFixed(2)],
      ];
    });
  });
  const head = ['head', 'least marks of a group', 'marked', 'mean', 'precision over their own base rates', 'mean'];
  process.stdout.write(`${markdownTable([head, ...table]).join('\n')}\n`);
  return 0;
}

process.exitCode = await main();
