import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BUCKET_NAMES } from '../../src/features/horizonBuckets.ts';
import { labelsOf } from '../../training/evaluation/Scores.ts';
import { ownRates } from '../../training/evaluation/fitHeads.ts';
import { chooseThreshold } from '../../training/metrics/decision.ts';
import { markdownTable } from '../../training/metrics/formatComparison.ts';
import { sigmoid } from '../../training/metrics/logistic.ts';
import { openSearch } from './openSearch.ts';
import { parseTrials } from './Trial.ts';
import { mixOf } from './trainTrial.ts';

const USAGE = `Usage: node --import tsx bench/search/marks.ts RUN.json TRIALS.jsonl --cache FOLDER [--part-marks 20,50,100]
Precision of marks on left-out groups at the default threshold, for each trial with fixed weights, by the least number of marks with which
a left-out group counts. Decision thresholds of a group come from the other groups.`;
const MIN_DECISION = 0.1;

/** Prints a line for each horizon bucket and number: marked, and precision over the base rates of the marked instruments, by trial. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { cache: { type: 'string' }, 'part-marks': { type: 'string', default: '20,50,100' } },
    allowPositionals: true,
  });
  const [runFile, listFile] = positionals;
  if (runFile === undefined || listFile === undefined || values.cache === undefined) {
    process.stderr.write(`${USAGE}\n`);
    return 1;
  }
  const opened = await openSearch(runFile);
  const rows = opened.test;
  const trials = parseTrials(readFileSync(listFile, 'utf8')).filter(({ mix, weights }) => mix !== undefined && weights !== undefined);
  const lines = new Map<string, { marked: number; ratio: number }[]>();
  for (const { mix = [], weights = [] } of trials) {
    const out = mixOf(mix, { ...opened, cache: values.cache });
    const label = labelsOf(rows, out.row);
    const logit = (at: number): number => out.residuals.reduce((sum, r, m) => sum + weights[m]! * r[at]!, out.baseline[at]!);
    for (const [head, name] of BUCKET_NAMES.entries()) {
      const members = Int32Array.from(out.row.keys()).filter((at) => rows.head[out.row[at]!] === head);
      const p = Float64Array.from(members, (at) => sigmoid(logit(at)));
      const y = Uint8Array.from(members, (at) => label[at]!);
      const fold = Uint8Array.from(members, (at) => out.fold[at]!);
      const instrument = Array.from(members, (at) => rows.instrument[out.row[at]!]!);
      const usual = ownRates(instrument, y);
      for (const minPartMarks of values['part-marks'].split(',').map(Number)) {
        let [marks, hits, expected] = [0, 0, 0];
        for (const left of new Set(fold)) {
          const others = [...fold.keys()].filter((i) => fold[i] !== left);
          const labels = Uint8Array.from(others, (i) => y[i]!);
          const rule = {
            expected: ownRates(
              others.map((i) => instrument[i]!),
              labels,
            ),
            part: Uint8Array.from(others, (i) => fold[i]!),
            minPartMarks,
          };
          const chosen = chooseThreshold(
            Float64Array.from(others, (i) => p[i]!),
            labels,
            rule,
          );
          const least = chosen === null ? Infinity : Math.max(MIN_DECISION, chosen.threshold);
          fold.forEach((of, i) => {
            if (of !== left || p[i]! < least) return;
            marks++;
            hits += y[i]!;
            expected += usual[i]!;
          });
        }
        const key = `${name} | ${minPartMarks}`;
        lines.set(key, [...(lines.get(key) ?? []), { marked: marks / members.length, ratio: hits / expected }]);
      }
    }
  }
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  const table = [...lines].map(([key, of]) => [
    ...key.split(' | '),
    of.map(({ marked }) => `${(100 * marked).toFixed(1)} %`).join(', '),
    `${(100 * mean(of.map(({ marked }) => marked))).toFixed(1)} %`,
    of.map(({ ratio }) => ratio.toFixed(2)).join(', '),
    mean(of.map(({ ratio }) => ratio)).toFixed(2),
  ]);
  const head = ['head', 'least marks of a group', 'marked', 'mean', 'precision over their own base rates', 'mean'];
  process.stdout.write(`${markdownTable([head, ...table]).join('\n')}\n`);
  return 0;
}

process.exitCode = await main();
