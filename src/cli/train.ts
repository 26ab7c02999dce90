import { availableParallelism } from 'node:os';
import * as path from 'node:path';
import { Option, type Command } from 'commander';
import type { TrainEvent, TrainReport } from '../../training/TrainOptions.ts';
import { readSettings, tensorflowEnvironment } from '../config/settings.ts';
import { systemClock } from '../core/Clock.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { jsonLine, type CliContext, type GlobalOptions } from './CliContext.ts';
import { expandTickFiles } from './expandTickFiles.ts';
import { addGroup, type Groups } from './addGroup.ts';
import { positiveNumber, wholeNumber } from './parseNumber.ts';
import { ProgressLine } from './ProgressLine.ts';

const HELP = `
Examples:
  $ tickmark train --synthetic --name first-try          generated ticks: works without any data
  $ tickmark train --data 'ticks/*.csv.gz' --name mine-1
  $ tickmark train --data eurusd-a.csv eurusd-b.csv --group eurusd=eurusd-a,eurusd-b --data gold.csv
  $ tickmark train --data ticks/ --dry-run               reads and counts, trains nothing

Then: MODEL=mine-1 tickmark serve   (tickmark models show mine-1 prints its card).
Groups name series that move together (two brokers of one market): the judgement leaves them out together.`;

type TrainCommandOptions = GlobalOptions & {
  readonly data?: readonly string[];
  readonly synthetic?: boolean;
  readonly name?: string;
  readonly out?: string;
  readonly group?: Groups;
  readonly sources?: string;
  readonly seed: number;
  readonly epochs: number;
  readonly batchSize: number;
  readonly learningRate: number;
  readonly maxRows: number;
  readonly workers: number;
  readonly dryRun?: boolean;
  readonly replace?: boolean;
};

export function addTrain(program: Command, context: CliContext): void {
  program
    .command('train')
    .description('train a model version from tick files, judged beside the volatility baseline')
    .option('--data <files...>', 'tick files, folders or quoted patterns; may be repeated')
    .option('--synthetic', 'train on generated ticks, without any data: for trying out, not for trading')
    .option('--name <id>', 'id of the new version (default: mine-<date>, or synthetic-<date>)')
    .option('--out <folder>', 'folder to put it in (default: MODELS_DIR)')
    .option('--group <name=a,b>', 'series that move together, by file name without extension; may be repeated', addGroup)
    .option('--sources <file>', 'JSON list of {file, instrument, source, licence} for the card')
    .option('--seed <number>', 'the same seed and data give the same version', wholeNumber(0, 2 ** 31 - 1), 1)
    .option('--epochs <count>', 'passes over the rows', wholeNumber(1, 1000), 5)
    .addOption(new Option('--batch-size <rows>', 'rows of one step').argParser(wholeNumber(1, 4096)).default(128))
    .addOption(new Option('--learning-rate <number>', 'peak of the learning rate').argParser(positiveNumber(1)).default(0.002))
    .option('--max-rows <count>', 'most training rows of one series in one horizon bucket', wholeNumber(1, 1_000_000), 2600)
    .option('--workers <count>', 'threads', wholeNumber(1, 64), Math.min(4, availableParallelism()))
    .option('--dry-run', 'read the data and count the rows, train nothing')
    .option('--replace', 'replace a version of the same name')
    .addHelpText('after', HELP)
    .action(async (_options: unknown, command: Command) => trainVersion(context, command.optsWithGlobals<TrainCommandOptions>()));
}

async function trainVersion({ out, err }: CliContext, options: TrainCommandOptions): Promise<void> {
  const settings = readSettings();
  const data = expandTickFiles(options.data ?? []);
  if (data.length === 0 && options.synthetic !== true)
    throw new ServiceError('command.invalid', 'Name tick files with --data, or pass --synthetic to train on generated ticks.');
  if (data.length > 0 && options.synthetic === true)
    throw new ServiceError('command.invalid', '--data and --synthetic exclude each other.');
  const id = options.name ?? `${options.synthetic === true ? 'synthetic' : 'mine'}-${today()}`;
  if (!/^[a-z0-9][a-z0-9.-]{0,63}$/.test(id))
    throw new ServiceError('command.invalid', '--name takes up to 64 small letters, digits, dots and dashes; the first is no dot or dash.');
  const { train } = await import('../../training/train.ts');
  const progress = new ProgressLine(err, process.stderr.isTTY && options.json !== true, () => systemClock.monotonicMs());
  const report = await train(
    {
      data,
      groups: options.group ?? {},
      id,
      out: options.out === undefined ? settings.modelsDir : path.resolve(options.out),
      seed: options.seed,
      epochs: options.epochs,
      batchSize: options.batchSize,
      learningRate: options.learningRate,
      maxPerBucket: options.maxRows,
      workers: options.workers,
      backend: settings.runtimeBackend,
      environment: tensorflowEnvironment(),
      dryRun: options.dryRun ?? false,
      sources: options.sources ?? '',
      command: `tickmark ${process.argv.slice(2).join(' ')}`,
      replace: options.replace ?? false,
    },
    (event) => progress.show(eventText(event), event.kind === 'training' || event.kind === 'rows'),
  );
  progress.end();
  out(options.json ? jsonLine(report) : reportText(report));
}

function today(): string {
  return new Date(systemClock.nowMs()).toISOString().slice(0, 10);
}

function eventText(event: TrainEvent): string {
  switch (event.kind) {
    case 'read':
      return `read ${event.name}: ${event.rows} ticks`;
    case 'rows':
      return `${event.what} rows: ${event.done} of ${event.total}`;
    case 'training':
      return `training: network ${Math.min(event.jobsDone + 1, event.jobs)} of ${event.jobs}, ${(100 * event.share).toFixed(0)} %, loss ${event.loss.toFixed(4)}, ${Math.ceil(event.etaS)} s left`;
    case 'note':
      return event.text;
  }
}

function reportText({ id, folder, trainRows, testRows, folds, table, atOrAboveBaseline, seconds }: TrainReport): string {
  const counts = `${trainRows} training rows, ${testRows} test rows, judged by leaving out: ${folds.join(', ')}`;
  if (folder === null) return `${counts}\nDry run: nothing was trained.\n`;
  const verdict =
    atOrAboveBaseline === true ? 'at or above the volatility baseline' : 'NOT above the volatility baseline: keep the model you have';
  return `${counts}\n\n${table}\n\n${id} is ${verdict}. Written to ${folder} in ${seconds.toFixed(0)} s.\nServe it: MODEL=${id} npm start\n`;
}
