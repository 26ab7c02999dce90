import type { Database, Statement } from 'libsql';
import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import {
  MOST_RECORDS,
  type Account,
  type AccountChange,
  type AccountPage,
  type AccountStore,
  type EventQuery,
  type StoredKey,
} from './AccountStore.ts';
import type { MarketForecast } from '../../contract/markets.ts';
import type { MarketKey, MarketState } from '../markets/Market.ts';
import type { AccountMarkets, FeedCommit, Lease, MarketStore } from '../markets/MarketStore.ts';
import type { MemoryKey, MemoryRow, StoredMemory, WriteResult } from '../live/MemoryStore.ts';
import type { SealedBlock, SealedPage } from '../live/sealedChain.ts';
import type { RecordPage, RecordRow } from '../live/TrackRecord.ts';
import type { Claim, Delivery, Settled } from '../alerts/Webhook.ts';
import type { AuditEvent } from './AuditEvent.ts';
import * as deliveries from './sqliteDeliveries.ts';
import * as markets from './sqliteMarkets.ts';
import { SqliteMemories } from './sqliteMemories.ts';
import { RelaxedDatabase } from './RelaxedDatabase.ts';
import { addRecords, importRecords, listRecords } from './sqliteRecords.ts';
import * as sealed from './sqliteSealed.ts';
import {
  ACCOUNT_COLUMNS,
  accountValues,
  EVENT_COLUMNS,
  eventValues,
  KEY_COLUMNS,
  PLAIN_KEY_COLUMNS,
  keyValues,
  toAccount,
  toEvent,
  marketsText,
  webhooksText,
  type AccountRow,
  type EventRow,
  type KeyRow,
} from './sqliteSchema.ts';

/** Delay before a write retries while another process is writing the file. */
const RETRY_MS = 5;

const marks = (columns: readonly string[]): string => columns.map(() => '?').join(', ');
/** Every column except the first one, which identifies the row. */
const updates = (columns: readonly string[]): string =>
  columns
    .slice(1)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ');

/** Another process holds the file. */
export function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
}

/** Stores accounts in a SQLite database that is open, checked and migrated; owns the database. See `openSqliteStore`. */
export class SqliteStore implements AccountStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #mostRecords: number;
  readonly #checkFiles: () => void;
  readonly #statements = new Map<string, Statement>();
  #relaxed: RelaxedDatabase | undefined;
  #memories: SqliteMemories | undefined;
  #isOpen = true;

  /**
   * `waitMs`: how long a write waits for another process, without blocking the thread. `mostRecords`: rows of the track record of an account.
   * `checkFiles` throws if the files are no longer those that were opened: what is written to deleted files is lost.
   */
  constructor(
    database: Database,
    {
      clock,
      waitMs,
      mostRecords = MOST_RECORDS,
      checkFiles = () => {},
    }: { clock: Clock; waitMs: number; mostRecords?: number; checkFiles?: () => void },
  ) {
    this.#checkFiles = checkFiles;
    this.#database = database;
    this.#clock = clock;
    this.#waitMs = waitMs;
    this.#mostRecords = mostRecords;
    // Overwrites deleted content in the file.
    database.prepare('PRAGMA secure_delete = ON').all();
    // The store waits without blocking the thread instead.
    database.prepare('PRAGMA busy_timeout = 0').all();
  }

  createAccount(account: Account, event?: AuditEvent): Promise<'created' | 'email_taken'> {
    return this.#write(() => {
      // A taken e-mail is the only expected conflict; any other violated constraint throws.
      const sql = `INSERT INTO accounts (${ACCOUNT_COLUMNS.join(', ')}) VALUES (${marks(ACCOUNT_COLUMNS)}) ON CONFLICT (email_key) DO NOTHING`;
      if (this.#prepared(sql).run(...accountValues(account)).changes === 0) return 'email_taken';
      for (const key of account.keys) this.#putKey(account.id, key, false);
      if (event !== undefined) this.#putEvent(event);
      return 'created';
    });
  }

  findAccount(id: string): Promise<Account | undefined> {
    return this.#read(() => this.#account('id = ?', id));
  }

  findAccountByEmailKey(emailKey: string): Promise<Account | undefined> {
    return this.#read(() => this.#account('email_key = ?', emailKey));
  }

  findAccountByDigest(digest: string): Promise<Account | undefined> {
    return this.#read(() => this.#account('id = (SELECT account_id FROM api_keys WHERE digest = ?)', digest, PLAIN_KEY_COLUMNS));
  }

  findAccountByKeyId(keyId: string): Promise<Account | undefined> {
    return this.#read(() => this.#account('id = (SELECT account_id FROM api_keys WHERE id = ?)', keyId));
  }

  listAccounts({ limit, after = '', companyId }: AccountPage): Promise<readonly Account[]> {
    const ofCompany = companyId === undefined ? '' : 'AND company_id = ?';
    const sql = `SELECT ${ACCOUNT_COLUMNS.join(', ')} FROM accounts WHERE email_key > ? ${ofCompany} ORDER BY email_key LIMIT ?`;
    return this.#read(() => {
      const rows = this.#prepared(sql).all(after, ...(companyId === undefined ? [] : [companyId]), limit) as AccountRow[];
      return rows.map((row) => toAccount(row, this.#keysOf(row.id)));
    });
  }

  changeAccount(id: string, change: (account: Account) => AccountChange | undefined): Promise<Account | undefined> {
    return this.#write(() => {
      const before = this.#account('id = ?', id);
      const changed = before && change(before);
      if (before === undefined || changed === undefined) return before;
      const { account, event } = changed;
      this.#prepared(
        'UPDATE accounts SET company_id = ?, password_hash = ?, disabled_at_ms = ?, webhooks = ?, markets = ? WHERE id = ?',
      ).run(account.companyId, account.passwordHash, account.disabledAtMs, webhooksText(account), marketsText(account), id);
      for (const key of before.keys) {
        if (!account.keys.some((kept) => kept.id === key.id)) this.#prepared('DELETE FROM api_keys WHERE id = ?').run(key.id);
      }
      for (const key of account.keys) if (!before.keys.includes(key)) this.#putKey(id, key, true);
      if (event !== undefined) this.#putEvent(event);
      return this.#account('id = ?', id);
    });
  }

  async deleteAccount(id: string, event: AuditEvent): Promise<boolean> {
    const isDone = await this.#write(() => {
      this.#prepared('DELETE FROM api_keys WHERE account_id = ?').run(id);
      this.#prepared('DELETE FROM track_record WHERE account_id = ?').run(id);
      this.#prepared('DELETE FROM sealed_forecasts WHERE account_id = ?').run(id);
      this.#prepared('DELETE FROM deliveries WHERE account_id = ?').run(id);
      this.#prepared('DELETE FROM series_memory WHERE account_id = ?').run(id);
      markets.dropMarkets(this.#prepare, id);
      const { changes } = this.#prepared('DELETE FROM accounts WHERE id = ?').run(id);
      if (changes > 0) this.#putEvent(event);
      return changes > 0;
    });
    this.#emptyLog();
    return isDone;
  }

  appendEvent(event: AuditEvent): Promise<void> {
    return this.#write(() => this.#putEvent(event));
  }

  listEvents({ limit, accountId, sinceMs = 0, after }: EventQuery): Promise<readonly AuditEvent[]> {
    const conditions = ['at_ms >= ?', ...(accountId === undefined ? [] : ['account_id = ?'])];
    const values: unknown[] = [sinceMs, ...(accountId === undefined ? [] : [accountId])];
    if (after !== undefined) {
      conditions.push('(at_ms < ? OR (at_ms = ? AND id > ?))');
      values.push(after.atMs, after.atMs, after.id);
    }
    const sql = `SELECT ${EVENT_COLUMNS.join(', ')} FROM audit_log WHERE ${conditions.join(' AND ')} ORDER BY at_ms DESC, id LIMIT ?`;
    return this.#read(() => (this.#prepared(sql).all(...values, limit) as EventRow[]).map(toEvent));
  }

  pruneEvents(beforeMs: number): Promise<number> {
    return this.#write(() => this.#prepared('DELETE FROM audit_log WHERE at_ms < ?').run(beforeMs).changes);
  }

  /** A transaction that failed has changed nothing, so it needs no batch id. */
  addRecords(rows: readonly RecordRow[]): Promise<void> {
    return this.#write(() => addRecords(this.#prepare, rows, this.#mostRecords));
  }

  importRecords(rows: readonly RecordRow[]): Promise<void> {
    return this.#write(() => importRecords(this.#prepare, rows));
  }

  listRecords(page: RecordPage): Promise<readonly RecordRow[]> {
    return this.#read(() => listRecords(this.#prepare, page));
  }

  pruneRecords(beforeDay: string): Promise<number> {
    return this.#write(() => {
      const blocks = this.#prepared('DELETE FROM sealed_forecasts WHERE at_ms < ?').run(Date.parse(beforeDay)).changes;
      return blocks + this.#prepared('DELETE FROM track_record WHERE day < ?').run(beforeDay).changes;
    });
  }

  sealKey(candidate?: string): Promise<string | undefined> {
    const work = (): string | undefined => sealed.sealKey(this.#prepare, candidate);
    return candidate === undefined ? this.#read(work) : this.#write(work);
  }

  lastSealed(accountId: string): Promise<SealedBlock | undefined> {
    return this.#read(() => sealed.lastSealed(this.#prepare, accountId));
  }

  listSealed(page: SealedPage): Promise<readonly SealedBlock[]> {
    return this.#read(() => sealed.listSealed(this.#prepare, page));
  }

  addSealed(blocks: readonly SealedBlock[]): Promise<readonly boolean[]> {
    return this.#write(() => sealed.addSealed(this.#prepare, blocks));
  }

  trimSealed(accountId: string, mostLines: number): Promise<void> {
    return this.#write(() => sealed.trimSealed(this.#prepare, accountId, mostLines));
  }

  readMemory(key: MemoryKey, known = 0): Promise<StoredMemory | 'unchanged' | undefined> {
    return this.#retry(() => this.#memory().read(key, known));
  }

  writeMemory(row: MemoryRow, before: number, atMs: number): Promise<WriteResult> {
    return this.#retry(() => this.#memory().write(row, before, atMs));
  }

  listMemories(accountId: string): Promise<readonly MemoryRow[]> {
    return this.#retry(() => this.#memory().list(accountId));
  }

  importMemories(rows: readonly MemoryRow[], atMs: number): Promise<void> {
    return this.#retry(() => rows.forEach((row) => this.#memory().write(row, 0, atMs)));
  }

  listMarkets(): Promise<readonly AccountMarkets[]> {
    return this.#read(() => markets.listMarkets(this.#prepare));
  }

  marketStates(accountId: string): Promise<ReadonlyMap<string, MarketState>> {
    return this.#read(() => markets.marketStates(this.#prepare, accountId));
  }

  marketForecasts(key: MarketKey, after: number, limit: number): Promise<readonly MarketForecast[]> {
    return this.#read(() => markets.marketForecasts(this.#prepare, key, after, limit));
  }

  pendingForecasts(key: MarketKey): ReturnType<MarketStore['pendingForecasts']> {
    return this.#read(() => markets.pendingForecasts(this.#prepare, key));
  }

  dropMarket(key: MarketKey): Promise<void> {
    return this.#write(() => markets.dropMarket(this.#prepare, key));
  }

  leases(): Promise<readonly Lease[]> {
    return this.#read(() => markets.leases(this.#prepare));
  }

  claimFeed(feed: string, owner: string, seen: Lease | undefined): Promise<Lease | undefined> {
    return this.#retry(() => markets.claimFeed(this.#second().prepared, feed, owner, seen));
  }

  beatFeeds(owner: string): Promise<void> {
    return this.#retry(() => markets.beatFeeds(this.#second().prepared, owner));
  }

  releaseFeeds(released: readonly Pick<Lease, 'feed' | 'owner'>[]): Promise<void> {
    return this.#retry(() => markets.releaseFeeds(this.#second().prepared, released));
  }

  commitFeeds(commit: FeedCommit): Promise<readonly string[]> {
    return this.#retry(() => markets.commitFeeds(this.#second().database, this.#second().prepared, commit));
  }

  feedLog(name: string): ReturnType<MarketStore['feedLog']> {
    return this.#read(() => markets.feedLog(this.#prepare, name));
  }

  addDeliveries(added: readonly Delivery[]): Promise<void> {
    return this.#write(() => deliveries.addDeliveries(this.#prepare, added));
  }

  claimDeliveries(claim: Claim): Promise<readonly Delivery[]> {
    return this.#write(() => deliveries.claimDeliveries(this.#prepare, claim));
  }

  settleDeliveries(settled: readonly Settled[]): Promise<void> {
    return this.#write(() => deliveries.settleDeliveries(this.#prepare, settled));
  }

  postponeDeliveries(ids: readonly string[], nextAtMs: number): Promise<void> {
    return this.#write(() => deliveries.postponeDeliveries(this.#prepare, ids, nextAtMs));
  }

  listFailed(webhookId: string): Promise<readonly Delivery[]> {
    return this.#read(() => deliveries.listFailed(this.#prepare, webhookId));
  }

  dropDeliveries(webhookId: string): Promise<void> {
    return this.#write(() => void this.#prepared('DELETE FROM deliveries WHERE webhook_id = ?').run(webhookId));
  }

  countAccounts(): Promise<number> {
    return this.#read(() => (this.#prepared('SELECT count(*) AS accounts FROM accounts').get() as { accounts: number }).accounts);
  }

  ping(): Promise<void> {
    return this.#read(() => {
      this.#prepared('SELECT id FROM accounts LIMIT 1').get();
    });
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#relaxed?.close();
    // Moves everything into the one file, which can then be copied alone.
    this.#emptyLog();
    this.#database.close();
  }

  /** Writes the write-ahead log back into the file. Old pages of the log still contain content that was deleted since. */
  #emptyLog(): void {
    try {
      this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    } catch {
      // Nothing is lost: another process is reading the log, and the next opening reads it too.
    }
  }

  #account(condition: string, value: string, keyColumns = KEY_COLUMNS): Account | undefined {
    const row = this.#prepared(`SELECT ${ACCOUNT_COLUMNS.join(', ')} FROM accounts WHERE ${condition}`).get(value) as
      | AccountRow
      | undefined;
    return row && toAccount(row, this.#keysOf(row.id, keyColumns));
  }

  #keysOf(accountId: string, columns = KEY_COLUMNS): KeyRow[] {
    return this.#prepared(`SELECT ${columns.join(', ')} FROM api_keys WHERE account_id = ? ORDER BY rowid`).all(accountId) as KeyRow[];
  }

  #putKey(accountId: string, key: StoredKey, mayExist: boolean): void {
    const onConflict = mayExist ? `ON CONFLICT (id) DO UPDATE SET ${updates(KEY_COLUMNS)}` : '';
    const sql = `INSERT INTO api_keys (${KEY_COLUMNS.join(', ')}, account_id) VALUES (${marks(KEY_COLUMNS)}, ?) ${onConflict}`;
    this.#prepared(sql).run(...keyValues(key), accountId);
  }

  #putEvent(event: AuditEvent): void {
    const sql = `INSERT INTO audit_log (${EVENT_COLUMNS.join(', ')}) VALUES (${marks(EVENT_COLUMNS)}) ON CONFLICT (id) DO NOTHING`;
    this.#prepared(sql).run(...eventValues(event));
  }

  readonly #prepare = (sql: string): Statement => this.#prepared(sql);

  #prepared(sql: string): Statement {
    const kept = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, kept);
    return kept;
  }

  /** Atomic: all of `work` or nothing. */
  #write<T>(work: () => T): Promise<T> {
    return this.#read(() => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#database.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  #memory(): SqliteMemories {
    return (this.#memories ??= new SqliteMemories(this.#second()));
  }

  /** Opened by the first call: most commands never need it. */
  #second(): RelaxedDatabase {
    if (this.#relaxed !== undefined) return this.#relaxed;
    this.#checkFiles();
    const [{ file } = { file: '' }] = this.#database.prepare('PRAGMA database_list').all() as { file: string }[];
    return (this.#relaxed = new RelaxedDatabase(file));
  }

  #read<T>(work: () => T): Promise<T> {
    return this.#retry(() => {
      this.#checkFiles();
      return work();
    });
  }

  /**
   * Runs `work` and retries while another process holds the file. The busy handler of SQLite would block the thread, and with it every
   * forecast.
   */
  async #retry<T>(work: () => T): Promise<T> {
    const endMs = this.#clock.monotonicMs() + this.#waitMs;
    for (;;) {
      try {
        if (!this.#isOpen) throw new Error('The store is closed.');
        return work();
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        if (!isBusy(error) || this.#clock.monotonicMs() >= endMs)
          throw new ServiceError('store.unavailable', 'The account store does not answer.', { cause: error });
      }
      await new Promise<void>((resolve) => void this.#clock.after(RETRY_MS, resolve, true));
    }
  }
}
