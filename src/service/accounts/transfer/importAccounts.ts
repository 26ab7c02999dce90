import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Clock } from '../../../core/Clock.ts';
import { isAffordableHash, MOST_HASH_KIB } from '../../../core/hashCost.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import { EMPTY_TALLY } from '../../../engine/live/score.ts';
import type { MemoryRow } from '../../live/MemoryStore.ts';
import type { SealedBlock } from '../../live/sealedChain.ts';
import type { ForecastRow, MarketKey, MarketState } from '../../markets/Market.ts';
import type { RecordRow } from '../../live/TrackRecord.ts';
import type { Account, AccountStore } from '../AccountStore.ts';
import { auditEvent, type AuditEvent } from '../AuditEvent.ts';
import { emailKeysOf } from '../accountRules.ts';
import { recordReader } from './accountRecords.ts';
import { isNoAccount, TransferRelations } from './TransferRelations.ts';

/** Longer than any line of an export; a longer line is refused before it is parsed. */
const MAX_LINE_BYTES = 1_000_000;
const MAX_NAMED = 10;

type Found =
  | { readonly account: Account }
  | { readonly rows: readonly RecordRow[] }
  | { readonly memory: MemoryRow }
  | { readonly block: SealedBlock }
  | { readonly forecasts: readonly ForecastRow[] }
  | { readonly market: MarketKey & { readonly state: MarketState } }
  | { readonly sealKey: string }
  | { readonly event: AuditEvent; readonly line: number };

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
 * Reads accounts, track records, memories of series and events of a transfer file; `relations` knows them afterwards. Throws ServiceError `backup.refused` if the file is incomplete or not a transfer file,
 * `file.unreadable`.
 */
async function* readRecords(file: string, relations = new TransferRelations()): AsyncGenerator<Found> {
  const read = recordReader();
  const hash = createHash('sha256');
  const counts = { accounts: 0, events: 0 };
  let [number, isEnded] = [0, false];
  for await (const line of linesOf(file)) {
    number++;
    const record = read(line.toString('utf8'));
    if (typeof record === 'string') throw refused(file, `line ${number}: ${record}`);
    if (isEnded) throw refused(file, `line ${number} is after the end`);
    if ((record.type === 'header') !== (number === 1))
      throw refused(file, `line ${number}: the header must be the first line, and only that`);
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
    if (problem !== undefined) throw refused(file, `line ${number}: ${problem}`);
    if (record.type === 'account') {
      const { email, emailKey } = record.account;
      if (!emailKeysOf(email).includes(emailKey)) throw refused(file, `line ${number}: the normalised form does not match the e-mail`);
      if (!isAffordableHash(record.account.passwordHash))
        throw refused(
          file,
          `line ${number}: the password hash is not argon2id with one lane and at most ${MOST_HASH_KIB} KiB times passes`,
        );
      counts.accounts++;
      yield { account: record.account };
    } else if (record.type === 'records') {
      // Of an earlier release, without the sums that it did not know.
      yield { rows: record.rows.map((row) => ({ ...row, tally: { ...EMPTY_TALLY, ...row.tally } })) };
    } else if (record.type === 'memory') {
      const { accountId, series, bytes } = record;
      yield { memory: { accountId, series, bytes: Buffer.from(bytes, 'base64') } };
    } else if (record.type === 'sealed') {
      yield { block: record.block };
    } else if (record.type === 'forecasts') {
      yield { forecasts: record.rows };
    } else if (record.type === 'market') {
      const { accountId, id, state } = record;
      yield { market: { accountId, id, state } };
    } else if (record.type === 'seal_key') {
      yield { sealKey: record.key };
    } else if (record.type === 'event') {
      counts.events++;
      yield { event: record.event, line: number };
    }
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
  for await (const found of readRecords(file)) void found;
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
  for await (const found of readRecords(file, relations)) {
    if ('event' in found) {
      const { accountId } = found.event;
      if (isNoAccount(accountId) || relations.hasAccount(accountId) || deleted.has(accountId)) continue;
      deleted.add(accountId);
      if ((await store.findAccount(accountId)) !== undefined)
        throw refused(file, `line ${found.line}: the event is of an account of the store that the file does not contain`);
    }
    if (!('account' in found)) continue;
    const existing = await findConflict(store, found.account, relations);
    if (existing !== undefined && !isSame(existing, found.account)) conflicts.push(found.account.email);
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
  for await (const found of readRecords(file)) {
    if ('account' in found || 'event' in found) await feed(store, unfed);
    if ('account' in found) {
      const { markets = [], ...account } = found.account;
      const outcome = await importAccount(store, account, clock, relations);
      if (outcome === 'skipped') skipped.add(account.id);
      else if (((await store.findAccount(account.id))?.markets ?? []).length === 0) unfed.set(account.id, markets);
      report[outcome]++;
    } else if ('rows' in found) {
      const rows = found.rows.filter(({ accountId }) => !skipped.has(accountId));
      if (rows.length > 0) await store.importRecords(rows);
    } else if ('memory' in found) {
      if (!skipped.has(found.memory.accountId)) await store.importMemories([found.memory], clock.nowMs());
    } else if ('block' in found) {
      // One that does not continue the chain is there, or the store has gone on with a chain of its own.
      if (!skipped.has(found.block.accountId)) await store.addSealed([found.block]);
    } else if ('forecasts' in found) {
      const [{ accountId }] = found.forecasts;
      if (unfed.has(accountId)) await store.importMarkets({ states: [], forecasts: found.forecasts });
    } else if ('market' in found) {
      if (unfed.has(found.market.accountId)) await store.importMarkets({ states: [{ ...found.market, keepFrom: 0 }], forecasts: [] });
    } else if ('sealKey' in found) {
      await store.sealKey(found.sealKey);
    } else if (!skipped.has(found.event.accountId)) {
      await store.appendEvent(found.event);
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
