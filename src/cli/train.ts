import { Option, type Command } from 'commander';
import type { TrainEvent } from '../../training/TrainOptions.ts';
import { readSettings } from '../config/settings.ts';
import { systemClock } from '../core/Clock.ts';
import { jsonLine, type CliContext, type GlobalOptions } from './CliContext.ts';
import { addGroup, type Groups } from './addGroup.ts';
import { addFileOptions } from './files/importOptions.ts';
import { EXIT } from './exitCodes.ts';
import { positiveNumber, wholeNumber } from './parseNumber.ts';
import { ProgressLine } from './ProgressLine.ts';
import { StopSignals } from './StopSignals.ts';
import type { Experiment } from './training/Experiment.ts';
import { readExperiment } from './training/readExperiment.ts';
import { resolveTraining } from './training/resolveTraining.ts';
import { eventText, isPassing, reportText } from './training/trainText.ts';

const HELP = `
Examples:
  $ tickmark train                                                  generated ticks with a planted signal: no data needed
  $ tickmark train --data 'ticks/*.csv.gz' --horizon 60s --name mine-60s
  $ tickmark train --data 'ticks/*.csv.gz' --preset scalp --dry-run   reads, counts and estimates, trains nothing
  $ tickmark train --data eurusd-a.csv eurusd-b.csv gold.csv --group eurusd=eurusd-a,eurusd-b --base --name base-mine
  $ tickmark train --data export.csv --zone America/New_York --horizon 60s   stamps without a zone
  $ tickmark train --data ticks/ --horizon 60s                      every tick file in a folder
  $ tickmark train --experiment mine.yaml
  $ tickmark train --experiment mine.yaml --resume                  goes on where Ctrl-C or a power cut ended it

A horizon tunes the head of its bucket on the earlier ticks, trunk frozen, and judges it on the later ones beside the volatility baseline and
the version that answers now. Only what is better is written; tickmark models promote makes it the default. docs/training.md has the whole way.
Exit codes: ${EXIT.ok} written, ${EXIT.notBetter} not better and nothing written, ${EXIT.failed} failed or stopped, ${EXIT.wrongUsage} wrong usage.`;

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
    .description('train a model version on your ticks; it is written only if it is better on ticks it never saw')
    .option('--data <files...>', 'tick files, folders or quoted patterns; may be repeated (default: generated ticks)')
    .option('--synthetic', 'generated ticks: for trying out, not for trading')
    .option('--horizon <duration>', 'tune the head of this horizon: 10s, 60s, 5m, 30m (default: 60s)')
    .addOption(new Option('--preset <name>', 'heads and horizons of a style').choices(['scalp', 'intraday', 'swing']))
    .option('--base', 'train the whole network, judged by leaving groups out')
    .option('--from <id>', 'version to tune (default: the one that answers now)')
    .option('--experiment <file>', 'YAML or JSON file with these settings; options given here win')
    .option('--name <id>', 'id of the new version (default: mine-<date>, base-<date> or synthetic-<date>)')
    .option('--out <folder>', 'folder to put it in (default: MODELS_DIR)')
    .option('--group <name=a,b>', 'series that move together, by file name; may be repeated', addGroup)
    .option('--sources <file>', 'JSON list of {file, instrument, source, licence} for the card')
    .option('--since <time>', 'use ticks from this day or moment on, UTC')
    .option('--until <time>', 'use ticks before this day or moment, UTC')
    .option('--seed <number>', 'the same seed, data and backend give the same version (default: 1)', wholeNumber(0, 2 ** 31 - 1))
    .option('--seeds <count>', 'networks per fold with --base; one is served (default: 1)', wholeNumber(1, 20))
    .option('--epochs <count>', 'most passes over the rows (default: 30 for a head, 5 for a base)', wholeNumber(1, 1000))
    .option('--batch-size <rows>', 'rows of one step (default: 128)', wholeNumber(1, 4096))
    .option('--learning-rate <number>', 'its peak (default: 0.003 for a head, 0.002 for a base)', positiveNumber(1))
    .addOption(new Option('--schedule <name>', 'how the rate falls (default: cosine)').choices(['cosine', 'plateau']))
    .option('--patience <count>', 'validations without a better loss until it ends (default: 12, 4 for a base)', wholeNumber(1, 1000))
    .option('--max-rows <count>', 'most training rows of one series in one horizon bucket (default: 2600)', wholeNumber(1, 1_000_000))
    .option('--max-minutes <number>', 'end training after so long with the best weights so far', positiveNumber(100_000))
    .option('--workers <count>', 'threads (default: as many as processors, at most 4)', wholeNumber(1, 64))
    .addOption(new Option('--device <name>', 'backend (default: RUNTIME_BACKEND)').choices(['auto', 'cuda', 'native', 'wasm', 'cpu']))
    .option('--tensorboard <folder>', 'write curves as TensorBoard events')
    .option('--dry-run', 'read the data, count and estimate, train nothing')
    .option('--add-inputs', 'give the version of this name, trained with these options, the statistics of its inputs; train nothing')
    .option('--replace', 'replace a version of the same name')
    .option('--force', 'write the version although it did not pass; its card says so')
    .option('--resume', 'go on with the run of this name that was stopped')
    .addHelpText('after', HELP)
    .action(async (_options: unknown, command: Command) => trainVersion(context, command.optsWithGlobals<TrainFlags>()));
}

async function trainVersion(
  { out, err, fail }: CliContext,
  { group, experiment, json, addInputs: addsInputs, ...flags }: TrainFlags,
): Promise<void> {
  const settings = readSettings();
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const given: Experiment = {
    ...(experiment === undefined ? {} : readExperiment(experiment)),
    ...flags,
    ...(group === undefined ? {} : { groups: group }),
  };
  const asked = {
    dryRun: flags.dryRun ?? false,
    replace: flags.replace ?? false,
    force: flags.force ?? false,
    resume: flags.resume ?? false,
    command: `tickmark ${process.argv.slice(2).join(' ')}`,
  };
  const today = new Date(systemClock.nowMs()).toISOString().slice(0, 10);
  const options = await resolveTraining(given, asked, settings, today, stop, (line) => err(`${line}\n`));
  // Imported late, so that --help does not load the network.
  const { train } = await import('../../training/train.ts');
  const { addInputs } = await import('../../training/addInputs.ts');
  const progress = new ProgressLine(err, process.stderr.isTTY && json !== true, () => systemClock.monotonicMs());
  const signals = new StopSignals();
  void signals.first.then((signal) => {
    Atomics.store(stop, 0, 1);
    progress.end();
    err(`tickmark: ${signal}, writing a checkpoint; once more ends at once.\n`);
  });
  const show = (event: TrainEvent): void => progress.show(eventText(event), isPassing(event));
  try {
    if (addsInputs === true) {
      const added = await addInputs(options, show);
      progress.end();
      return out(json ? jsonLine(added) : `${added.file}: written from ${added.trainRows} training rows.\n`);
    }
    const report = await train(options, show);
    progress.end();
    out(json ? jsonLine(report) : reportText(report));
    if (report.verdict !== null && report.folder === null) fail(EXIT.notBetter);
  } finally {
    progress.end();
    signals.close();
  }
}
