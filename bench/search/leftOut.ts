import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../src/core/Random.ts';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import { loadModelFolder } from '../../src/engine/model/loadModelFolder.ts';
import { MODEL_FILES } from '../../src/engine/model/modelFiles.ts';
import type { RowSet } from '../../training/data/RowSet.ts';
import { testLengthOf } from '../../training/evaluation/fitTicks.ts';
import { decideGate } from '../../training/evaluation/gate.ts';
import { leakTest } from '../../training/evaluation/leakTest.ts';
import { gatherOutOfFold, type OutOfFold, readOutOfFold, selectOutOfFold } from '../../training/evaluation/outOfFold.ts';
import { compareScores, entriesOf, horizonOf, type Scores } from '../../training/evaluation/Scores.ts';
import { asServed } from '../../training/evaluation/asServed.ts';
import { compareAsServed } from '../../training/evaluation/compareAsServed.ts';
import { scoresOutOfFold } from '../../training/evaluation/scoresOutOfFold.ts';
import { comparisonTable, groupTable, markTables, outcomeTables, tableText } from '../../training/evaluation/scoreTables.ts';
import { baselineProbabilities, fitBaselines } from '../../training/loop/predictRows.ts';
import { logOdds } from '../../training/metrics/logistic.ts';
import type { ReportTable } from '../../training/report/ReportData.ts';
import { splitValidation } from '../../training/splits/splitValidation.ts';
import { type OpenedSearch, openSearch } from './openSearch.ts';

const USAGE = `Usage: node --import tsx bench/search/leftOut.ts RUN.json VERSION [--previous OUT-OF-FOLD.json]
Evaluates a base again on the files of RUN.json, by its predictions for groups that its networks never saw (out-of-fold.json of the folder
VERSION); origins of other files are left out. Each file must
be at its place in the command of the card, because its windows depend on it: a file of 30 ticks takes the place of one that is left out. The baseline is fitted again on the files that are there, and cuts are chosen on the other
groups. --previous compares with those of another base. Prints the tables of the card that these predictions can give, in Markdown.`;
const HOUR_US = 3_600_000_000;

/** The predictions of `text` at the default threshold for left-out rows, with the baseline of the other groups. */
function leftOutOf(text: string, { test, train, folds, sources }: OpenedSearch): OutOfFold {
  const predicted = folds.map((fold) => {
    const index = fold.test.filter((row) => test.barS[row] === 0);
    // As in training: on the rows that do not decide when it stops.
    const { training } = splitValidation(train, fold.train, (instrument) => sources[instrument]?.group ?? '');
    const baseline = baselineProbabilities(test, index, fitBaselines(train, training, BUCKET_NAMES.length)).map(logOdds);
    const candidate = readOutOfFold(text, test, index, sources).map(logOdds);
    const columns = { baseline, residual: candidate.map((logit, at) => logit - baseline[at]), direction: new Float32Array(index.length) };
    return { index, draws: 1, ...columns };
  });
  const all = gatherOutOfFold(
    test,
    predicted.map((of) => ({ ...of, baseline: Float32Array.from(of.baseline), residual: Float32Array.from(of.residual) })),
  );
  return selectOutOfFold(all, (at) => Number.isFinite(all.logit[at]));
}

function tablesOf(rows: RowSet, scores: Scores, previous: string | null, { sources, classOf }: OpenedSearch): ReportTable[] {
  const random = seededRandom(1);
  const name = (row: number): string => sources[rows.instrument[row]]?.name ?? '';
  const group = (title: string, about: string, nameOf: (row: number) => string | number): ReportTable =>
    groupTable(title, about, rows, { ...scores, served: null }, random, nameOf);
  const compared = (title: string, rival: 'ewma' | 'served', base: string): ReportTable =>
    comparisonTable(title, compareScores(rows, scores, rival, entriesOf(scores), random), { model: 'this version', base });
  return [
    compared('Compared with the EWMA volatility logistic, on ticks that the model never saw', 'ewma', 'EWMA'),
    ...(previous === null ? [] : [compared(`Compared with ${previous}, on the same origins`, 'served', previous)]),
    ...markTables(rows, scores),
    ...outcomeTables(rows, scores, random),
    group('By horizon', 'Seconds.', (row) => horizonOf(rows, row)),
    group(
      'By horizon and number of ticks',
      'Distinct timestamps of the window.',
      (row) => `${horizonOf(rows, row)} s, up to ${testLengthOf(rows, row)} ticks`,
    ),
    group('By market class', '', (row) => classOf(rows.instrument[row])),
    group('By instrument', '', name),
    group('By hour of the day', 'UTC.', (row) => Math.floor(rows.originUs[row] / HOUR_US) % 24),
  ];
}

const { values, positionals } = parseArgs({ options: { previous: { type: 'string' } }, allowPositionals: true });
const [runFile, folder] = positionals;
if (runFile === undefined || folder === undefined) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(1);
}
const { manifest } = loadModelFolder(path.resolve(folder));
const opened = await openSearch(runFile);
const rows = opened.test;
const out = leftOutOf(readFileSync(path.join(folder, MODEL_FILES.outOfFold), 'utf8'), opened);
const scores = scoresOutOfFold(rows, out);
const planned = rows.barS.reduce((sum, barS) => sum + (barS === 0 ? 1 : 0), 0);
process.stdout.write(`${scores.row.length} of ${planned} origins have a prediction of ${manifest.id}.\n\n`);
const { against } = manifest.gate;
const served =
  values.previous === undefined ? null : readOutOfFold(readFileSync(values.previous, 'utf8'), rows, scores.row, opened.sources);
const alone = { ...scores, served };
const lines = { candidate: undefined, served: undefined };
const learned = asServed({ rows, sources: opened.sources, alone, lines, marks: () => null });
const at = entriesOf(scores).filter((entry) => served === null || Number.isFinite(served[entry]));
const random = seededRandom(1);
const compared = compareAsServed(rows, learned, alone, at, random);
const both = compared.alone.scores;
const gate = decideGate({
  id: manifest.id,
  against: served === null ? null : against,
  ...{ baselines: compared.baselines, served: compared.served, marks: null },
  leak: leakTest(opened.sources, opened.plan.test, rows),
  placebos: [],
  origins: both.row.length,
  seen: 0,
  what: '',
});
process.stdout.write(
  `${gate.headline}\n\n${gate.checks.map(({ holds, text }) => `- ${holds ? 'holds' : 'fails'}: ${text}`).join('\n')}\n\n`,
);
const tables = tablesOf(rows, both, served === null ? null : against, opened);
process.stdout.write(`${tables.map(tableText).join('\n\n')}\n`);
