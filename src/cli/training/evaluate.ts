import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Command } from 'commander';
import { modelFolders } from '../../service/app/openRegistry.ts';
import { availableProcessors } from '../../core/availableProcessors.ts';
import { readSettings, tensorflowEnvironment } from '../../core/config/settings.ts';
import { systemClock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { findVersion, loadCatalog } from '../../engine/model/loadCatalog.ts';
import { addGroup, type Groups, jsonLine, type CliContext, type GlobalOptions, ProgressLine } from '../CliContext.ts';
import { expandTickFiles } from '../files/expandTickFiles.ts';
import { addFileOptions, fileOptions, type FileFlags } from '../files/importFile.ts';
import { parseHorizons, wholeNumber } from '../parseOptions.ts';
import { eventText, isPassing } from './trainText.ts';
import type { BackendChoice } from '../../core/config/backendChoices.ts';
import { deviceOption } from './deviceOption.ts';

const HELP = `
Examples:
  $ tickmark evaluate base-2026-11-27 --data 'ticks/*.csv.gz'
  $ tickmark evaluate mine-1 --data june.csv.gz --horizons 10s,60s,300s --report mine-1.html
  $ tickmark evaluate mine-1 --data june.csv.gz --bars 60            on one-minute closes
  $ tickmark evaluate mine-1 --data june.csv.gz --placebo --python python3
  $ tickmark evaluate mine-1 --data export.csv --zone America/New_York   timestamps without a zone

Ticks that the version or an ancestor was trained on are recognised by their hashes and are not scored.
--python adds logistic regression and LightGBM on the same inputs to the report (packages: training/baselines/requirements.txt).`;

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
  };

const DEFAULT_HORIZONS = '10s,60s,300s,1800s';

export function addEvaluate(program: Command, context: CliContext): void {
  addFileOptions(program.command('evaluate').argument('<model>', 'id of a version'))
    .description(
      'evaluate a version on tick files, as served and alone, against the volatility baseline and the base rate that learn from the same outcomes',
    )
    .option('--data <files...>', 'tick files, folders or quoted patterns; may be repeated (required)')
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
    .action(async (id: string, _options: unknown, command: Command) =>
      evaluateVersion(context, id, command.optsWithGlobals<EvaluateFlags>()),
    );
}

async function evaluateVersion({ out, err, fail }: CliContext, id: string, flags: EvaluateFlags): Promise<void> {
  const settings = readSettings();
  const data = expandTickFiles(flags.data ?? [], (line) => err(`${line}\n`));
  if (data.length === 0) throw new ServiceError('command.invalid', 'Name tick files with --data.');
  const model = findVersion(loadCatalog(modelFolders(settings), settings.model), id);
  const { evaluate } = await import('../../../training/evaluate.ts');
  const progress = new ProgressLine(err, process.stderr.isTTY && flags.json !== true, () => systemClock.monotonicMs());
  try {
    const { html, ...report } = await evaluate(
      {
        model,
        data,
        reading: fileOptions(flags),
        groups: flags.group ?? {},
        horizonsS: flags.horizons,
        barS: flags.bars,
        workDir: path.resolve(settings.dataDir, 'training'),
        seed: flags.seed,
        workers: flags.workers,
        backend: flags.device ?? settings.runtimeBackend,
        environment: tensorflowEnvironment(),
        placebo: flags.placebo ?? false,
        python: flags.python ?? '',
        command: `tickmark ${process.argv.slice(2).join(' ')}`,
      },
      (event) => progress.show(eventText(event), isPassing(event)),
    );
    progress.end();
    if (flags.report !== undefined) writeReport(flags.report, html);
    out(flags.json ? jsonLine(report) : `${report.text}\n\n${flags.report === undefined ? '' : `Report: ${flags.report}\n`}`);
    if (!report.placebosHold) fail();
  } finally {
    progress.end();
  }
}

function writeReport(file: string, html: string): void {
  try {
    writeFileSync(file, html);
  } catch (cause) {
    throw new ServiceError('file.unwritable', `${file} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}
