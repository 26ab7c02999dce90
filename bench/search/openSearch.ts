import { readSettings } from '../../src/core/config/settings.ts';
import { readExperiment } from '../../src/cli/training/readExperiment.ts';
import { resolveTraining } from '../../src/cli/training/resolveTraining.ts';
import { readSources } from '../../training/data/readSources.ts';
import { makeRows, planRun, type RunPlan } from '../../training/planRun.ts';
import type { RowSet } from '../../training/data/RowSet.ts';
import type { TickSource } from '../../training/data/TickSource.ts';
import { type Fold, planFolds } from '../../training/splits/planFolds.ts';
import type { TrainOptions } from '../../training/TrainOptions.ts';

export type OpenedSearch = {
  readonly options: TrainOptions;
  readonly plan: RunPlan;
  readonly sources: readonly TickSource[];
  readonly train: RowSet;
  readonly test: RowSet;
  readonly folds: readonly Fold[];
  /** The class of a market, such as `fx`, by its instrument. */
  readonly classOf: (instrument: number) => string;
};

/** The rows and folds of an experiment file, computed once and then cached. */
export async function openSearch(runFile: string): Promise<OpenedSearch> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const flags = { dryRun: false, replace: true, force: false, resume: false, command: '' };
  const options = await resolveTraining(readExperiment(runFile), flags, readSettings(), '', stop, () => {});
  const plan = await planRun(options, () => {});
  const train = (await makeRows('training', plan, options, () => {})).rows;
  const test = (await makeRows('test', plan, options, () => {})).rows;
  process.stderr.write(`${train.count} training rows, ${test.count} test rows\n`);
  const markets = new Map(readSources(options.sources).map((source) => [source.file, (source as { market?: string }).market ?? '']));
  return {
    options,
    plan,
    sources: plan.sources,
    train,
    test,
    folds: planFolds(plan.sources, train, test),
    classOf: (at) => markets.get(plan.sources[at]?.file.name ?? '') ?? '',
  };
}
