import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Clock } from '../../../core/Clock.ts';
import { isAffordableHash, MOST_HASH_KIB } from '../../../core/hashCost.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import { EMPTY_TALLY } from '../../../engine/live/score.ts';
import type { Account, AccountStore } from '../AccountStore.ts';
import { auditEvent } from '../AuditEvent.ts';
import { emailKeysOf } from '../accountRules.ts';
import { type AccountRecord, recordReader } from './accountRecords.ts';
import { isNoAccount, TransferRelations } from './TransferRelations.ts';

/** Longer than any line of an export; a longer line is refused before it is parsed. */
const MAX_LINE_BYTES = 1_000_000;
const MAX_NAMED = 10;

export type AccountImportOptions = {
  /** Skips accounts that exist with different data instead of refusing the import. */
  readonly skipsExisting?: boolean;
};

export type AccountImport = {
  readonly created: number;
  /** Existed with the same data. */
  readonly unchanged: number;
  /** Existed with different data, and was skipped. */
  readonly skipped: number;
  readonly events: number;
};

function refused(file: string, why: string, cause?: unknown): ServiceError {
  return new ServiceError('backup.refused', `${file}: ${why}.`, { cause });
}

async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        yield rest.subarray(0, end + 1);
        rest = rest.subarray(end + 1);
      }
      if (rest.length > MAX_LINE_BYTES) throw refused(file, `a line has more than ${MAX_LINE_BYTES} bytes`);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('file.unreadable', `${file} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
  if (rest.length > 0) throw refused(file, 'it ends in the middle of a line');
}

/**
 * The checked lines of a transfer file, with their numbers, without its header and end; `relations` knows them afterwards. Throws ServiceError
 * `backup.refused` if the file is incomplete or not a transfer file, `file.unreadable`.
 */
async function* readRecords(
  file: string,
  relations = new TransferRelations(),
): AsyncGenerator<{ readonly record: AccountRecord; readonly number: number }> {
  const read = recordReader();
  const hash = createHash('sha256');
  const counts = { accounts: 0, events: 0 };
  let [number, isEnded] = [0, false];
  for await (const line of linesOf(file)) {
    number++;
    const refuse = (problem: string): ServiceError => refused(file, `line ${number}: ${problem}`);
    const record = read(line.toString('utf8'));
    if (typeof record === 'string') throw refuse(record);
    if (isEnded) throw refused(file, `line ${number} is after the end`);
    if ((record.type === 'header') !== (number === 1)) throw refuse('the header must be the first line, and only that');
    if (record.type === 'end') {
      if (record.sha256 !== hash.digest('hex')) throw refused(file, 'its bytes have changed since the export (SHA-256 differs)');
      if (record.accounts !== counts.accounts || record.events !== counts.events) throw refused(file, 'lines are missing');
      const problem = relations.problemAtEnd();
      if (problem !== undefined) throw refused(file, problem);
      isEnded = true;
      continue;
    }
    hash.update(line);
    const problem = relations.problemOf(record, number);
    if (problem !== undefined) throw refuse(problem);
    if (record.type === 'account') {
      counts.accounts++;
      const { email, emailKey, passwordHash } = record.account;
      if (!emailKeysOf(email).includes(emailKey)) throw refuse('the normalised form does not match the e-mail');
      if (!isAffordableHash(passwordHash))
        throw refuse(`the password hash is not argon2id with one lane and at most ${MOST_HASH_KIB} KiB times passes`);
    }
    if (record.type === 'event') counts.events++;
    yield { record, number };
  }
  if (!isEnded) throw refused(file, 'its last line is missing: the export was not completed');
}

/** Compares all data except the last uses, which change all the time. */
function isSame(a: Account, b: Account): boolean {
  const plain = (account: Account): string =>
    JSON.stringify([
      ...[account.id, account.email, account.companyId, account.passwordHash, account.createdAtMs, account.disabledAtMs],
      (account.webhooks ?? []).map((webhook) => [webhook.id, webhook.url, webhook.secret, webhook.events]),
      account.keys.map((key) => [key.id, key.digest, key.name, key.createdAtMs, key.expiresAtMs, key.revokedAtMs, key.graceUntilMs]),
    ]);
  return plain(a) === plain(b);
}

/**
 * The existing account that conflicts with an imported one: it has the same e-mail, id or one of its keys. Another normalised form of the e-mail is
 * that of another account only where the file has both, as an older version stored them.
 */
async function findConflict(store: AccountStore, account: Account, relations: TransferRelations): Promise<Account | undefined> {
  for (const emailKey of new Set([account.emailKey, ...emailKeysOf(account.email)])) {
    const holder = await store.findAccountByEmailKey(emailKey);
    if (holder !== undefined && (emailKey === account.emailKey || !relations.hasAccount(holder.id))) return holder;
  }
  const existing = await store.findAccount(account.id);
  if (existing !== undefined) return existing;
  for (const { id, digest } of account.keys) {
    const holder = (await store.findAccountByDigest(digest)) ?? (await store.findAccountByKeyId(id));
    if (holder !== undefined) return holder;
  }
  return undefined;
}

/** Checks the whole file without a store, so that a refused file leaves none. Throws ServiceError `backup.refused`, `file.unreadable`. */
export async function checkTransferFile(file: string): Promise<void> {
  for await (const one of readRecords(file)) void one;
}

/**
 * Imports what a transfer file has into a store, also a live one. The whole file is checked first, also against the store: if
 * there is any conflict, nothing is written. An interrupted import can be run again. Throws ServiceError `backup.refused`,
 * `accounts.conflict`, `store.unavailable`.
 */
export async function importAccounts(
  store: AccountStore,
  file: string,
  clock: Clock,
  { skipsExisting = false }: AccountImportOptions = {},
): Promise<AccountImport> {
  const conflicts: string[] = [];
  const relations = new TransferRelations();
  /** Accounts of events that the file does not contain, because they were deleted. */
  const deleted = new Set<string>();
  for await (const { record, number } of readRecords(file, relations)) {
    if (record.type === 'event') {
      const { accountId } = record.event;
      if (isNoAccount(accountId) || relations.hasAccount(accountId) || deleted.has(accountId)) continue;
      deleted.add(accountId);
      if ((await store.findAccount(accountId)) !== undefined)
        throw refused(file, `line ${number}: the event is of an account of the store that the file does not contain`);
    }
    if (record.type !== 'account') continue;
    const existing = await findConflict(store, record.account, relations);
    if (existing !== undefined && !isSame(existing, record.account)) conflicts.push(record.account.email);
  }
  if (conflicts.length > 0 && !skipsExisting) {
    const more = conflicts.length > MAX_NAMED ? ` and ${conflicts.length - MAX_NAMED} more` : '';
    throw new ServiceError(
      'accounts.conflict',
      `These accounts already exist with different data: ${conflicts.slice(0, MAX_NAMED).join(', ')}${more}.`,
    );
  }
  const report = { created: 0, unchanged: 0, skipped: 0, events: 0 };
  /** Nothing of them is written: the store has another account with their id, or this one with other data. */
  const skipped = new Set<string>();
  /** Accounts whose markets are not watched yet: they are, once all of them is written. */
  const unfed = new Map<string, Account['markets'] & object>();
  for await (const { record } of readRecords(file)) {
    if (record.type === 'account' || record.type === 'event') await feed(store, unfed);
    if (record.type === 'account') {
      const { markets = [], ...account } = record.account;
      const outcome = await importAccount(store, account, clock, relations);
      if (outcome === 'skipped') skipped.add(account.id);
      else if (((await store.findAccount(account.id))?.markets ?? []).length === 0) unfed.set(account.id, markets);
      report[outcome]++;
    } else if (record.type === 'records') {
      // Of an earlier release, without the sums that it did not know.
      const rows = record.rows.map((row) => ({ ...row, tally: { ...EMPTY_TALLY, ...row.tally } }));
      const kept = rows.filter(({ accountId }) => !skipped.has(accountId));
      if (kept.length > 0) await store.importRecords(kept);
    } else if (record.type === 'memory') {
      const { accountId, series, bytes } = record;
      if (!skipped.has(accountId)) await store.importMemories([{ accountId, series, bytes: Buffer.from(bytes, 'base64') }], clock.nowMs());
    } else if (record.type === 'sealed') {
      // One that does not continue the chain is there, or the store has gone on with a chain of its own.
      if (!skipped.has(record.block.accountId)) await store.addSealed([record.block]);
    } else if (record.type === 'forecasts') {
      if (unfed.has(record.rows[0]!.accountId)) await store.importMarkets({ states: [], forecasts: record.rows });
    } else if (record.type === 'market') {
      const { accountId, id, state } = record;
      if (unfed.has(accountId)) await store.importMarkets({ states: [{ accountId, id, state, keepFrom: 0 }], forecasts: [] });
    } else if (record.type === 'seal_key') {
      await store.sealKey(record.key);
    } else if (record.type === 'event' && !skipped.has(record.event.accountId)) {
      await store.appendEvent(record.event);
      report.events++;
    }
  }
  await feed(store, unfed);
  return report;
}

async function feed(store: AccountStore, unfed: Map<string, Account['markets'] & object>): Promise<void> {
  for (const [id, markets] of unfed)
    if (markets.length > 0) await store.changeAccount(id, (account) => ({ account: { ...account, markets } }));
  unfed.clear();
}

async function importAccount(
  store: AccountStore,
  account: Account,
  clock: Clock,
  relations: TransferRelations,
): Promise<'created' | 'unchanged' | 'skipped'> {
  const existing = await findConflict(store, account, relations);
  if (existing !== undefined) return isSame(existing, account) ? 'unchanged' : 'skipped';
  const event = auditEvent('account.imported', { actor: 'operator', requestId: null }, account.id, clock.nowMs());
  // A sign-up may have used this e-mail since the lookup.
  return (await store.createAccount(account, event)) === 'created' ? 'created' : 'skipped';
}
