import type { Command } from 'commander';
import { withAccounts } from '../service/app/withAccounts.ts';
import { readSettings } from '../core/config/settings.ts';
import { plural } from '../core/plural.ts';
import { programVersion } from '../core/packageRoot.ts';
import { jsonLine, type CliContext, type GlobalOptions } from './CliContext.ts';

const BACKUP_HELP = `
Examples:
  $ tickmark backup /srv/backups/2026-01-31

The folder must not exist yet. The backup holds the accounts, the audit log, your model versions and which one is promoted, also those in MongoDB
(MODEL_REGISTRY=mongodb); no program of MongoDB is needed.
The service may be running. The backup contains password hashes and key digests: protect it like the account store.`;

const RESTORE_HELP = `
Examples:
  $ tickmark restore /srv/backups/2026-01-31
  $ tickmark restore /srv/backups/2026-01-31 --skip-existing     skips items that exist with different data

Restores missing items to the configured account store and registry (MODELS_DIR or MongoDB), which may be of another kind than the backed-up ones. The whole backup is
validated first. If an item exists with different data, nothing is changed.`;

export function addBackup(program: Command, context: CliContext): void {
  program
    .command('backup')
    .argument('<folder>', 'a folder that does not exist yet')
    .description('back up accounts and model versions to a folder')
    .addHelpText('after', BACKUP_HELP)
    .action((folder: string, _options: unknown, command: Command) => backup(context, folder, command.optsWithGlobals<GlobalOptions>()));
  program
    .command('restore')
    .argument('<folder>', 'a folder that backup wrote')
    .description('restore missing accounts and model versions from a backup')
    .option('--skip-existing', 'skip items that exist with different data')
    .addHelpText('after', RESTORE_HELP)
    .action((folder: string, _options: unknown, command: Command) =>
      restore(context, folder, command.optsWithGlobals<GlobalOptions & { skipExisting?: boolean }>()),
    );
}

async function backup({ out }: CliContext, folder: string, { json }: GlobalOptions): Promise<void> {
  const [{ ACCOUNTS_FILE }, { makeBackup }] = await Promise.all([
    import('../service/app/backup/backupFiles.ts'),
    import('../service/app/backup/makeBackup.ts'),
  ]);
  const settings = readSettings();
  await withAccounts(settings, async ({ store, versions: registry, clock }) => {
    const { files } = await makeBackup(
      { store, versions: registry, clock, modelsDir: settings.modelsDir, tickmark: programVersion() },
      folder,
    );
    const versions = new Set(files.flatMap(({ path: name }) => /^models\/([^/]+)\/./.exec(name)?.[1] ?? []));
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (json === true) return out(jsonLine({ folder, versions: [...versions], files: files.length, bytes }));
    out(
      `${folder}: ${ACCOUNTS_FILE} and ${plural(versions.size, 'model version')}, ${plural(bytes, 'byte')}. It holds password hashes: protect it like the account store.\n`,
    );
  });
}

async function restore(
  { out }: CliContext,
  folder: string,
  { json, skipExisting = false }: GlobalOptions & { readonly skipExisting?: boolean },
): Promise<void> {
  const { checkBackup, restoreBackup } = await import('../service/app/backup/restoreBackup.ts');
  const settings = readSettings();
  // Before the store is opened, which creates it.
  await checkBackup(settings.modelRegistry === 'folder' ? settings.modelsDir : undefined, folder, { skipsExisting: skipExisting });
  await withAccounts(settings, async ({ store, versions: registry, clock }) => {
    const report = await restoreBackup({ store, versions: registry, clock, modelsDir: settings.modelsDir }, folder, {
      skipsExisting: skipExisting,
    });
    if (json === true) return out(jsonLine(report));
    const { accounts, versions, pointers, leftAlone } = report;
    const lines = [
      `Accounts: ${accounts.created} restored, ${accounts.unchanged} already existed, ${accounts.skipped} with different data skipped.`,
      `Model versions restored: ${versions.join(', ') || 'none'}.`,
      `Pointers restored: ${pointers.join(', ') || 'none'}.`,
      ...(leftAlone.length === 0 ? [] : [`Skipped, with different data: ${leftAlone.join(', ')}.`]),
    ];
    out(`${lines.join('\n')}\n`);
  });
}
