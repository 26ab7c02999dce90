import { Option, type Command } from 'commander';
import type { AddedInputs } from '../../../training/addInputs.ts';
import type { EstimateReport, TrainEvent, TrainOptions, TrainReport } from '../../../training/TrainOptions.ts';
import { readSettings } from '../../core/config/settings.ts';
import { systemClock } from '../../core/Clock.ts';
import { act, jsonLine, type CliContext, type GlobalOptions, addGroup, type Groups, EXIT, progressOf } from '../CliContext.ts';
import { addFileOptions } from '../files/importFile.ts';
import { positiveNumber, wholeNumber } from '../parseOptions.ts';
import { StopSignals } from '../processEvents.ts';
import type { Experiment } from './Experiment.ts';
import { readExperiment } from './readExperiment.ts';
import { resolveTraining, type RunFlags } from './resolveTraining.ts';
import { eventText, isPassing, estimateText, reportText } from './trainText.ts';
import { deviceOption } from './deviceOption.ts';

const HELP = `
Examples:
  $ tickmark train                                                  generated ticks with a planted signal: no data needed
  $ tickmark train --data 'ticks/*.csv.gz' --horizon 60s --name mine-60s
  $ tickmark train --data 'ticks/*.csv.gz' --preset scalp --dry-run   reads, counts and estimates; trains nothing
  $ tickmark train --data eurusd-a.csv eurusd-b.csv gold.csv --group eurusd=eurusd-a,eurusd-b --base --name base-mine
  $ tickmark train --data export.csv --zone America/New_York --horizon 60s   timestamps without a zone
  $ tickmark train --data ticks/ --horizon 60s                      every tick file in a folder
  $ tickmark train --experiment mine.yaml
  $ tickmark train --experiment mine.yaml --resume                  resumes after Ctrl-C or a power cut

--horizon tunes the output head of its horizon bucket on the earlier ticks, with a frozen trunk, and evaluates it on the later ticks against the
current default version and two baselines, as they are served: with the memory of the series. A version is written only if it is better; tickmark models promote makes it the default.
Guide: docs/tutorial/training.md.
Exit codes: ${EXIT.ok} written, ${EXIT.notBetter} not better, nothing written, ${EXIT.failed} failed or stopped, ${EXIT.wrongUsage} wrong usage.`;

type TrainFlags = GlobalOptions &
  Omit<Experiment, 'groups'> & {
    readonly group?: Groups;
    readonly experiment?: string;
    readonly dryRun?: boolean;
    readonly addInputs?: boolean;
    readonly replace?: boolean;
    readonly force?: boolean;
    readonly resume?: boolean;
  };

export function addTrain(program: Command, context: CliContext): void {
  addFileOptions(program.command('train'))
    .description('train a model version on your ticks; it is written only if it is better on ticks that it was not trained on')
    .option('--data <files...>', 'tick files, folders or quoted patterns; may be repeated (default: generated ticks)')
    .option('--synthetic', 'train on generated ticks: to try it out, not to trade')
    .option('--horizon <duration>', 'tune the head of this horizon: 10s, 60s, 5m, 30m (default: 60s)')
    .addOption(new Option('--preset <name>', 'heads and horizons of a trading style').choices(['scalp', 'intraday', 'swing']))
    .option('--base', 'train the whole network, evaluated by leave-one-group-out cross-validation')
    .option('--from <id>', 'version to tune (default: the default version)')
    .option('--experiment <file>', 'YAML or JSON file with these settings; command-line options take precedence')
    .option('--name <id>', 'id of the new version (default: mine-<date>, base-<date> or synthetic-<date>)')
    .option('--out <folder>', 'folder to write it to (default: MODELS_DIR)')
    .option('--group <name=a,b>', 'correlated series, by file name; may be repeated', addGroup)
    .option('--sources <file>', 'JSON list of {file, instrument, source, licence} for the card')
    .option('--since <time>', 'use ticks from this date or time on, UTC')
    .option('--until <time>', 'use ticks before this date or time, UTC')
    .option(
      '--seed <number>',
      'random seed; the same seed, data and backend give the same version (default: 1)',
      wholeNumber(0, 2 ** 31 - 1),
    )
    .option('--seeds <count>', 'networks per fold with --base; one is served (default: 1)', wholeNumber(1, 20))
    .option('--epochs <count>', 'maximum number of epochs (default: 30 for a head, 5 for a base)', wholeNumber(1, 1000))
    .option('--batch-size <rows>', 'rows of one training step (default: 128)', wholeNumber(1, 4096))
    .option('--learning-rate <number>', 'peak learning rate (default: 0.003 for a head, 0.002 for a base)', positiveNumber(1))
    .addOption(new Option('--schedule <name>', 'learning rate schedule (default: cosine)').choices(['cosine', 'plateau']))
    .option(
      '--patience <count>',
      'stop after this many validations without a better loss (default: 12, 4 for a base)',
      wholeNumber(1, 1000),
    )
    .option('--max-rows <count>', 'maximum training rows of one series in one horizon bucket (default: 2600)', wholeNumber(1, 1_000_000))
    .option('--units <count>', 'units of the LSTM with --base (default: 16)', wholeNumber(4, 256))
    .option('--max-minutes <number>', 'stop training after this time and keep the best weights so far', positiveNumber(100_000))
    .option('--workers <count>', 'number of threads (default: number of processors, at most 4)', wholeNumber(1, 64))
    .addOption(deviceOption())
    .option('--dry-run', 'read the data, count rows and estimate the cost; train nothing')
    .option('--add-inputs', 'add input statistics to the existing version of this name, trained with these options; train nothing')
    .option('--replace', 'replace an existing version of the same name')
    .option('--force', 'write the version even if it does not pass its gate; its card says so')
    .option('--resume', 'resume the stopped run of this name')
    .addHelpText('after', HELP)
    .action(act(context, trainVersion));
}

async function trainVersion(context: CliContext, { group, experiment, json, addInputs: addsInputs, ...flags }: TrainFlags): Promise<void> {
  const given: Experiment = {
    ...(experiment === undefined ? {} : readExperiment(experiment)),
    ...flags,
    groups: group,
  };
  const asked = { replace: flags.replace ?? false, force: flags.force ?? false, resume: flags.resume ?? false };
  const run: Run = { given, asked, json: json ?? false };
  if (addsInputs === true) await runTraining(context, run, ADD_INPUTS);
  else if (flags.dryRun === true) await runTraining(context, run, ESTIMATE);
  else await trainAndReport(context, run);
}

/** What a run makes. Its code is imported late, so that --help and wrong options do not load the network. */
type Product<T> = {
  readonly make: (options: TrainOptions, show: (event: TrainEvent) => void) => Promise<T>;
  readonly textOf: (made: T) => string;
};

const ADD_INPUTS: Product<AddedInputs> = {
  make: async (...run) => (await import('../../../training/addInputs.ts')).addInputs(...run),
  textOf: ({ file, trainRows }) => `${file}: written from ${trainRows} training rows.\n`,
};
const ESTIMATE: Product<EstimateReport> = {
  make: async (...run) => (await import('../../../training/train.ts')).estimateTraining(...run),
  textOf: estimateText,
};
const VERSION: Product<TrainReport> = {
  make: async (...run) => (await import('../../../training/train.ts')).train(...run),
  textOf: reportText,
};

/** Trains, prints the report, and fails if no version was written. */
async function trainAndReport(context: CliContext, run: Run): Promise<void> {
  const report = await runTraining(context, run, VERSION);
  if (report.folder === null) context.fail(EXIT.notBetter);
}

type Run = { readonly given: Experiment; readonly asked: Omit<RunFlags, 'command'>; readonly json: boolean };

/** Makes a product and prints it. Ctrl-C writes a checkpoint. */
async function runTraining<T extends object>(
  { out, err }: CliContext,
  { given, asked, json }: Run,
  { make, textOf }: Product<T>,
): Promise<T> {
  const settings = readSettings();
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const flags = { ...asked, command: `tickmark ${process.argv.slice(2).join(' ')}` };
  const today = new Date(systemClock.nowMs()).toISOString().slice(0, 10);
  const options = await resolveTraining(given, flags, settings, today, stop, (line) => err(`${line}\n`));
  const progress = progressOf(err, json);
  const signals = new StopSignals();
  void signals.first.then((signal) => {
    Atomics.store(stop, 0, 1);
    progress.end();
    err(`tickmark: ${signal}, writing a checkpoint; once more ends at once.\n`);
  });
  try {
    const made = await make(options, (event) => progress.show(eventText(event), isPassing(event)));
    progress.end();
    out(json ? jsonLine(made) : textOf(made));
    return made;
  } finally {
    progress.end();
    signals.close();
  }
}
