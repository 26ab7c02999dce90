import type { MemoryKey } from '../../live/MemoryStore.ts';
import type { SealedBlock } from '../../live/sealedChain.ts';
import type { MarketKey } from '../../markets/Market.ts';
import type { RecordKey } from '../../live/TrackRecord.ts';
import type { Account } from '../AccountStore.ts';
import { ALL_ACCOUNTS, NO_ACCOUNT, type AuditEvent } from '../AuditEvent.ts';
import type { AccountRecord } from './accountRecords.ts';

/** In events that belong to no account of their own. */
export const isNoAccount = (id: string): boolean => id === NO_ACCOUNT || id === ALL_ACCOUNTS;

/** As SQLite and MongoDB order text: by its UTF-8 bytes. */
const isAfter = (text: string, before: string): boolean => Buffer.compare(Buffer.from(text), Buffer.from(before)) > 0;

/** Adds to `known` what is not there yet; returns whether all of it was new. */
function addNew(known: Set<string>, values: readonly string[]): boolean {
  return values.every((value) => known.size < known.add(value).size);
}

/**
 * Checks that the lines of a transfer file belong together: rows follow their account, an event is of an account of the file or of one that it says was
 * deleted, all are in their order, and nothing occurs twice. What is wrong is said without a value of the line, which may be a secret.
 */
export class TransferRelations {
  readonly #accounts = new Set<string>();
  readonly #keys = new Set<string>();
  readonly #digests = new Set<string>();
  readonly #webhooks = new Set<string>();
  readonly #events = new Set<string>();
  /** Rows and memories of the last account. */
  readonly #rows = new Set<string>();
  #account: Account | undefined;
  #event: AuditEvent | undefined;
  /** Accounts that are not in the file: whether an event says that it was deleted, and the line of its first event. */
  readonly #others = new Map<string, { isDeleted: boolean; readonly line: number }>();

  hasAccount(id: string): boolean {
    return this.#accounts.has(id);
  }

  /** What is wrong with the next line, which has this number. */
  problemOf(record: AccountRecord, line: number): string | undefined {
    if (record.type === 'account') return this.#problemOfAccount(record.account);
    if (record.type === 'records') return this.#problemOfRows(record.rows, 'a row of the track record');
    if (record.type === 'memory') return this.#problemOfRows([record], 'a memory');
    if (record.type === 'sealed') return this.#problemOfRows([record.block], 'a sealed block');
    if (record.type === 'market') return this.#problemOfMarkets([record]);
    if (record.type === 'forecasts') return this.#problemOfMarkets(record.rows);
    if (record.type === 'event') return this.#problemOfEvent(record.event, line);
    return undefined;
  }

  /** What is wrong with the whole of them. */
  problemAtEnd(): string | undefined {
    const line = [...this.#others.values()].find(({ isDeleted }) => !isDeleted)?.line;
    return line === undefined ? undefined : `line ${line}: the event is of an account that the file does not contain`;
  }

  #problemOfAccount(account: Account): string | undefined {
    const { id, emailKey, keys, webhooks = [] } = account;
    if (this.#event !== undefined) return 'an account is after an event';
    if (isNoAccount(id)) return 'the id of an account is reserved';
    if (emailKey === this.#account?.emailKey) return 'an e-mail occurs twice';
    if (this.#account !== undefined && !isAfter(emailKey, this.#account.emailKey)) return 'the accounts are not ordered by e-mail';
    if (!addNew(this.#accounts, [id])) return 'the id of an account occurs twice';
    if (!addNew(this.#keys, keys.map((key) => key.id))) return 'the id of a key occurs twice'; // prettier-ignore
    if (!addNew(this.#digests, keys.map((key) => key.digest))) return 'the digest of a key occurs twice'; // prettier-ignore
    if (!addNew(this.#webhooks, webhooks.map((webhook) => webhook.id))) return 'the id of a webhook occurs twice'; // prettier-ignore
    this.#account = account;
    this.#rows.clear();
    return undefined;
  }

  #problemOfRows(rows: readonly (RecordKey | MemoryKey | SealedBlock)[], what: string): string | undefined {
    if (this.#event !== undefined) return `${what} is after an event`;
    if (rows.some(({ accountId }) => accountId !== this.#account?.id)) return `${what} is not of the account before it`;
    return addNew(this.#rows, rows.map(keyOf)) ? undefined : `${what} occurs twice`;
  }

  #problemOfMarkets(rows: readonly MarketKey[]): string | undefined {
    if (this.#event !== undefined) return 'a market is after an event';
    const isKnown = ({ accountId, id }: MarketKey): boolean =>
      accountId === this.#account?.id && (this.#account.markets ?? []).some((market) => market.id === id);
    return rows.every(isKnown) ? undefined : 'a market is not of the account before it';
  }

  #problemOfEvent(event: AuditEvent, line: number): string | undefined {
    const { id, atMs, accountId, action } = event;
    const before = this.#event;
    this.#event = event;
    if (!addNew(this.#events, [id])) return 'the id of an event occurs twice';
    if (before !== undefined && (atMs > before.atMs || (atMs === before.atMs && !isAfter(id, before.id))))
      return 'the events are not ordered, newest first';
    if (isNoAccount(accountId) || this.hasAccount(accountId)) return undefined;
    const other = this.#others.get(accountId) ?? { isDeleted: false, line };
    this.#others.set(accountId, { ...other, isDeleted: other.isDeleted || action === 'account.deleted' });
    return undefined;
  }
}

/** What makes a row unique in its account. */
const keyOf = (row: RecordKey | MemoryKey | SealedBlock): string => {
  if ('first' in row) return JSON.stringify([row.first]);
  return JSON.stringify('day' in row ? [row.series, row.day, row.model, row.bucket, row.ownThreshold] : row.series);
};
