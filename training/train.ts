import { accessSync, constants, existsSync } from 'node:fs';
import * as path from 'node:path';
import { systemClock } from '../src/core/Clock.ts';
import { makeFolder } from '../src/core/makeFolder.ts';
import { ServiceError } from '../src/core/ServiceError.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import { buildReport, candidateTables, nextSteps } from './buildReport.ts';
import type { Candidate } from './Candidate.ts';
import type { MadeRows } from './data/buildRows.ts';
import { describeScope, exampleHorizon } from './data/HorizonScope.ts';
import { readSources, describeSources } from './data/readSources.ts';
import { type MarkFigures, marksText, tableText } from './evaluation/scoreTables.ts';
import { RIVALS } from '../src/engine/scoring/conclusions.ts';
import { fineTune } from './fineTune.ts';
import { estimateRun, progressOf } from './estimateRun.ts';
import type { TrainJobSetting } from './loop/TrainJob.ts';
import { makeRows, planRun, refuseTooLittle, type RunPlan } from './planRun.ts';
import { networkSpec } from './networkSpec.ts';
import type { ReportTable } from './report/ReportData.ts';
import { renderReport } from './report/renderReport.ts';
import { RunFolder } from './RunFolder.ts';
import { trainBase } from './trainBase.ts';
import type { EstimateReport, TrainEvent, TrainOptions, TrainReport } from './TrainOptions.ts';
import { writeVersion } from './writeVersion.ts';

const secondsSince = (startMs: number): number => (systemClock.monotonicMs() - startMs) / 1000;

/** Throws ServiceError `file.*`, `training.too_little_data`. */
async function openRun(options: TrainOptions, onEvent: (event: TrainEvent) => void) {
  const known = readSources(options.sources);
  const plan = await planRun(options, onEvent);
  refuseTooLittle(plan.train.count, plan.test.count, describeScope(options.scope));
  const { id, mode } = options;
  return { known, plan, about: { id, mode, synthetic: options.data.length === 0, sources: describeSources(plan.sources) } };
}

/** Reads the data, counts rows and estimates the cost of a run; trains nothing. Throws what `train` throws before it trains. */
export async function estimateTraining(options: TrainOptions, onEvent: (event: TrainEvent) => void): Promise<EstimateReport> {
  const startMs = systemClock.monotonicMs();
  const { plan, about } = await openRun(options, onEvent);
  await openRuntime(options.backend, options);
  const estimate = await estimateRun(options, plan);
  return { ...about, trainRows: plan.train.count, testRows: plan.test.count, estimate, seconds: secondsSince(startMs) };
}

/**
 * From tick files to an evaluated model version: reads, plans, computes rows, trains, evaluates on data that the network never saw, and
 * writes the folder of the version if it passes the gate or `force` is set. The report is always written.
 *
 * Throws ServiceError `command.invalid` if the name is taken, `file.*`, `runtime.refused`, `training.too_little_data`, `training.diverged`,
 * `training.stopped`.
 */
export async function train(options: TrainOptions, onEvent: (event: TrainEvent) => void): Promise<TrainReport> {
  const startMs = systemClock.monotonicMs();
  const deadlineMs = systemClock.nowMs() + options.maxMinutes * 60_000;
  prepareFolder(options);
  const { known, plan, about } = await openRun(options, onEvent);
  const runtime = await openRuntime(options.backend, options);
  onEvent({ kind: 'note', text: `training on ${runtime.description}` });
  const run = new RunFolder(options.workDir, options.id);
  const made: MadeRows = {
    train: await makeRows('training', plan, options, onEvent),
    test: await makeRows('test', plan, options, onEvent),
  };
  refuseTooLittle(made.train.rows.count, made.test.rows.count, describeScope(options.scope));
  run.open(runKey(options, plan, runtime.backend), options.resume);
  const { parent, resume, seed, stop } = options;
  const setting: TrainJobSetting = {
    ...loopOptions(options),
    ...{ seed, stop, resume, deadlineMs, validations: 2, backend: runtime.backend, runDir: run.path },
    ...{ trainRows: made.train.rows, testRows: made.test.rows, groups: plan.sources.map(({ group }) => group) },
    spec: parent?.manifest.network ?? networkSpec(options.units),
  };
  const report = progressOf(setting.batchSize, onEvent);
  const candidate =
    parent === null
      ? await trainBase(options, plan, made, setting, report)
      : await fineTune({ ...options, parent }, plan, made, setting, report);
  const createdAt = new Date(systemClock.nowMs()).toISOString();
  const writes = candidate.verdict.passed || options.force;
  const setup = [
    `${describeScope(options.scope)}; ${options.mode === 'base' ? `groups left out: ${candidate.folds.join(', ')}` : 'evaluated on later ticks'}.`,
    `${runtime.description}; ${made.train.rows.count} training rows, ${made.test.rows.count} test rows; ${secondsSince(startMs).toFixed(0)} s.`,
    ...candidate.results.map(resultSentence),
  ];
  // The intervals of the tables take seconds: once for report, card and terminal.
  const tables = candidateTables(candidate, plan, options.seed, known);
  const html = renderReport(
    buildReport(candidate, options, plan, {
      createdAt,
      tables,
      setting: setup,
      nextSteps: writes ? nextSteps(options, candidate.verdict.passed) : [],
    }),
  );
  run.writeReport(html);
  const folder = writes
    ? await writeVersion({
        candidate,
        options,
        plan,
        sources: known,
        tables,
        createdAt,
        report: html,
      })
    : null;
  run.clear();
  return {
    ...about,
    folder,
    reportFile: folder === null ? run.reportFile : path.join(folder, 'report.html'),
    trainRows: made.train.rows.count,
    testRows: made.test.rows.count,
    trainCounts: made.train.counts,
    testCounts: made.test.counts,
    folds: candidate.folds,
    verdict: candidate.verdict,
    marks: marksLines(candidate, options.id),
    exampleHorizon: exampleHorizon(options.scope),
    table: shownTables(candidate, tables).map(tableText).join('\n\n'),
    seconds: secondsSince(startMs),
  };
}

/**
 * Tables for a terminal: comparison with the baselines and with the served version, as served; if no origin counts, with all origins, as the title then
 * states.
 */
function shownTables({ compared: { scores, served }, seenToo }: Candidate, tables: readonly ReportTable[]): readonly ReportTable[] {
  const shown = RIVALS.length + (served === null ? 0 : 1);
  return scores.row.length === 0 && seenToo !== null ? tables.slice(shown, shown + 1) : tables.slice(0, shown);
}

/** What a bot will do, before and after: the fraction of windows that is marked and how many of the marks come true, as served. */
function marksLines({ compared: { marks }, against }: Candidate, id: string): string[] {
  const line = (of: string, figures: MarkFigures | null): string[] => (figures === null ? [] : [marksText(of, figures)]);
  return [...line(`Marks of ${against}`, marks.before), ...line(`Marks of ${id}`, marks.after)];
}

/** Checked before the run, which takes minutes or hours. */
function prepareFolder({ out, id, replace, resume }: TrainOptions): void {
  if (!replace && !resume && existsSync(path.join(out, id)))
    throw new ServiceError('command.invalid', `${out} already contains a version ${id}. Use another --name, or add --replace.`);
  try {
    makeFolder(out);
    accessSync(out, constants.W_OK);
  } catch (cause) {
    throw new ServiceError('file.unwritable', `The version cannot be written to ${out}: ${(cause as Error).message}.`, { cause });
  }
}

const loopOptions = ({ epochs, batchSize, learningRate, schedule, patience }: TrainOptions) => ({
  ...{ epochs, batchSize, learningRate, schedule, patience },
});

/** Everything that determines the weights: a run resumes only with the same values. */
function runKey(options: TrainOptions, { sources, code, rowSettings }: RunPlan, backend: string): unknown {
  const files = sources.map(({ file, group }) => [file.sha256, group]);
  return {
    files,
    code,
    rowSettings,
    backend,
    seeds: options.seeds,
    ...loopOptions(options),
    parent: options.parent?.manifest.files ?? null,
  };
}

function resultSentence({ name, steps, bestStep, ended, waitFraction, rowsPerS, training }: Candidate['results'][number]): string {
  const done = training.at(-1)?.step ?? 0;
  const why = { all_steps: 'all steps', no_better: 'the loss no longer improved', out_of_time: 'the time limit was reached' }[ended];
  return `${name}: ${done} of ${steps} steps (${why}), kept step ${bestStep}; ${rowsPerS.toFixed(0)} rows per second, ${(100 * waitFraction).toFixed(1)} % of the step time spent waiting for data.`;
}
