import { systemClock } from '../src/core/Clock.ts';
import { type Random, seededRandom } from '../src/core/Random.ts';
import type { ModelFolder } from '../src/engine/model/modelFiles.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import type { BackendName, ProcessEnvironment } from '../src/engine/runtime/Runtime.ts';
import type { RowCounts } from './data/buildRow.ts';
import type { BuiltRows } from './data/buildRows.ts';
import { openTestRows, type TestRowsOptions } from './data/openTestRows.ts';
import type { TickSource } from './data/TickSource.ts';
import { ewmaProbabilities, leaveOneGroupOutFolds, walkForwardFolds, type BaselineFold } from './evaluation/baselineScores.ts';
import { evaluationTables } from './evaluation/evaluationTables.ts';
import { markRows, reportCells, reportFigures, tableText } from './evaluation/scoreTables.ts';
import { calibratedProbabilities } from './evaluation/scoresOutOfFold.ts';
import { asServed } from './evaluation/asServed.ts';
import { type Compared, compareAsServed } from './evaluation/compareAsServed.ts';
import { entriesOf, labelsOf, type Scores } from './evaluation/Scores.ts';
import { seenRows } from './evaluation/seenRows.ts';
import { predictRows } from './loop/predictRows.ts';
import { runPlacebos } from './placebos/runPlacebos.ts';
import { pythonBaselines } from './baselines/pythonBaselines.ts';
import type { ReportData, ReportTable } from './report/ReportData.ts';
import { renderReport } from './report/renderReport.ts';
import { allRows } from './splits/planFolds.ts';
import type { TrainEvent } from './TrainOptions.ts';

/** The version to evaluate, and the rows to evaluate it on. */
export type EvaluateOptions = TestRowsOptions & {
  readonly model: ModelFolder;
  readonly backend: 'auto' | BackendName;
  readonly environment?: ProcessEnvironment;
  /** Also run the placebos. */
  readonly placebo: boolean;
  /** A Python with the packages of `training/baselines`; '' skips these baselines. */
  readonly python: string;
  readonly command: string;
};

export type EvaluationReport = {
  readonly id: string;
  /** Number of test origins, and how many of them the version was trained on (these do not count). */
  readonly origins: number;
  readonly seen: number;
  readonly tables: readonly ReportTable[];
  /** All tables as Markdown. */
  readonly text: string;
  readonly placebosHold: boolean;
  readonly html: string;
};

/**
 * Evaluates an existing version on tick files, as served and alone, against the base rate so far and the recalibrated EWMA logistic, which is fitted walk-forward in time and, with
 * several groups, on the other groups. Origins that the version was trained on do not count. Throws the errors of `openTestRows`,
 * `runtime.refused`, and `training.too_little_data` if no origin is left.
 */
export async function evaluate(options: EvaluateOptions, onEvent: (event: TrainEvent) => void): Promise<EvaluationReport> {
  const { model, seed } = options;
  const { sources, notes, plan, made } = await openTestRows(options, onEvent);
  const runtime = await openRuntime(options.backend, options);
  onEvent({ kind: 'note', text: `predicting on ${runtime.description}` });
  const all = predictScores(model, made);
  const seen = seenRows(made.rows, sources, model.manifest.lineage.data);
  const groupOf = (instrument: number): string => sources[instrument]?.group ?? '';
  const views = viewsOf(made, groupOf).map(({ name, folds }) => ({
    folds,
    ...viewOf(
      name,
      { ...all, ewma: ewmaProbabilities(made.rows, folds) },
      { model, rows: made.rows, sources, seen, random: seededRandom(seed) },
    ),
  }));
  const shown = views[0]?.compared.scores ?? all;
  const tables: ReportTable[] = views.flatMap(({ name, compared }) => evaluationTables(name, made.rows, compared, sources, seed));
  const baselines =
    options.python === ''
      ? []
      : await pythonBaselines(
          made.rows,
          views.map(({ compared, ...view }) => ({ ...view, scores: compared.scores })),
          options,
          (text) => onEvent({ kind: 'note', text }),
        );
  const placebos = options.placebo ? runPlacebos({ model, sources, plan, rows: made.rows, seed }) : [];
  const report: ReportData = {
    id: model.manifest.id,
    createdAt: new Date(systemClock.nowMs()).toISOString(),
    kind: 'evaluation',
    synthetic: model.manifest.synthetic,
    command: options.command,
    verdict: null,
    nextSteps: [],
    setting: settingText(options, sources, made.counts, seen, runtime.description),
    tables: [...tables, ...baselines, ...(placebos.length === 0 ? [] : [placeboTable(placebos)])],
    curves: [],
    ...reportFigures(labelsOf(made.rows, shown.row), [
      { name: 'this version', p: shown.candidate },
      { name: 'recalibrated EWMA', p: shown.ewma },
    ]),
    cells: reportCells(
      made.rows,
      shown,
      sources.map(({ name }) => name),
    ),
    drift: [],
    notes,
  };
  return {
    id: report.id,
    origins: all.row.length,
    seen: seen.reduce((sum, flag) => sum + flag, 0),
    tables: report.tables,
    text: report.tables.map(tableText).join('\n\n'),
    placebosHold: placebos.every(({ holds }) => holds),
    html: renderReport(report),
  };
}

/** The only rival is the volatility baseline. */
export function predictScores({ manifest, weights }: EvaluateOptions['model'], { rows }: BuiltRows): Scores {
  const predicted = predictRows(manifest.network, weights, rows, allRows(rows), 1);
  const candidate = calibratedProbabilities(manifest.heads, rows, predicted);
  return {
    row: predicted.index,
    candidate,
    ewma: new Float64Array(rows.count).fill(NaN),
    baseRate: null,
    served: null,
    servedMarked: null,
    directionLogit: Float64Array.from(predicted.direction),
    marked: markRows(manifest.heads, rows, predicted.index, candidate),
  };
}

function viewsOf({ rows }: BuiltRows, groupOf: (instrument: number) => string): { name: string; folds: BaselineFold[] }[] {
  const groups = leaveOneGroupOutFolds(rows, groupOf);
  return [
    { name: 'walk-forward in time', folds: walkForwardFolds(rows, groupOf) },
    ...(groups.length === 0 ? [] : [{ name: 'leave one group out', folds: groups }]),
  ];
}

type ViewInput = Pick<EvaluateOptions, 'model'> & {
  readonly rows: BuiltRows['rows'];
  readonly sources: readonly TickSource[];
  readonly seen: Uint8Array;
  readonly random: Random;
};

/** The rows that the baseline predicted and that the version was not trained on; if there are none, all predicted rows. */
function viewOf(
  name: string,
  alone: Scores,
  { model, rows, sources, seen, random }: ViewInput,
): { readonly name: string; readonly compared: Compared } {
  const lines = { candidate: model.memory, served: undefined };
  const served = asServed({ rows, sources, alone, lines, marks: (p) => markRows(model.manifest.heads, rows, alone.row, p) });
  const predicted = entriesOf(alone, (row) => Number.isFinite(alone.ewma[row]));
  const counting = predicted.filter((at) => seen[at] === 0);
  const isAllSeen = counting.length === 0 && predicted.length > 0;
  return {
    name: isAllSeen ? `${name}; the version was trained on these ticks, so this is not an evaluation` : name,
    compared: compareAsServed(rows, served, alone, isAllSeen ? predicted : counting, random),
  };
}

function settingText(
  options: EvaluateOptions,
  sources: readonly TickSource[],
  counts: RowCounts,
  seen: Uint8Array,
  device: string,
): string[] {
  const seenCount = seen.reduce((sum, flag) => sum + flag, 0);
  const bars = options.barS === 0 ? '' : `, thinned to bars of ${options.barS} s`;
  return [
    `${sources.map(({ name }) => name).join(', ')}${bars}; horizons ${options.horizonsS.join(', ')} s; ${device}.`,
    `${counts.used} origins at least H + 1 s apart. Excluded: ${counts.data_ends} at the end of the data, ${counts.session_gap} at a session gap, ${counts.no_features} without features, ${counts.window_too_short} with a window shorter than H/20.`,
    `${seenCount} origins are in ticks that the version or an ancestor was trained on; they do not count.`,
    'The EWMA logistic is fitted on ticks before the test block, or on the other groups; the version is the same in both. As served: the memory of a series has seen every tick before an origin and the outcomes of earlier origins, and the recalibrated EWMA and the base rate so far have learned from the same outcomes.',
  ];
}

function placeboTable(placebos: readonly { name: string; holds: boolean; text: string }[]): ReportTable {
  return {
    title: 'Placebos',
    about: 'Without a signal the evaluation must find none; a planted signal must be found.',
    head: ['placebo', 'holds', 'found'],
    rows: placebos.map(({ name, holds, text }) => [name, holds ? 'yes' : 'NO', text]),
  };
}
