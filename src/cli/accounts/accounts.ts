import type { Command } from 'commander';
import {
  changeAccount,
  createAccount,
  type CreateOptions,
  listAccounts,
  showAccount,
  showEvents,
  type EventOptions,
  type ListOptions,
  exportTo,
  importFrom,
  type ImportCommandOptions,
  resetPassword,
  type ResetOptions,
} from './accountCommands.ts';
import type { CliContext, GlobalOptions } from '../CliContext.ts';
import { exampleText, OTHER_STORE, parseDuration, wholeNumber } from '../parseOptions.ts';

const HELP = `
Examples:
  $ tickmark accounts list --company example-fund
  $ tickmark accounts show trader@example.com         its keys and last events
  $ tickmark accounts create trader@example.com       asks for a password; works with SIGNUP=closed, too
  $ tickmark accounts disable trader@example.com      rejects its password and its keys
  $ tickmark accounts delete trader@example.com --yes
  $ tickmark accounts export accounts.ndjson          then, with another MONGODB_URI or DATA_DIR:
  $ tickmark accounts import accounts.ndjson --other-store

These commands change the account store of a running service (DATA_DIR or MONGODB_URI), which applies a change within KEY_CACHE_MS.
More: docs/how-to/accounts.md.`;

const CREATE_HELP = `
Examples:
  $ tickmark accounts create trader@example.com --company example-fund
  $ tickmark accounts create trader@example.com --generate-password
  $ pass show desk/tickmark | tickmark accounts create trader@example.com

Reads the password from a prompt on a terminal, else from the first line of standard input. The API key is printed only once.`;

const TRANSFER_HELP = `
Examples:
  $ tickmark accounts export accounts.ndjson
  $ tickmark accounts import accounts.ndjson

The file holds password hashes and key digests: protect it like the account store. The whole file is validated before anything is written.
Accounts that already exist with the same data are skipped. If one exists with different data, nothing is written; --skip-existing skips it instead.`;

export function addAccounts(program: Command, context: CliContext): void {
  const accounts = program
    .command('accounts')
    .description('list, create, disable, delete, export and import accounts')
    .addHelpText('after', HELP);
  accounts
    .command('list', { isDefault: true })
    .description('list all accounts, sorted by e-mail')
    .option('--company <id>', 'only accounts of this company')
    .option('--limit <count>', 'maximum number of accounts', wholeNumber(1, 1_000_000), 1000)
    .addHelpText('after', exampleText('accounts list', 'accounts list --company acme --json'))
    .action((_options: unknown, command: Command) => listAccounts(context, command.optsWithGlobals<GlobalOptions & ListOptions>()));
  accounts
    .command('show')
    .argument('<account>', 'e-mail or id')
    .description('show an account, its keys and its last events')
    .addHelpText('after', exampleText('accounts show trader@example.com'))
    .action((account: string, _options: unknown, command: Command) =>
      showAccount(context, account, command.optsWithGlobals<GlobalOptions>()),
    );
  accounts
    .command('events')
    .argument('[account]', 'e-mail or id (default: all accounts)')
    .description('show the audit log, newest first')
    .option('--since <duration>', 'only events of the last 30m, 24h, …', parseDuration)
    .option('--limit <count>', 'maximum number of events', wholeNumber(1, 1_000_000), 100)
    .addHelpText('after', exampleText('accounts events --since 24h', 'accounts events trader@example.com'))
    .action((account: string | undefined, _options: unknown, command: Command) =>
      showEvents(context, account, command.optsWithGlobals<GlobalOptions & EventOptions>()),
    );
  accounts
    .command('create')
    .argument('<email>', 'e-mail address')
    .description('create an account, even if sign-up is closed')
    .option('--company <id>', 'company id of the account, of your choice')
    .option('--generate-password', 'generate a password and print it once')
    .addHelpText('after', CREATE_HELP)
    .action((email: string, _options: unknown, command: Command) =>
      createAccount(context, email, command.optsWithGlobals<GlobalOptions & CreateOptions>()),
    );
  accounts
    .command('reset-password')
    .argument('<account>', 'e-mail or id')
    .description('set a new password for a person who has forgotten it; keys and track record stay')
    .option('--generate-password', 'generate a password and print it once')
    .addHelpText('after', exampleText('accounts reset-password trader@example.com --generate-password'))
    .action((account: string, _options: unknown, command: Command) =>
      resetPassword(context, account, command.optsWithGlobals<GlobalOptions & ResetOptions>()),
    );
  const changes = {
    disable: 'reject its password and its keys',
    enable: 'accept its password and its keys again',
    delete: 'delete the account and all its keys',
  } as const;
  for (const [action, description] of Object.entries(changes) as [keyof typeof changes, string][]) {
    const command = accounts.command(action).argument('<account>', 'e-mail or id').description(description);
    if (action === 'delete') command.option('--yes', 'confirm; without it, nothing is deleted');
    command.addHelpText('after', exampleText(`accounts ${action} trader@example.com${action === 'delete' ? ' --yes' : ''}`));
    command.action((account: string, _options: unknown, made: Command) =>
      changeAccount(context, action, account, made.optsWithGlobals<GlobalOptions & { yes?: boolean }>()),
    );
  }
  accounts
    .command('export')
    .argument('<file>', 'a file that does not exist yet')
    .description('write all accounts and the audit log to a file')
    .addHelpText('after', TRANSFER_HELP)
    .action((file: string, _options: unknown, command: Command) => exportTo(context, file, command.optsWithGlobals<GlobalOptions>()));
  accounts
    .command('import')
    .argument('<file>', 'a file that export wrote')
    .description('import accounts and audit log from a file')
    .option('--skip-existing', 'skip accounts that already exist with different data')
    .option(...OTHER_STORE)
    .addHelpText('after', TRANSFER_HELP)
    .action((file: string, _options: unknown, command: Command) =>
      importFrom(context, file, command.optsWithGlobals<GlobalOptions & ImportCommandOptions>()),
    );
}
