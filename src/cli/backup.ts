import type { Command } from 'commander';
import { ACCOUNTS_FILE } from '../app/backup/backupFiles.ts';
import { makeBackup } from '../app/backup/makeBackup.ts';
import { restoreBackup } from '../app/backup/restoreBackup.ts';
import { withAccounts } from '../app/openAccounts.ts';
import { readSettings } from '../config/settings.ts';
import { plural } from '../core/plural.ts';
import { jsonLine, type CliContext, type GlobalOptions } from './CliContext.ts';
import { version } from './version.ts';

const BACKUP_HELP = `
Examples:
  $ tickmark backup /srv/backups/2026-01-31

The folder must be new. It holds accounts, audit log, your model versions, and what is promoted; of a service that runs, too. It holds password hashes
and digests of keys: keep it like the store itself.`;

const RESTORE_HELP = `
Examples:
  $ tickmark restore /srv/backups/2026-01-31
  $ tickmark restore /srv/backups/2026-01-31 --skip-existing     leaves what is there, and differs, as it is

Brings back what is missing, into the store of these settings, of whatever kind, and into MODELS_DIR. The whole backup is checked first; where anything
that is there differs, nothing is changed.`;

export function addBackup(program: Command, context: CliContext): void {
  program
    .command('backup')
    .argument('<folder>', 'a new folder')
    .description('write accounts and model versions to a folder')
    .addHelpText('after', BACKUP_HELP)
    .action((folder: string, _options: unknown, command: Command) => backup(context, folder, command.optsWithGlobals<GlobalOptions>()));
  program
    .command('restore')
    .argument('<folder>', 'a folder of backup')
    .description('bring back what is missing from a backup')
    .option('--skip-existing', 'leave what is there, and differs, as it is')
    .addHelpText('after', RESTORE_HELP)
    .action((folder: string, _options: unknown, command: Command) =>
      restore(context, folder, command.optsWithGlobals<GlobalOptions & { skipExisting?: boolean }>()),
    );
}

async function backup({ out }: CliContext, folder: string, { json }: GlobalOptions): Promise<void> {
  const settings = readSettings();
  await withAccounts(settings, async ({ store, clock }) => {
    const { files } = await makeBackup({ store, clock, modelsDir: settings.modelsDir, tickmark: version() }, folder);
    const versions = new Set(files.flatMap(({ path: name }) => /^models\/([^/]+)\/./.exec(name)?.[1] ?? []));
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (json === true) return out(jsonLine({ folder, versions: [...versions], files: files.length, bytes }));
    out(
      `${folder}: ${ACCOUNTS_FILE} and ${plural(versions.size, 'model version')}, ${plural(bytes, 'byte')}. It holds password hashes: keep it like the store itself.\n`,
    );
  });
}

async function restore(
  { out }: CliContext,
  folder: string,
  { json, skipExisting = false }: GlobalOptions & { readonly skipExisting?: boolean },
): Promise<void> {
  const settings = readSettings();
  await withAccounts(settings, async ({ store, clock }) => {
    const report = await restoreBackup({ store, clock, modelsDir: settings.modelsDir }, folder, { skipsExisting: skipExisting });
    if (json === true) return out(jsonLine(report));
    const { accounts, versions, pointers, leftAlone } = report;
    const lines = [
      `Accounts: ${accounts.created} brought back, ${accounts.unchanged} were there, ${accounts.skipped} differ and were left as they are.`,
      `Model versions brought back: ${versions.join(', ') || 'none'}.`,
      `Pointers brought back: ${pointers.join(', ') || 'none'}.`,
      ...(leftAlone.length === 0 ? [] : [`Left as they are, though they differ: ${leftAlone.join(', ')}.`]),
    ];
    out(`${lines.join('\n')}\n`);
  });
}
