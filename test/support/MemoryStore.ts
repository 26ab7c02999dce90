import type { Account, AccountChange, AccountPage, AccountStore, EventQuery } from '../../src/service/accounts/AccountStore.ts';
import type { MemoryKey, MemoryRow, StoredMemory, WriteResult } from '../../src/service/live/MemoryStore.ts';
import type { SealedBlock, SealedPage } from '../../src/service/live/sealedChain.ts';
import type { RecordPage, RecordRow } from '../../src/service/live/TrackRecord.ts';
import type { Claim, Delivery, Settled } from '../../src/service/alerts/Webhook.ts';
import type { AuditEvent } from '../../src/service/accounts/AuditEvent.ts';
import { MemoryMarkets } from './MemoryMarkets.ts';

/** An in-memory account store that counts its calls and lets the test change its content. */
export class MemoryStore extends MemoryMarkets implements AccountStore {
  events: AuditEvent[] = [];
  records: RecordRow[] = [];
  /** With the time when each is due. */
  readonly memories = new Map<string, StoredMemory>();
  deliveries: (Delivery & { nextAtMs: number })[] = [];
  /** In the order of their chains. */
  sealed: SealedBlock[] = [];
  sealedKey: string | undefined;
  calls = 0;
  /** If set, every call throws it. */
  failure: Error | undefined;

  async createAccount(account: Account, event?: AuditEvent): Promise<'created' | 'email_taken'> {
    this.#count();
    if (this.#find(({ emailKey }) => emailKey === account.emailKey) !== undefined) return 'email_taken';
    this.accounts.set(account.id, account);
    if (event !== undefined) this.events.push(event);
    return 'created';
  }

  async findAccount(id: string): Promise<Account | undefined> {
    this.#count();
    return this.accounts.get(id);
  }

  async findAccountByEmailKey(emailKey: string): Promise<Account | undefined> {
    this.#count();
    return this.#find((account) => account.emailKey === emailKey);
  }

  async findAccountByDigest(digest: string): Promise<Account | undefined> {
    this.#count();
    return this.#find(({ keys }) => keys.some((key) => key.digest === digest));
  }

  async findAccountByKeyId(keyId: string): Promise<Account | undefined> {
    this.#count();
    return this.#find(({ keys }) => keys.some(({ id }) => id === keyId));
  }

  async listAccounts({ limit, after = '', companyId }: AccountPage): Promise<readonly Account[]> {
    this.#count();
    return [...this.accounts.values()]
      .filter((account) => account.emailKey > after && (companyId === undefined || account.companyId === companyId))
      .sort((a, b) => (a.emailKey < b.emailKey ? -1 : 1))
      .slice(0, limit);
  }

  async changeAccount(id: string, change: (account: Account) => AccountChange | undefined): Promise<Account | undefined> {
    this.#count();
    const before = this.accounts.get(id);
    const changed = before && change(before);
    if (changed === undefined) return before;
    this.accounts.set(id, changed.account);
    if (changed.event !== undefined) this.events.push(changed.event);
    return changed.account;
  }

  async deleteAccount(id: string, event: AuditEvent): Promise<boolean> {
    this.#count();
    const isThere = this.accounts.delete(id);
    if (isThere) this.events.push(event);
    return isThere;
  }

  async appendEvent(event: AuditEvent): Promise<void> {
    this.#count();
    this.events.push(event);
  }

  async listEvents({ limit, accountId, sinceMs = 0, after }: EventQuery): Promise<readonly AuditEvent[]> {
    this.#count();
    const found = this.events
      .filter((event) => event.atMs >= sinceMs && (accountId === undefined || event.accountId === accountId))
      .toReversed();
    const from = after === undefined ? 0 : found.findIndex(({ id }) => id === after.id) + 1;
    return found.slice(from, from + limit);
  }

  async pruneEvents(beforeMs: number): Promise<number> {
    this.#count();
    const before = this.events.length;
    this.events = this.events.filter(({ atMs }) => atMs >= beforeMs);
    return before - this.events.length;
  }

  async addRecords(rows: readonly RecordRow[]): Promise<void> {
    this.#count();
    this.records.push(...rows);
  }

  importRecords(rows: readonly RecordRow[]): Promise<void> {
    return this.addRecords(rows);
  }

  async listRecords({ accountId, after }: RecordPage): Promise<readonly RecordRow[]> {
    this.#count();
    return after === undefined ? this.records.filter((row) => row.accountId === accountId) : [];
  }

  async pruneRecords(beforeDay: string): Promise<number> {
    this.#count();
    const before = this.records.length;
    this.records = this.records.filter(({ day, addedDay = day }) => addedDay >= beforeDay);
    return before - this.records.length;
  }

  async sealKey(candidate?: string): Promise<string | undefined> {
    this.#count();
    return (this.sealedKey ??= candidate);
  }

  async lastSealed(accountId: string): Promise<SealedBlock | undefined> {
    this.#count();
    return this.sealed.findLast((one) => one.accountId === accountId);
  }

  async listSealed({ accountId, from, limit }: SealedPage): Promise<readonly SealedBlock[]> {
    this.#count();
    return this.sealed.filter((one) => one.accountId === accountId && one.first >= from).slice(0, limit);
  }

  async addSealed(blocks: readonly SealedBlock[]): Promise<readonly boolean[]> {
    this.#count();
    return blocks.map((block) => {
      const last = this.sealed.findLast((one) => one.accountId === block.accountId);
      const isNext = last === undefined || (last.n === block.first && last.head === block.previous);
      if (isNext) this.sealed.push(block);
      return isNext;
    });
  }

  async trimSealed(accountId: string, mostLines: number): Promise<void> {
    this.#count();
    const end = this.sealed.findLast((one) => one.accountId === accountId)?.n ?? 0;
    this.sealed = this.sealed.filter((one) => one.accountId !== accountId || one.n === end || one.first >= end - mostLines);
  }

  async readMemory({ accountId, series }: MemoryKey, known?: number): Promise<StoredMemory | 'unchanged' | undefined> {
    this.#count();
    const found = this.memories.get(`${accountId} ${series}`);
    return found !== undefined && found.revision === known ? 'unchanged' : found;
  }

  async writeMemory({ accountId, series, bytes }: MemoryRow, before: number): Promise<WriteResult> {
    this.#count();
    const key = `${accountId} ${series}`;
    if ((this.memories.get(key)?.revision ?? 0) !== before) return false;
    this.memories.set(key, { bytes, revision: before + 1 });
    return true;
  }

  async listMemories(accountId: string): Promise<readonly MemoryRow[]> {
    this.#count();
    const found = [...this.memories].filter(([key]) => key.startsWith(`${accountId} `));
    return found.map(([key, { bytes }]) => ({ accountId, series: key.slice(accountId.length + 1), bytes }));
  }

  async importMemories(rows: readonly MemoryRow[]): Promise<void> {
    for (const row of rows) await this.writeMemory(row, 0);
  }

  async addDeliveries(added: readonly Delivery[]): Promise<void> {
    this.#count();
    this.deliveries.push(...added.map((delivery) => ({ ...delivery, nextAtMs: delivery.createdAtMs })));
  }

  async claimDeliveries({ nowMs, untilMs, limit, busy, served }: Claim): Promise<readonly Delivery[]> {
    this.#count();
    const isDue = (one: Delivery & { nextAtMs: number }): boolean => one.failedAtMs === null && one.nextAtMs <= nowMs;
    const first = this.deliveries.find((one) => isDue(one) && !busy.includes(one.webhookId) && !served.includes(one.accountId));
    const claimed = this.deliveries.filter((one) => isDue(one) && one.webhookId === first?.webhookId).slice(0, limit);
    for (const one of claimed) one.nextAtMs = untilMs;
    return claimed.map(({ nextAtMs: _nextAtMs, ...delivery }) => delivery);
  }

  async settleDeliveries(settled: readonly Settled[]): Promise<void> {
    this.#count();
    for (const one of settled) {
      this.deliveries = this.deliveries.flatMap((delivery) => {
        if (delivery.id !== one.id) return [delivery];
        if (one.result === 'delivered') return [];
        const rest = { attempts: delivery.attempts + 1, error: one.error };
        return one.result === 'retry'
          ? [{ ...delivery, ...rest, nextAtMs: one.nextAtMs }]
          : [{ ...delivery, ...rest, failedAtMs: one.failedAtMs }];
      });
    }
  }

  async postponeDeliveries(ids: readonly string[], nextAtMs: number): Promise<void> {
    this.#count();
    for (const one of this.deliveries) if (ids.includes(one.id)) one.nextAtMs = nextAtMs;
  }

  async listFailed(webhookId: string): Promise<readonly Delivery[]> {
    this.#count();
    return this.deliveries.filter((one) => one.webhookId === webhookId && one.failedAtMs !== null);
  }

  async dropDeliveries(webhookId: string): Promise<void> {
    this.#count();
    this.deliveries = this.deliveries.filter((one) => one.webhookId !== webhookId);
  }

  async countAccounts(): Promise<number> {
    this.#count();
    return this.accounts.size;
  }

  async ping(): Promise<void> {
    this.#count();
  }

  async close(): Promise<void> {}

  #find(isIt: (account: Account) => boolean): Account | undefined {
    return [...this.accounts.values()].find(isIt);
  }

  #count(): void {
    this.calls++;
    if (this.failure !== undefined) throw this.failure;
  }
}
