import { InvalidArgumentError, type Command } from 'commander';
import { OPERATOR, withAccounts, type OpenAccounts } from '../app/openAccounts.ts';
import { readSettings } from '../config/settings.ts';
import { ServiceError, shown } from '../core/ServiceError.ts';
import { keyJson, keyLine, plain } from './accounts/accountText.ts';
import { jsonLine, type CliContext, type GlobalOptions } from './CliContext.ts';
import { exampleText } from './exampleText.ts';

const HELP = `
Examples:
  $ tickmark keys list trader@example.com
  $ tickmark keys issue trader@example.com --name backtest --expires 90d
  $ tickmark keys revoke 0b0f9a52-6f0c-4f5e-9a56-5d1d3c1c4f0e

They work on the store of a running service, which follows within KEY_CACHE_MS. A key is printed once, when it is issued.`;

type IssueOptions = { readonly name?: string; readonly expires?: number };

const MS_PER_DAY = 86_400_000;

/** `90d`: days from now. */
function parseDays(text: string): number {
  const days = Number(/^(\d{1,4})d$/.exec(text.trim())?.[1]);
  if (!(days >= 1 && days <= 3650)) throw new InvalidArgumentError('Write days from now, 1d to 3650d: 90d.');
  return days;
}

export function addKeys(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('list, issue and revoke the keys of an account').addHelpText('after', HELP);
  keys
    .command('list')
    .argument('<account>', 'e-mail or id')
    .description('the keys of an account, never the keys themselves')
    .addHelpText('after', exampleText('keys list trader@example.com', 'keys list trader@example.com --json'))
    .action((account: string, _options: unknown, command: Command) => listKeys(context, account, command.optsWithGlobals<GlobalOptions>()));
  keys
    .command('issue')
    .argument('<account>', 'e-mail or id')
    .description('one more key, printed once')
    .option('--name <name>', 'your own name for it')
    .option('--expires <days>', 'days until it expires, as 90d; never when absent', parseDays)
    .addHelpText('after', exampleText('keys issue trader@example.com --name backtest --expires 90d'))
    .action((account: string, _options: unknown, command: Command) =>
      issueKey(context, account, command.optsWithGlobals<GlobalOptions & IssueOptions>()),
    );
  keys
    .command('revoke')
    .argument('<key>', 'id of a key, as list shows it')
    .description('take a key no more')
    .addHelpText('after', exampleText('keys revoke 0b0f9a52-6f0c-4f5e-9a56-5d1d3c1c4f0e'))
    .action((key: string, _options: unknown, command: Command) => revokeKey(context, key, command.optsWithGlobals<GlobalOptions>()));
}

const withOpen = (use: (open: OpenAccounts) => Promise<void>): Promise<void> => withAccounts(readSettings(), use);

function listKeys({ out }: CliContext, account: string, { json }: GlobalOptions): Promise<void> {
  return withOpen(async ({ clock, find }) => {
    const { id, email, keys } = await find(account);
    const nowMs = clock.nowMs();
    if (json === true) return out(jsonLine({ id, email, keys: keys.map((key) => keyJson(key, nowMs)) }));
    out(keys.map((key) => `${keyLine(key, nowMs)}\n`).join('') || 'No key.\n');
  });
}

function issueKey({ out }: CliContext, account: string, { json, name, expires }: GlobalOptions & IssueOptions): Promise<void> {
  return withOpen(async ({ keys, clock, find }) => {
    const { id, email } = await find(account);
    const expiresAt = expires === undefined ? {} : { expiresAt: new Date(clock.nowMs() + expires * MS_PER_DAY).toISOString() };
    const { apiKey, key } = await keys.issue(id, { ...(name === undefined ? {} : { name }), ...expiresAt }, OPERATOR);
    if (json === true) return out(jsonLine({ apiKey, ...keyJson(key, clock.nowMs()) }));
    out(`A key for ${plain(email)}: ${key.id}.\nAPI key, shown only now: ${apiKey}\n`);
  });
}

function revokeKey({ out }: CliContext, keyId: string, { json }: GlobalOptions): Promise<void> {
  return withOpen(async ({ store, keys, clock }) => {
    const account = await store.findAccountByKeyId(keyId);
    if (account === undefined) throw new ServiceError('key.unknown', `There is no key ${shown(keyId)}.`);
    const key = await keys.revoke(account.id, keyId, OPERATOR);
    if (json === true) return out(jsonLine(keyJson(key, clock.nowMs())));
    out(`${key.prefix}… of ${plain(account.email)} is revoked.\n`);
  });
}
