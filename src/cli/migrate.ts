import type { Command } from 'commander';
import { NO_COPY, type Migration } from '../service/accounts/AccountStore.ts';
import { withAccounts } from '../service/app/withAccounts.ts';
import { readSettings } from '../core/config/settings.ts';
import { jsonLine, type CliContext, type GlobalOptions } from './CliContext.ts';

const HELP = `
Examples:
  $ tickmark migrate                                  brings the account store to the schema version of this tickmark

tickmark serve does the same at its start; no other command does. A SQLite file is copied first, next to it. In MongoDB, a migration
only adds indexes. The tickmark before still works with the result. More: docs/how-to/upgrade.md.`;

export function addMigrate(program: Command, { out }: CliContext): void {
  program
    .command('migrate')
    .description('migrate the account store to the schema version of this tickmark')
    .addHelpText('after', HELP)
    .action(async (_options: unknown, command: Command) => {
      let done: Migration | undefined;
      await withAccounts(readSettings(), async () => {}, { onMigration: (migration) => (done = migration) });
      if (command.optsWithGlobals<GlobalOptions>().json === true) return out(jsonLine({ migration: done ?? null }));
      if (done === undefined) return out('The account store already has the schema version of this tickmark.\n');
      const copy =
        done.copy === null ? ` Copy: ${NO_COPY}.` : ` The store as it was before is in ${done.copy}; delete it when you will not go back.`;
      out(`The account store was migrated from schema version ${done.from} to ${done.to}.${copy}\n`);
    });
}
