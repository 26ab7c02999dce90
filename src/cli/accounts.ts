import type { Command } from 'commander';
import { changeAccount } from './accounts/changeAccount.ts';
import { createAccount, type CreateOptions } from './accounts/createAccount.ts';
import { listAccounts, showAccount, showEvents, type EventOptions, type ListOptions } from './accounts/listAccounts.ts';
import { exportTo, importFrom, type ImportCommandOptions } from './accounts/transferAccounts.ts';
import type { CliContext, GlobalOptions } from './CliContext.ts';
import { exampleText } from './exampleText.ts';
import { parseDuration } from './parseDuration.ts';
import { wholeNumber } from './parseNumber.ts';

const HELP = `
Examples:
  $ tickmark accounts list --company example-fund
  $ tickmark accounts show trader@example.com         its keys, and what happened to it
  $ tickmark accounts create trader@example.com       asks for a password; with SIGNUP=closed the only way to an account
  $ tickmark accounts disable trader@example.com      neither password nor keys are taken any more
  $ tickmark accounts delete trader@example.com --yes
  $ tickmark accounts export accounts.ndjson          then, with another MONGODB_URI or DATA_DIR:
  $ tickmark accounts import accounts.ndjson

They work on the store of a running service (DATA_DIR or MONGODB_URI), which follows within KEY_CACHE_MS. docs/accounts.md says more.`;

const CREATE_HELP = `
Examples:
  $ tickmark accounts create trader@example.com --company example-fund
  $ tickmark accounts create trader@example.com --generate-password
  $ pass show desk/tickmark | tickmark accounts create trader@example.com

The password is asked for in a terminal, and read from the first line of standard input otherwise. The API key is printed once.`;

const TRANSFER_HELP = `
Examples:
  $ tickmark accounts export accounts.ndjson
  $ tickmark accounts import accounts.ndjson

The file holds password hashes and digests of keys: keep it like the store itself. It is checked whole before anything is written. An account that is
there already and equal is left alone; one that differs is a reason to write nothing, unless --skip-existing leaves it as it is.`;

export function addAccounts(program: Command, context: CliContext): void {
  const accounts = program.command('accounts').description('list, make, stop and move accounts').addHelpText('after', HELP);
  accounts
    .command('list', { isDefault: true })
    .description('every account, in the order of the e-mails')
    .option('--company <id>', 'only of this company')
    .option('--limit <count>', 'how many', wholeNumber(1, 1_000_000), 1000)
    .addHelpText('after', exampleText('accounts list', 'accounts list --company acme --json'))
    .action((_options: unknown, command: Command) => listAccounts(context, command.optsWithGlobals<GlobalOptions & ListOptions>()));
  accounts
    .command('show')
    .argument('<account>', 'e-mail or id')
    .description('an account, its keys and its last events')
    .addHelpText('after', exampleText('accounts show trader@example.com'))
    .action((account: string, _options: unknown, command: Command) =>
      showAccount(context, account, command.optsWithGlobals<GlobalOptions>()),
    );
  accounts
    .command('events')
    .argument('[account]', 'e-mail or id; all when absent')
    .description('the audit log, newest first')
    .option('--since <duration>', 'only what happened in the last 30m, 24h, …', parseDuration)
    .option('--limit <count>', 'how many', wholeNumber(1, 1_000_000), 100)
    .addHelpText('after', exampleText('accounts events --since 24h', 'accounts events trader@example.com'))
    .action((account: string | undefined, _options: unknown, command: Command) =>
      showEvents(context, account, command.optsWithGlobals<GlobalOptions & EventOptions>()),
    );
  accounts
    .command('create')
    .argument('<email>', 'e-mail address')
    .description('make an account, also while sign-up is closed')
    .option('--company <id>', 'your own name for its company')
    .option('--generate-password', 'make a password and print it, once')
    .addHelpText('after', CREATE_HELP)
    .action((email: string, _options: unknown, command: Command) =>
      createAccount(context, email, command.optsWithGlobals<GlobalOptions & CreateOptions>()),
    );
  const changes = {
    disable: 'take neither its password nor its keys any more',
    enable: 'take them again',
    delete: 'erase it with all its keys',
  } as const;
  for (const [action, description] of Object.entries(changes) as [keyof typeof changes, string][]) {
    const command = accounts.command(action).argument('<account>', 'e-mail or id').description(description);
    if (action === 'delete') command.option('--yes', 'really; without it, nothing is deleted');
    command.addHelpText('after', exampleText(`accounts ${action} trader@example.com${action === 'delete' ? ' --yes' : ''}`));
    command.action((account: string, _options: unknown, made: Command) =>
      changeAccount(context, action, account, made.optsWithGlobals<GlobalOptions & { yes?: boolean }>()),
    );
  }
  accounts
    .command('export')
    .argument('<file>', 'a new file')
    .description('write all accounts and the audit log to a file')
    .addHelpText('after', TRANSFER_HELP)
    .action((file: string, _options: unknown, command: Command) => exportTo(context, file, command.optsWithGlobals<GlobalOptions>()));
  accounts
    .command('import')
    .argument('<file>', 'a file of export')
    .description('bring accounts and audit log of a file into the store')
    .option('--skip-existing', 'leave accounts that are there, and differ, as they are')
    .addHelpText('after', TRANSFER_HELP)
    .action((file: string, _options: unknown, command: Command) =>
      importFrom(context, file, command.optsWithGlobals<GlobalOptions & ImportCommandOptions>()),
    );
}
