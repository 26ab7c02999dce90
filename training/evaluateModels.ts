import { systemClock } from '../src/core/Clock.ts';
import { FeatureBuilder } from '../src/engine/features/FeatureBuilder.ts';
import { CONTEXT_COLUMNS } from '../src/engine/features/columns.ts';
import type { MemoryLine } from '../src/engine/memory/memoryLine.ts';
import type { ModelFolder } from '../src/engine/model/modelFiles.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import { openTestRows, type TestRows, type TestRowsOptions } from './data/openTestRows.ts';
import { thinPlan, walkPlan } from './data/RowPlan.ts';
import { SEQUENCE_SIZE } from './data/RowSet.ts';
import { type EvaluateOptions, type EvaluationReport, predictScores } from './evaluate.ts';
import { ewmaProbabilities, walkForwardFolds } from './evaluation/baselineScores.ts';
import type { Placebo } from './evaluation/gate.ts';
import { leakTest } from './evaluation/leakTest.ts';
import { reportFigures, tableText } from './evaluation/scoreTables.ts';
import { labelsOf } from './evaluation/Scores.ts';
import { seenRows } from './evaluation/seenRows.ts';
import { askCommand, leakChecks, walkCheck, walkPlacebo } from './models/askCommand.ts';
import {
  scoreModels,
  modelTable,
  membersByHorizon,
  serveModel,
  type AnsweredModel,
  type ScoreInput,
  type ModelLine,
} from './models/scoreModels.ts';
import { ModelFault } from './models/ModelProcess.ts';
import { readPredictions, writeOrigins } from './models/predictions.ts';
import { constantWalk } from './placebos/walks.ts';
import { scoreRows } from './placebos/scoreRows.ts';
import { renderReport } from './report/renderReport.ts';
import { ServiceError } from '../src/core/ServiceError.ts';
import { allRows } from './splits/planFolds.ts';
import type { TrainEvent } from './TrainOptions.ts';

/** A version, a command that answers windows, a file of probabilities, or the probabilities by row, which are not finite for rows that do not count. */
export type NamedModel =
  | { readonly name: string; readonly known: Float64Array; readonly line: MemoryLine | undefined }
  | { readonly name: string; readonly version: ModelFolder }
  | { readonly name: string; readonly command: string }
  | { readonly name: string; readonly file: string };

type ScoreOptions = {
  readonly models: readonly NamedModel[];
  /** For one answer of a command. */
  readonly answerMs: number;
  /** Where the origins are written; '': nowhere. */
  readonly origins: string;
  readonly command: string;
};

export type EvaluateModelsOptions = TestRowsOptions & ScoreOptions & Pick<EvaluateOptions, 'backend' | 'environment'>;

export type ModelsReport = Omit<EvaluationReport, 'id' | 'seen' | 'placebosHold'> & {
  readonly models: readonly ModelFigures[];
  /** Origins that were written. */
  readonly written: { readonly train: number; readonly test: number };
};

type ModelFigures = {
  readonly name: string;
  readonly fault: string | null;
  readonly checks: readonly Placebo[];
  readonly msPerWindow: number | null;
};

/**
 * Evaluates models of any kind on the same origins, against the baselines that learn, with the leak test and the placebos. A model with a fault is
 * named with its reason, and the others go on. Throws the errors of `openTestRows`, `file.unwritable`, `file.unreadable`, `runtime.refused`, and
 * `training.too_little_data` if no origin is left.
 */
export async function evaluateModels(options: EvaluateModelsOptions, onEvent: (event: TrainEvent) => void): Promise<ModelsReport> {
  const opened = await openTestRows(options, onEvent);
  if (options.models.some((model) => 'version' in model)) await openRuntime(options.backend, options);
  return scoreOpened(opened, options, (text) => onEvent({ kind: 'note', text }));
}

/** The same for rows that are in memory. */
export async function scoreOpened(
  opened: TestRows,
  options: ScoreOptions & Pick<TestRowsOptions, 'seed'>,
  note: (text: string) => void,
): Promise<ModelsReport> {
  const { sources, notes, made } = opened;
  const { models, seed } = options;
  const { rows } = made;
  const folds = walkForwardFolds(rows, (instrument) => sources[instrument]?.group ?? '');
  const ewma = ewmaProbabilities(rows, folds);
  const tested = allRows(rows).filter((row) => Number.isFinite(ewma[row]));
  if (tested.length === 0) throw new ServiceError('training.too_little_data', 'No origin is left to test. Add later days.');
  const sets = { train: folds[0]?.train ?? new Int32Array(), test: tested };
  const names = sources.map(({ name }) => name);
  if (options.origins !== '') writeOrigins(options.origins, rows, names, sets);
  const seen = models.map((model) =>
    'version' in model ? seenRows(rows, sources, model.version.manifest.lineage.data) : new Uint8Array(rows.count),
  );
  const isKnown = (row: number): boolean => models.every((model) => !('known' in model) || Number.isFinite(model.known[row]));
  const counting = tested.filter((row) => isKnown(row) && seen.every((flags) => flags[row] === 0));
  if (counting.length === 0)
    throw new ServiceError('training.too_little_data', 'A version was trained on every tested origin. Add other files.');
  const input: ScoreInput = { rows, sources, ewma, counting, seed };
  const walks = models.length === 0 ? [] : [constantWalk('Random walk', seed, 0), constantWalk('Random walk with bounce', seed, 1e-4)];
  const answered: AnsweredModel[] = [];
  for (const model of models) {
    note(`asking ${model.name}`);
    answered.push(await answersOf(model, opened, { walks, tested, ...options }, note));
  }
  const served = answered.flatMap((model) => (model.p === null ? [] : [serveModel(input, { ...model, p: model.p })]));
  const failed = answered.filter(({ p }) => p === null);
  const views =
    served.length === 0 ? [] : membersByHorizon(input).map(([name, members]) => ({ name, lines: scoreModels(input, served, members) }));
  const tables = views.map(({ name, lines }) => modelTable(`Models side by side, ${name}`, lines, failed));
  const all = [...served, ...failed].map(({ name, fault, checks, msPerWindow }) => ({
    ...{ name, fault, checks, msPerWindow: Number.isFinite(msPerWindow) ? msPerWindow : null },
  }));
  const checks = served.flatMap((model) => model.checks.map(({ name, holds, text }) => [model.name, name, holds ? 'yes' : 'NO', text]));
  const every =
    checks.length === 0
      ? tables
      : [...tables, { title: 'Leak test and placebos', about: '', head: ['model', 'check', 'holds', 'found'], rows: checks }];
  return {
    origins: counting.length,
    written: { train: sets.train.length, test: sets.test.length },
    models: all,
    tables: every,
    text: [...every.map(tableText), ...failed.map(({ name, fault }) => `${name} has no figures: it ${fault}.`)].join('\n\n'),
    html: reportPage(input, { views: views.map(({ lines }) => lines), tables: every, notes, ...options }),
  };
}

type Asked = ScoreOptions & { readonly walks: readonly ReturnType<typeof constantWalk>[]; readonly tested: Int32Array };

async function answersOf(model: NamedModel, opened: TestRows, asked: Asked, note: (text: string) => void): Promise<AnsweredModel> {
  const { name } = model;
  const { rows } = opened.made;
  try {
    if ('known' in model) return { name, p: model.known, fault: null, line: model.line, msPerWindow: NaN, checks: [] };
    if ('version' in model) return versionAnswers(name, model.version, opened, asked);
    if ('file' in model) {
      const names = opened.sources.map((source) => source.name);
      return { name, p: readPredictions(model.file, rows, names, asked.tested), fault: null, msPerWindow: NaN, checks: [] };
    }
    const input = { command: model.command, sources: opened.sources, rows, answerMs: asked.answerMs, onProgress: note };
    const answers = await askCommand(input);
    const leaks = await leakChecks(input, answers);
    const leaking = leaks.filter(({ holds }) => !holds).map(({ text }) => text);
    if (leaking.length > 0) throw new ModelFault(`does not pass the leak test: ${leaking.join('; ')}`);
    const walks: Placebo[] = [];
    for (const walk of asked.walks) walks.push(await walkCheck(input, walk));
    return { name, ...answers, fault: null, checks: [...leaks, ...walks] };
  } catch (error) {
    if (!(error instanceof ModelFault)) throw error;
    return { name, p: null, fault: error.message, msPerWindow: NaN, checks: [] };
  }
}

function versionAnswers(name: string, version: ModelFolder, { sources, plan, made }: TestRows, { walks }: Asked): AnsweredModel {
  const from = systemClock.monotonicMs();
  const p = predictScores(version, made).candidate;
  const networkMs = (systemClock.monotonicMs() - from) / made.rows.count;
  const { checked, leaking } = leakTest(sources, plan, made.rows);
  const leak = {
    name: 'Later ticks deleted',
    holds: checked > 0 && leaking.length === 0,
    text: leaking.length === 0 ? `no bit of the inputs differs in ${checked} windows` : `these inputs differ: ${leaking.join(', ')}`,
  };
  const checks = [leak, ...walks.map((walk) => walkPlacebo(walk.name, scoreRows(version, walk.rows).p, walk.rows))];
  return { name, p, fault: null, line: version.memory, msPerWindow: networkMs + featureMs({ sources, plan }), checks };
}

const TIMED_WINDOWS = 200;

/** The time of the features of a window. */
function featureMs({ sources, plan }: Pick<TestRows, 'sources' | 'plan'>): number {
  const builder = new FeatureBuilder();
  const [sequence, context] = [new Float32Array(SEQUENCE_SIZE), new Float32Array(CONTEXT_COLUMNS)];
  const thinned = thinPlan(plan, Math.max(1, Math.floor(plan.count / TIMED_WINDOWS)));
  let ms = 0;
  for (const { block, series } of walkPlan(sources, thinned))
    for (const { from, origin, horizonS } of block.windows) {
      const past = { timesUs: series.timesUs.slice(from, origin + 1), prices: series.prices.slice(from, origin + 1) };
      const startMs = systemClock.monotonicMs();
      const measures = builder.read(past, 0, past.timesUs.length, past.timesUs.at(-1)! + horizonS * 1e6);
      if (typeof measures !== 'string') builder.write(measures.thetaDefault, sequence, 0, context, 0);
      ms += systemClock.monotonicMs() - startMs;
    }
  return ms / thinned.count;
}

type Page = { readonly views: readonly (readonly ModelLine[])[]; readonly command: string } & Pick<
  Parameters<typeof renderReport>[0],
  'tables' | 'notes'
>;

function reportPage({ rows, counting, sources }: ScoreInput, { views, tables, notes, command }: Page): string {
  const named = (views[0] ?? []).map(({ model, compared }) => ({ name: model.name, p: compared.scores.candidate }));
  return renderReport({
    ...{ id: 'models side by side', createdAt: new Date(systemClock.nowMs()).toISOString(), kind: 'evaluation', synthetic: false, command },
    ...{ verdict: null, nextSteps: [], curves: [], cells: [], drift: [], notes, tables },
    setting: [`${sources.map(({ name }) => name).join(', ')}: ${counting.length} origins that count for every model.`],
    ...reportFigures(labelsOf(rows, counting), named),
  });
}
