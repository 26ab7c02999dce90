import { InvalidArgumentError, type Command } from 'commander';
import type { StoreAccess } from '../../service/accounts/AccountStore.ts';
import { OPERATOR, READS_ONLY, withAccounts, type OpenAccounts } from '../../service/app/withAccounts.ts';
import { readSettings } from '../../core/config/settings.ts';
import { ServiceError, quoteValue } from '../../core/ServiceError.ts';
import { keyJson, keyLine } from './accountText.ts';
import { act, jsonLine, type CliContext, type GlobalOptions, plain } from '../CliContext.ts';
import { exampleText } from '../parseOptions.ts';

const HELP = `
Examples:
  $ tickmark keys list trader@example.com
  $ tickmark keys issue trader@example.com --name backtest --expires 90d
  $ tickmark keys revoke 0b0f9a52-6f0c-4f5e-9a56-5d1d3c1c4f0e

These commands change the account store of a running service, which applies a change within KEY_CACHE_MS.
A key is printed only once, when it is issued.`;

type IssueOptions = { readonly name?: string; readonly expires?: number };

const MS_PER_DAY = 86_400_000;

/** `90d`: days from now. */
function parseDays(text: string): number {
  const days = Number(/^(\d{1,4})d$/.exec(text.trim())?.[1]);
  if (!(days >= 1 && days <= 3650)) throw new InvalidArgumentError('Write days from now, 1d to 3650d: 90d.');
  return days;
}

export function addKeys(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('list, issue and revoke the API keys of an account').addHelpText('after', HELP);
  keys
    .command('list')
    .argument('<account>', 'e-mail or id')
    .description('list the keys of an account by id and prefix, not the secrets')
    .addHelpText('after', exampleText('keys list trader@example.com', 'keys list trader@example.com --json'))
    .action(act(context, listKeys));
  keys
    .command('issue')
    .argument('<account>', 'e-mail or id')
    .description('issue another key; it is printed only once')
    .option('--name <name>', 'name of the key, of your choice')
    .option('--expires <days>', 'days until the key expires, such as 90d (default: never)', parseDays)
    .addHelpText('after', exampleText('keys issue trader@example.com --name backtest --expires 90d'))
    .action(act(context, issueKey));
  keys
    .command('revoke')
    .argument('<key>', 'id of a key, from keys list')
    .description('revoke a key')
    .addHelpText('after', exampleText('keys revoke 0b0f9a52-6f0c-4f5e-9a56-5d1d3c1c4f0e'))
    .action(act(context, revokeKey));
}

export const withOpen = (use: (open: OpenAccounts) => Promise<void>, access?: StoreAccess): Promise<void> =>
  withAccounts(readSettings(), use, access);

function listKeys({ out }: CliContext, account: string, { json }: GlobalOptions): Promise<void> {
  return withOpen(async ({ clock, find }) => {
    const { id, email, keys } = await find(account);
    const nowMs = clock.nowMs();
    if (json === true) return out(jsonLine({ id, email, keys: keys.map((key) => keyJson(key, nowMs)) }));
    out(keys.map((key) => `${keyLine(key, nowMs)}\n`).join('') || 'No key.\n');
  }, READS_ONLY);
}

function issueKey({ out }: CliContext, account: string, { json, name, expires }: GlobalOptions & IssueOptions): Promise<void> {
  return withOpen(async ({ keys, clock, find }) => {
    const { id, email } = await find(account);
    const expiresAt = expires === undefined ? undefined : new Date(clock.nowMs() + expires * MS_PER_DAY).toISOString();
    const { apiKey, key } = await keys.issue(id, { name, expiresAt }, OPERATOR);
    if (json === true) return out(jsonLine({ apiKey, ...keyJson(key, clock.nowMs()) }));
    out(`A key for ${plain(email)}: ${key.id}.\nAPI key, shown only now: ${apiKey}\n`);
  });
}

function revokeKey({ out }: CliContext, keyId: string, { json }: GlobalOptions): Promise<void> {
  return withOpen(async ({ store, keys, clock }) => {
    const account = await store.findAccountByKeyId(keyId);
    if (account === undefined) throw new ServiceError('key.unknown', `There is no key ${quoteValue(keyId)}.`);
    const key = await keys.revoke(account.id, keyId, OPERATOR);
    if (json === true) return out(jsonLine(keyJson(key, clock.nowMs())));
    out(`${key.prefix}… of ${plain(account.email)} is revoked.\n`);
  });
}
