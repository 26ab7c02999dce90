import type { Command } from 'commander';
import { describeStore } from '../service/app/servedStore.ts';
import { READS_ONLY, withAccounts, withNewAccounts } from '../service/app/withAccounts.ts';
import { readSettings } from '../core/config/settings.ts';
import { plural } from '../core/plural.ts';
import { programVersion } from '../core/packageRoot.ts';
import { act, jsonLine, type CliContext, type GlobalOptions, plain } from './CliContext.ts';
import { OTHER_STORE } from './parseOptions.ts';

const BACKUP_HELP = `
Examples:
  $ tickmark backup /srv/backups/2026-01-31
  $ tickmark backup --verify /srv/backups/2026-01-31     reads all of it again, compares each SHA-256, checks each account

The folder must not exist yet. The backup holds the accounts, the audit log, your model versions and which one is promoted; no program of MongoDB is needed.
The service may be running, and DATA_DIR may be read-only. The backup contains password hashes and key digests: protect it like the account store.`;

const RESTORE_HELP = `
Examples:
  $ tickmark restore /srv/backups/2026-01-31
  $ tickmark restore /srv/backups/2026-01-31 --skip-existing     skips items that exist with different data

Restores missing items to the configured account store and MODELS_DIR; the store may be of another kind than the backed-up one. The whole backup is
validated first. If an item exists with different data, nothing is changed.`;

type RestoreFlags = { readonly skipExisting?: boolean; readonly otherStore?: boolean };

export function addBackup(program: Command, context: CliContext): void {
  program
    .command('backup')
    .argument('<folder>', 'a folder that does not exist yet; with --verify, a backup')
    .description('back up accounts and model versions to a folder')
    .option('--verify', 'check that a backup is whole and can be read; write nothing')
    .addHelpText('after', BACKUP_HELP)
    .action((folder: string, _options: unknown, command: Command) => {
      const { verify = false, ...options } = command.optsWithGlobals<GlobalOptions & { verify?: boolean }>();
      return verify ? verifyBackup(context, folder, options) : backup(context, folder, options);
    });
  program
    .command('restore')
    .argument('<folder>', 'a folder that backup wrote')
    .description('restore missing accounts and model versions from a backup')
    .option('--skip-existing', 'skip items that exist with different data')
    .option(...OTHER_STORE)
    .addHelpText('after', RESTORE_HELP)
    .action(act(context, restore));
}

async function backup({ out, err }: CliContext, folder: string, { json }: GlobalOptions): Promise<void> {
  const [{ ACCOUNTS_FILE }, { makeBackup }, { noteBackup }] = await Promise.all([
    import('../service/app/backup/backupFiles.ts'),
    import('../service/app/backup/makeBackup.ts'),
    import('../service/app/backup/lastBackup.ts'),
  ]);
  const settings = readSettings();
  await withAccounts(
    settings,
    async ({ store, clock }) => {
      const storeName = describeStore(settings);
      const { files } = await makeBackup({ store, clock, modelsDir: settings.modelsDir, tickmark: programVersion(), storeName }, folder);
      const unnoted = await noteBackup(store, settings, clock);
      if (unnoted !== undefined) err(`tickmark: the backup is made, but its service cannot know: ${unnoted}\n`);
      const versions = new Set(files.flatMap(({ path: name }) => /^models\/([^/]+)\/./.exec(name)?.[1] ?? []));
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      if (json === true) return out(jsonLine({ folder, store: storeName, versions: [...versions], files: files.length, bytes }));
      out(
        `${folder}: ${ACCOUNTS_FILE} of ${storeName}, and ${plural(versions.size, 'model version')}, ${plural(bytes, 'byte')}. It holds password hashes: protect it like the account store.\n`,
      );
    },
    READS_ONLY,
  );
}

async function verifyBackup({ out }: CliContext, folder: string, { json }: GlobalOptions): Promise<void> {
  const [{ checkBackup }, { madeByAnother }] = await Promise.all([
    import('../service/app/backup/restoreBackup.ts'),
    import('../service/app/backup/backupFiles.ts'),
  ]);
  const made = await checkBackup(undefined, folder);
  const bytes = made.files.reduce((sum, file) => sum + file.bytes, 0);
  const { createdAt, tickmark, store = null } = made;
  if (json === true) return out(jsonLine({ folder, createdAt, tickmark, store, files: made.files.length, bytes }));
  out(
    `${folder}: whole, of ${store === null ? '' : `${plain(store)}, `}${createdAt}, ${plural(made.files.length, 'file')}, ${plural(bytes, 'byte')}. ${madeByAnother(made)}`.trimEnd() +
      '\n',
  );
}

async function restore(
  { out, err }: CliContext,
  folder: string,
  { json, skipExisting = false, otherStore = false }: GlobalOptions & RestoreFlags,
): Promise<void> {
  const [{ checkBackup, restoreBackup }, { madeByAnother }] = await Promise.all([
    import('../service/app/backup/restoreBackup.ts'),
    import('../service/app/backup/backupFiles.ts'),
  ]);
  const settings = readSettings();
  // Before the store is opened, which creates it.
  const note = madeByAnother(await checkBackup(settings.modelsDir, folder, { skipsExisting: skipExisting }));
  if (note !== '') err(`tickmark: ${note}\n`);
  await withNewAccounts(
    settings,
    async ({ store, clock }) => {
      const report = await restoreBackup({ store, clock, modelsDir: settings.modelsDir }, folder, {
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
    },
    { isOther: otherStore },
  );
}
