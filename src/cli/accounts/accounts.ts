import type { Command } from 'commander';
import { act, type CliContext, type GlobalOptions, jsonLine, plain } from '../CliContext.ts';
import { exampleText, OTHER_STORE, parseDuration, wholeNumber } from '../parseOptions.ts';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { read } from 'read';
import { apiKeysOf } from '../../service/accounts/accountKeys.ts';
import { allAccounts, exportAccounts } from '../../service/accounts/transfer/exportAccounts.ts';
import { checkTransferFile, importAccounts } from '../../service/accounts/transfer/importAccounts.ts';
import { OPERATOR, READS_ONLY, withNewAccounts } from '../../service/app/withAccounts.ts';
import { unwritable } from '../../core/fileErrors.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { readSettings } from '../../core/config/settings.ts';
import { plural } from '../../core/plural.ts';
import { US_PER_MS } from '../../core/units.ts';
import { writeLines } from '../../core/writeDurably.ts';
import { withOpen } from './keys.ts';
import { accountJson, accountLine, eventJson, eventLine, keyLine } from './accountText.ts';

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
    .action(act(context, listAccounts));
  accounts
    .command('show')
    .argument('<account>', 'e-mail or id')
    .description('show an account, its keys and its last events')
    .addHelpText('after', exampleText('accounts show trader@example.com'))
    .action(act(context, showAccount));
  accounts
    .command('events')
    .argument('[account]', 'e-mail or id (default: all accounts)')
    .description('show the audit log, newest first')
    .option('--since <duration>', 'only events of the last 30m, 24h, …', parseDuration)
    .option('--limit <count>', 'maximum number of events', wholeNumber(1, 1_000_000), 100)
    .addHelpText('after', exampleText('accounts events --since 24h', 'accounts events trader@example.com'))
    .action(act(context, showEvents));
  accounts
    .command('create')
    .argument('<email>', 'e-mail address')
    .description('create an account, even if sign-up is closed')
    .option('--company <id>', 'company id of the account, of your choice')
    .option('--generate-password', 'generate a password and print it once')
    .addHelpText('after', CREATE_HELP)
    .action(act(context, createAccount));
  accounts
    .command('reset-password')
    .argument('<account>', 'e-mail or id')
    .description('set a new password for a person who has forgotten it; keys and track record stay')
    .option('--generate-password', 'generate a password and print it once')
    .addHelpText('after', exampleText('accounts reset-password trader@example.com --generate-password'))
    .action(act(context, resetPassword));
  const changes = {
    disable: 'reject its password and its keys',
    enable: 'accept its password and its keys again',
    delete: 'delete the account and all its keys',
  } as const;
  for (const [action, description] of Object.entries(changes) as [keyof typeof changes, string][]) {
    const command = accounts.command(action).argument('<account>', 'e-mail or id').description(description);
    if (action === 'delete') command.option('--yes', 'confirm; without it, nothing is deleted');
    command.addHelpText('after', exampleText(`accounts ${action} trader@example.com${action === 'delete' ? ' --yes' : ''}`));
    command.action(act(context, (own, account: string, options: ChangeOptions) => changeAccount(own, action, account, options)));
  }
  accounts
    .command('export')
    .argument('<file>', 'a file that does not exist yet')
    .description('write all accounts and the audit log to a file')
    .addHelpText('after', TRANSFER_HELP)
    .action(act(context, exportTo));
  accounts
    .command('import')
    .argument('<file>', 'a file that export wrote')
    .description('import accounts and audit log from a file')
    .option('--skip-existing', 'skip accounts that already exist with different data')
    .option(...OTHER_STORE)
    .addHelpText('after', TRANSFER_HELP)
    .action(act(context, importFrom));
}

/** A password: asked for twice, unseen, in a terminal; else the first line of standard input. Throws ServiceError `command.invalid`. */
async function askPassword(): Promise<string> {
  if (!process.stdin.isTTY) return firstLine();
  // Prompts are no result: they go where messages go.
  const ask = async (prompt: string): Promise<string> => {
    try {
      const answer = await read({ prompt, silent: true, output: process.stderr });
      // The end of the line was not shown either.
      process.stderr.write('\n');
      return answer;
    } catch (cause) {
      throw new ServiceError('command.invalid', 'No password was given.', { cause });
    }
  };
  const password = await ask('Password: ');
  if ((await ask('The same again: ')) !== password) throw new ServiceError('command.invalid', 'The two passwords differ.');
  return password;
}

async function firstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) {
    lines.close();
    return line;
  }
  throw new ServiceError('command.invalid', 'A password is expected on standard input; it is empty.');
}

type CreateOptions = { readonly company?: string; readonly generatePassword?: boolean };

/** 144 bits, encoded as 24 characters that need no shell quoting. */
const GENERATED_BYTES = 18;
const generated = (): string => randomBytes(GENERATED_BYTES).toString('base64url');

async function createAccount(
  { out }: CliContext,
  email: string,
  { json, company, generatePassword = false }: GlobalOptions & CreateOptions,
): Promise<void> {
  const settings = readSettings();
  const password = generatePassword ? generated() : await askPassword();
  await withNewAccounts(settings, async ({ accounts }) => {
    const request = { email, password, companyId: company };
    const { accountId, apiKey } = await accounts.signUp(request, OPERATOR);
    if (json === true) return out(jsonLine({ id: accountId, email, apiKey, password: generatePassword ? password : undefined }));
    out(
      [
        `${plain(email)} has an account: ${accountId}.`,
        `API key, shown only now:  ${apiKey}`,
        ...(generatePassword ? [`Password, shown only now: ${password}`] : []),
        '',
      ].join('\n'),
    );
  });
}

type ResetOptions = { readonly generatePassword?: boolean };

/** The keys stay as they are. */
async function resetPassword(
  { out }: CliContext,
  emailOrId: string,
  { json, generatePassword = false }: GlobalOptions & ResetOptions,
): Promise<void> {
  await withOpen(async ({ accounts, find }) => {
    const { id, email } = await find(emailOrId);
    const password = generatePassword ? generated() : await askPassword();
    await accounts.changePassword(id, { password }, OPERATOR);
    if (json === true) return out(jsonLine({ id, email, password: generatePassword ? password : undefined }));
    out(
      `${plain(email)} has a new password; its keys are unchanged.\n${generatePassword ? `Password, shown only now: ${password}\n` : ''}`,
    );
  });
}

type ChangeOptions = GlobalOptions & { readonly yes?: boolean };

/** A deletion without --yes is refused with exit code 1. */
async function changeAccount(
  { out, fail }: CliContext,
  action: 'disable' | 'enable' | 'delete',
  emailOrId: string,
  { json, yes = false }: ChangeOptions,
): Promise<void> {
  await withOpen(async ({ accounts, find }) => {
    const { id, email, keys } = await find(emailOrId);
    const isDone = action !== 'delete' || yes;
    if (isDone) await accounts[action](id, OPERATOR);
    else fail();
    if (json === true) return out(jsonLine({ id, email, action, done: isDone }));
    if (isDone) out(`${plain(email)} is ${action}d.\n`);
    else out(`${plain(email)} and its ${plural(keys.length, 'key')} would be deleted. Nothing was deleted: add --yes to delete.\n`);
  });
}

type ListOptions = { readonly company?: string; readonly limit: number };
/** `since` in microseconds. */
type EventOptions = { readonly since?: number; readonly limit: number };

const EVENTS_SHOWN = 20;

async function listAccounts({ out, err }: CliContext, { json, company, limit }: GlobalOptions & ListOptions): Promise<void> {
  await withOpen(async ({ store, clock }) => {
    const found = [];
    let isMore = false;
    for await (const account of allAccounts(store, company)) {
      isMore = found.length === limit;
      if (isMore) break;
      found.push(account);
    }
    const nowMs = clock.nowMs();
    if (json === true) return out(jsonLine({ accounts: found.map((account) => accountJson(account, nowMs)), isMore }));
    out(found.map((account) => `${accountLine(account, nowMs)}\n`).join('') || 'No account.\n');
    if (isMore) err(`tickmark: there are more than ${limit}; --limit shows them.\n`);
  }, READS_ONLY);
}

async function showAccount({ out }: CliContext, emailOrId: string, { json }: GlobalOptions): Promise<void> {
  await withOpen(async ({ store, clock, find }) => {
    const account = await find(emailOrId);
    const events = await store.listEvents({ limit: EVENTS_SHOWN, accountId: account.id });
    const nowMs = clock.nowMs();
    if (json === true) return out(jsonLine({ ...accountJson(account, nowMs), events: events.map(eventJson) }));
    const keys = apiKeysOf(account).map((key) => `  ${keyLine(key, nowMs)}`);
    out(
      `${[accountLine(account, nowMs), 'Keys:', ...keys, 'Last events:', ...events.map((event) => `  ${eventLine(event)}`)].join('\n')}\n`,
    );
  }, READS_ONLY);
}

async function showEvents(
  { out }: CliContext,
  emailOrId: string | undefined,
  { json, since, limit }: GlobalOptions & EventOptions,
): Promise<void> {
  await withOpen(async ({ store, clock, find }) => {
    // Of an account that is deleted there is only its id.
    const accountId = emailOrId?.includes('@') === true ? (await find(emailOrId)).id : emailOrId;
    const events = await store.listEvents({
      limit,
      accountId,
      sinceMs: since === undefined ? undefined : clock.nowMs() - since / US_PER_MS,
    });
    if (json === true) return out(jsonLine({ events: events.map(eventJson) }));
    out(events.map((event) => `${eventLine(event)}\n`).join('') || 'No event.\n');
  }, READS_ONLY);
}

type ImportCommandOptions = { readonly skipExisting?: boolean; readonly otherStore?: boolean };

async function exportTo({ out }: CliContext, file: string, { json }: GlobalOptions): Promise<void> {
  await withOpen(async ({ store, clock }) => {
    let end: { accounts?: number; events?: number } = {};
    async function* lines(): AsyncGenerator<string> {
      for await (const line of exportAccounts(store, clock)) {
        if (line.startsWith('{"type":"end"')) end = JSON.parse(line) as typeof end;
        yield line;
      }
    }
    try {
      await writeLines(file, lines());
    } catch (error) {
      throw error instanceof ServiceError ? error : unwritable(file, error);
    }
    const { accounts, events } = end;
    if (json === true) return out(jsonLine({ file, accounts, events }));
    out(
      `${plural(accounts ?? 0, 'account')} and ${plural(events ?? 0, 'event')} are in ${file}. It holds password hashes and key digests: protect it like the account store.\n`,
    );
  }, READS_ONLY);
}

async function importFrom(
  { out }: CliContext,
  file: string,
  { json, skipExisting = false, otherStore = false }: GlobalOptions & ImportCommandOptions,
): Promise<void> {
  // Before the store is opened, which creates it.
  await checkTransferFile(file);
  await withNewAccounts(
    readSettings(),
    async ({ store, clock }) => {
      const report = await importAccounts(store, file, clock, { skipsExisting: skipExisting });
      if (json === true) return out(jsonLine({ file, ...report }));
      const { created, unchanged, skipped, events } = report;
      out(
        `${plural(created, 'account', 'accounts')} created, ${unchanged} already existed, ${skipped} with different data skipped; ${plural(events, 'event')} read.\n`,
      );
    },
    { isOther: otherStore },
  );
}
