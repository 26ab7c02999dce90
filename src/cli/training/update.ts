import * as path from 'node:path';
import type { Command } from 'commander';
import { modelFolders } from '../../service/app/openRegistry.ts';
import { readSettings } from '../../core/config/settings.ts';
import { quoteValue, ServiceError } from '../../core/ServiceError.ts';
import { US_PER_MS } from '../../core/units.ts';
import { nameOf } from '../../engine/model/datedId.ts';
import { findVersion, loadCatalog } from '../../engine/model/loadCatalog.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';
import { EXIT, type CliContext, type GlobalOptions } from '../CliContext.ts';
import { expandTickFiles } from '../files/expandTickFiles.ts';
import { addFileOptions, fileOptions, type FileFlags } from '../files/importFile.ts';
import { promoteModel } from '../models/modelCommands.ts';
import { wholeNumber } from '../parseOptions.ts';
import { trainAndReport } from './train.ts';
import type { BackendChoice } from '../../core/config/backendChoices.ts';
import { deviceOption } from './deviceOption.ts';

const HELP = `
Examples:
  $ tickmark update --data 'ticks/*.csv.gz' --promote       the default version: one line for cron, once a week or a month
  $ tickmark update eurusd-1 --data 'ticks/*.csv.gz' --name eurusd-2

Learns a market again from the newest weeks: as many as before, at least eight. A version stores no ticks, so --data names the files of all
these weeks, old and new. The gate compares the new version with the old one on weeks that neither has seen: it may be worse neither in AUC
nor in Brier score.
Guide: docs/how-to/market.md.
Exit codes: ${EXIT.ok} written, ${EXIT.notBetter} not better, nothing written, ${EXIT.failed} failed or nothing new, ${EXIT.wrongUsage} wrong usage.`;

type UpdateFlags = GlobalOptions &
  FileFlags & {
    readonly data?: readonly string[];
    readonly name?: string;
    readonly out?: string;
    readonly promote?: boolean;
    readonly replace?: boolean;
    readonly seed?: number;
    readonly maxRows?: number;
    readonly workers?: number;
    readonly device?: BackendChoice;
  };

export function addUpdate(program: Command, context: CliContext): void {
  addFileOptions(program.command('update').argument('[model]', 'id of a version with a market (default: the default version)'))
    .description('add new weeks to a version that knows its market; it is written only if it is better on weeks that neither has seen')
    .option('--data <files...>', 'tick files of one market, old and new weeks; may be repeated (required)')
    .option('--name <id>', 'id of the new version (default: id of the old one and the date of the newest tick)')
    .option('--out <folder>', 'folder to write it to (default: MODELS_DIR)')
    .option('--promote', 'make it the default version if it is better')
    .option('--replace', 'replace an existing version of the same name')
    .option('--seed <number>', 'random seed (default: 1)', wholeNumber(0, 2 ** 31 - 1))
    .option('--max-rows <count>', 'maximum training rows in one horizon bucket (default: 6000)', wholeNumber(1, 1_000_000))
    .option('--workers <count>', 'number of threads (default: number of processors, at most 4)', wholeNumber(1, 64))
    .addOption(deviceOption())
    .addHelpText('after', HELP)
    .action(async (id: string | undefined, _options: unknown, command: Command) =>
      updateVersion(context, id, command.optsWithGlobals<UpdateFlags>()),
    );
}

async function updateVersion(context: CliContext, given: string | undefined, flags: UpdateFlags): Promise<void> {
  const settings = readSettings();
  const catalog = loadCatalog(modelFolders(settings), settings.model);
  const { manifest, market } = findVersion(catalog, given ?? catalog.defaultId);
  const { id } = manifest;
  if (market === undefined)
    throw new ServiceError('command.invalid', `${quoteValue(id)} knows no market. Train one with tickmark train --market.`);
  const data = expandTickFiles(flags.data ?? [], (line) => context.err(`${line}\n`));
  if (data.length === 0)
    throw new ServiceError('command.invalid', 'An update needs the ticks of its weeks, old and new: name them with --data.');
  // Imported late, so that --help does not load the network.
  const { updateWeeks } = await import('../../../training/market/updateWeeks.ts');
  const cacheDir = path.join(path.resolve(settings.dataDir, 'training'), 'cache');
  const { fromUs, lastUs } = await updateWeeks(id, market.file, data, { reading: fileOptions(flags), cacheDir });
  const name = flags.name ?? `${nameOf(id)}-${new Date(lastUs / US_PER_MS).toISOString().slice(0, 10)}`;
  const { json, promote = false, replace = false, ...options } = flags;
  const report = await trainAndReport(context, {
    given: { ...options, data, market: true, from: id, name, since: formatTimestamp(fromUs, 6) },
    asked: { replace, force: false, resume: false },
    json: json ?? false,
  });
  const { out } = context;
  // With --json, the report is the only output.
  if (promote && report.folder !== null) await promoteModel({ ...context, out: json === true ? () => {} : out }, name, {});
}
