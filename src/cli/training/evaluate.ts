import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Command } from 'commander';
import { modelFolders } from '../../service/app/openRegistry.ts';
import { writing } from '../../core/fileErrors.ts';
import { availableProcessors } from '../../core/availableProcessors.ts';
import { readSettings, tensorflowEnvironment } from '../../core/config/settings.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { findVersion, loadCatalog } from '../../engine/model/loadCatalog.ts';
import { addGroup, type Groups, jsonLine, type CliContext, type GlobalOptions, progressOf } from '../CliContext.ts';
import { expandTickFiles } from '../files/expandTickFiles.ts';
import { addFileOptions, fileOptions, type FileFlags } from '../files/importFile.ts';
import { parseDuration, parseHorizons, wholeNumber } from '../parseOptions.ts';
import { US_PER_MS } from '../../core/units.ts';
import type { NamedModel } from '../../../training/evaluateModels.ts';
import type { TrainEvent } from '../../../training/TrainOptions.ts';
import { eventText, isPassing } from './trainText.ts';
import type { BackendChoice } from '../../core/config/settingTable.ts';
import { deviceOption } from './deviceOption.ts';

const HELP = `
Examples:
  $ tickmark evaluate base-2026-11-27 --data 'ticks/*.csv.gz'
  $ tickmark evaluate mine-1 --data june.csv.gz --horizons 10s,60s,300s --report mine-1.html
  $ tickmark evaluate mine-1 --data june.csv.gz --bars 60            on one-minute closes
  $ tickmark evaluate mine-1 --data june.csv.gz --placebo --python python3
  $ tickmark evaluate mine-1 --data export.csv --zone America/New_York   timestamps without a zone
  $ tickmark evaluate june.csv.gz --model tickmark --model 'python my_model.py'   any model, next to the default version
  $ tickmark evaluate june.csv.gz --origins origins.csv
  $ tickmark evaluate june.csv.gz --model tickmark --predictions mine.csv

Ticks that the version or an ancestor was trained on are recognised by their hashes and are not scored.
--python adds logistic regression and LightGBM on the same inputs to the report (packages: training/baselines/requirements.txt).
With --model, --predictions or --origins, the arguments are tick files, and models stand side by side: docs/how-to/own-model.md.`;

type EvaluateFlags = GlobalOptions &
  FileFlags & {
    readonly data?: readonly string[];
    readonly horizons: readonly number[];
    readonly group?: Groups;
    readonly bars: number;
    readonly seed: number;
    readonly workers: number;
    readonly placebo?: boolean;
    readonly python?: string;
    readonly report?: string;
    readonly device?: BackendChoice;
    readonly model?: readonly string[];
    readonly predictions?: readonly string[];
    readonly origins?: string;
    readonly maxOrigins?: number;
    /** Microseconds. */
    readonly timeout: number;
  };

const DEFAULT_HORIZONS = '10s,60s,300s,1800s';

export function addEvaluate(program: Command, context: CliContext): void {
  addFileOptions(program.command('evaluate').argument('<what...>', 'id of a version; tick files with --model, --predictions or --origins'))
    .description(
      'evaluate a version on tick files, as served and alone, or any models side by side, against the volatility baseline and the base rate that learn from the same outcomes',
    )
    .option('--data <files...>', 'tick files, folders or quoted patterns; may be repeated (required for a version)')
    .option(
      '--model <command>',
      'command that answers windows, id of a version, or "tickmark" for the default version; may be repeated',
      collect,
    )
    .option('--predictions <file>', 'CSV with the probabilities of a model that cannot be called; may be repeated', collect)
    .option('--origins <file>', 'write the origins to train and to test a model that cannot be called, as CSV')
    .option('--max-origins <count>', 'most origins of a file at a horizon (default: 3000)', wholeNumber(100, 1_000_000))
    .option('--timeout <duration>', 'time of a command for one answer', parseDuration, 10_000_000)
    .option('--horizons <list>', 'horizons to evaluate', parseHorizons, parseHorizons(DEFAULT_HORIZONS))
    .option('--group <name=a,b>', 'correlated series, by file name; may be repeated', addGroup)
    .option('--bars <seconds>', 'evaluate on the last tick of each bar of so many seconds; 0: every tick', wholeNumber(0, 255), 0)
    .option('--placebo', 'run the placebos too')
    .option('--python <program>', 'Python program with the packages of training/baselines; adds its baselines')
    .option('--report <file>', 'write an HTML report')
    .option('--seed <number>', 'random seed of window lengths and intervals', wholeNumber(0, 2 ** 31 - 1), 1)
    .option('--workers <count>', 'number of threads', wholeNumber(1, 64), Math.min(4, availableProcessors()))
    .addOption(deviceOption())
    .addHelpText('after', HELP)
    .action(async (what: readonly string[], _options: unknown, command: Command) => {
      const flags = command.optsWithGlobals<EvaluateFlags>();
      const isSideBySide = flags.model !== undefined || flags.predictions !== undefined || flags.origins !== undefined;
      if (isSideBySide) return compareModels(context, what, flags);
      if (what.length > 1) throw new ServiceError('command.invalid', 'Name one version, and its tick files with --data.');
      return evaluateVersion(context, what[0], flags);
    });
}

const collect = (text: string, before: readonly string[] = []): string[] => [...before, text];

function testOptions(flags: EvaluateFlags, names: readonly string[], err: CliContext['err']) {
  const settings = readSettings();
  const data = expandTickFiles(names, (line) => err(`${line}\n`));
  if (data.length === 0) throw new ServiceError('command.invalid', 'Name tick files with --data.');
  const options = {
    ...{ data, reading: fileOptions(flags), groups: flags.group ?? {}, horizonsS: flags.horizons, barS: flags.bars, seed: flags.seed },
    maxOrigins: flags.maxOrigins,
    ...{ workDir: path.resolve(settings.dataDir, 'training'), workers: flags.workers, backend: flags.device ?? settings.runtimeBackend },
    ...{ environment: tensorflowEnvironment(), command: `tickmark ${process.argv.slice(2).join(' ')}` },
  };
  return { settings, options };
}

/** Runs with the progress of a training on standard error. */
async function withProgress<T>(
  { err }: CliContext,
  flags: EvaluateFlags,
  run: (onEvent: (event: TrainEvent) => void) => Promise<T>,
): Promise<T> {
  const progress = progressOf(err, flags.json);
  try {
    return await run((event) => progress.show(eventText(event), isPassing(event)));
  } finally {
    progress.end();
  }
}

async function compareModels(context: CliContext, files: readonly string[], flags: EvaluateFlags): Promise<void> {
  const { out, err, fail } = context;
  if (flags.bars > 0) throw new ServiceError('command.invalid', '--bars is not possible with --model, --predictions or --origins.');
  const { settings, options } = testOptions(flags, [...files, ...(flags.data ?? [])], err);
  const catalog = loadCatalog(modelFolders(settings), settings.model);
  const models = (flags.model ?? []).map((name): NamedModel => {
    const version = name === 'tickmark' ? catalog.defaultId : name;
    const isVersion = catalog.versions.some(({ manifest }) => manifest.id === version);
    return isVersion ? { name: version, version: findVersion(catalog, version) } : { name, command: name };
  });
  const named = [...models, ...(flags.predictions ?? []).map((file): NamedModel => ({ name: path.basename(file), file }))];
  const twice = named.find(({ name }, at) => named.findIndex((other) => other.name === name) < at);
  if (twice !== undefined) throw new ServiceError('command.invalid', `The model ${twice.name} is named twice.`);
  const { evaluateModels } = await import('../../../training/evaluateModels.ts');
  const asked = { models: named, answerMs: flags.timeout / US_PER_MS, origins: flags.origins ?? '' };
  const { html, ...report } = await withProgress(context, flags, (onEvent) => evaluateModels({ ...options, ...asked }, onEvent));
  if (flags.report !== undefined) writing(flags.report, () => writeFileSync(flags.report!, html));
  const { train, test } = report.written;
  const texts = [
    report.text,
    flags.origins === undefined ? '' : `${train} origins to train on and ${test} to test in ${flags.origins}.`,
    flags.report === undefined ? '' : `Report: ${flags.report}`,
  ];
  out(flags.json ? jsonLine(report) : `${texts.filter((text) => text !== '').join('\n\n')}\n`);
  if (report.models.some(({ fault }) => fault !== null)) fail();
}

async function evaluateVersion(context: CliContext, id: string, flags: EvaluateFlags): Promise<void> {
  const { out, err, fail } = context;
  const { settings, options } = testOptions(flags, flags.data ?? [], err);
  const model = findVersion(loadCatalog(modelFolders(settings), settings.model), id);
  const { evaluate } = await import('../../../training/evaluate.ts');
  const placebos = { placebo: flags.placebo ?? false, python: flags.python ?? '' };
  const { html, ...report } = await withProgress(context, flags, (onEvent) => evaluate({ ...options, ...placebos, model }, onEvent));
  if (flags.report !== undefined) writing(flags.report, () => writeFileSync(flags.report!, html));
  out(flags.json ? jsonLine(report) : `${report.text}\n\n${flags.report === undefined ? '' : `Report: ${flags.report}\n`}`);
  if (!report.placebosHold) fail();
}
