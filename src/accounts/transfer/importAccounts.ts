import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { Account, AccountStore } from '../AccountStore.ts';
import { auditEvent, type AuditEvent } from '../AuditEvent.ts';
import { emailKeysOf } from '../emailRules.ts';
import { recordReader } from './accountRecords.ts';

/** More than any line of ours has; a longer one is refused before it is read. */
const MAX_LINE_BYTES = 1_000_000;
const MAX_NAMED = 10;

type Found = { readonly account: Account } | { readonly event: AuditEvent };

export type ImportOptions = {
  /** Leaves accounts that are there as they are, in place of refusing all. */
  readonly skipsExisting?: boolean;
};

export type ImportReport = {
  readonly created: number;
  /** There already, and equal. */
  readonly unchanged: number;
  /** There already, different, and left as they are. */
  readonly skipped: number;
  readonly events: number;
};

function refused(file: string, why: string, cause?: unknown): ServiceError {
  return new ServiceError('backup.refused', `${file}: ${why}.`, cause === undefined ? {} : { cause });
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

/** Accounts and events of a transfer file. Throws ServiceError `backup.refused` where the file is not whole or not ours, `file.unreadable`. */
async function* readRecords(file: string): AsyncGenerator<Found> {
  const read = recordReader();
  const hash = createHash('sha256');
  const counts = { accounts: 0, events: 0 };
  const emails = new Set<string>();
  let [number, isEnded] = [0, false];
  for await (const line of linesOf(file)) {
    number++;
    const record = read(line.toString('utf8'));
    if (typeof record === 'string') throw refused(file, `line ${number}: ${record}`);
    if (isEnded) throw refused(file, `line ${number} stands after the end`);
    if ((record.type === 'header') !== (number === 1)) throw refused(file, `line ${number}: the header is the first line and no other`);
    if (record.type === 'end') {
      if (record.sha256 !== hash.digest('hex')) throw refused(file, 'its bytes are not those that were written (SHA-256 differs)');
      if (record.accounts !== counts.accounts || record.events !== counts.events) throw refused(file, 'lines are missing');
      isEnded = true;
      continue;
    }
    hash.update(line);
    if (record.type === 'account') {
      const { email, emailKey } = record.account;
      if (!emailKeysOf(email).includes(emailKey)) throw refused(file, `line ${number}: the compared form is not that of the e-mail`);
      if (emails.has(emailKey)) throw refused(file, `line ${number}: an e-mail comes twice`);
      emails.add(emailKey);
      counts.accounts++;
      yield { account: record.account };
    } else if (record.type === 'event') {
      counts.events++;
      yield { event: record.event };
    }
  }
  if (!isEnded) throw refused(file, 'its end is missing: it was not written to its end');
}

/** Equal but for the last uses, which change all the time. */
function isSame(a: Account, b: Account): boolean {
  const plain = (account: Account): string =>
    JSON.stringify([
      ...[account.id, account.email, account.companyId, account.passwordHash, account.createdAtMs, account.disabledAtMs],
      account.keys.map((key) => [key.id, key.digest, key.name, key.createdAtMs, key.expiresAtMs, key.revokedAtMs, key.graceUntilMs]),
    ]);
  return plain(a) === plain(b);
}

/** What stands in the way of an account: one with its e-mail, its id or one of its keys. */
async function findRival(store: AccountStore, account: Account): Promise<Account | undefined> {
  const rival = (await store.findAccountByEmailKey(account.emailKey)) ?? (await store.findAccount(account.id));
  if (rival !== undefined) return rival;
  for (const { id, digest } of account.keys) {
    const holder = (await store.findAccountByDigest(digest)) ?? (await store.findAccountByKeyId(id));
    if (holder !== undefined) return holder;
  }
  return undefined;
}

/**
 * Brings accounts and events of a transfer file into a store, live or not. The whole file is checked first, against the store too: either nothing is
 * in its way or nothing is written. Cut off, it can be run again. Throws ServiceError `backup.refused`, `accounts.conflict`, `store.unavailable`.
 */
export async function importAccounts(
  store: AccountStore,
  file: string,
  clock: Clock,
  { skipsExisting = false }: ImportOptions = {},
): Promise<ImportReport> {
  const rivals: string[] = [];
  for await (const found of readRecords(file)) {
    if (!('account' in found)) continue;
    const rival = await findRival(store, found.account);
    if (rival !== undefined && !isSame(rival, found.account)) rivals.push(found.account.email);
  }
  if (rivals.length > 0 && !skipsExisting) {
    const more = rivals.length > MAX_NAMED ? ` and ${rivals.length - MAX_NAMED} more` : '';
    throw new ServiceError('accounts.conflict', `There already, and different: ${rivals.slice(0, MAX_NAMED).join(', ')}${more}.`);
  }
  const report = { created: 0, unchanged: 0, skipped: 0, events: 0 };
  for await (const found of readRecords(file)) {
    if ('event' in found) {
      await store.appendEvent(found.event);
      report.events++;
      continue;
    }
    const { account } = found;
    const rival = await findRival(store, account);
    if (rival !== undefined) report[isSame(rival, account) ? 'unchanged' : 'skipped']++;
    else {
      const event = auditEvent('account.imported', { actor: 'operator', requestId: null }, account.id, clock.nowMs());
      if ((await store.createAccount(account, event)) === 'created') report.created++;
      // Somebody signed up with this e-mail since it was looked for.
      else report.skipped++;
    }
  }
  return report;
}
