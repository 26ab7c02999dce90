import type { Account, AccountStore } from '../../src/service/accounts/AccountStore.ts';
import type { AuditEvent } from '../../src/service/accounts/AuditEvent.ts';
import type { Delivery } from '../../src/service/alerts/Webhook.ts';
import type { StoredMemory } from '../../src/service/live/MemoryStore.ts';
import type { SealedBlock } from '../../src/service/live/sealedChain.ts';
import type { RecordRow } from '../../src/service/live/TrackRecord.ts';
import { MemoryMarkets } from './MemoryMarkets.ts';

type Call = (...args: unknown[]) => Promise<unknown>;

/** An in-memory account store that counts its calls and lets the test change its content. */
export class MemoryStore extends MemoryMarkets implements AccountStore {
  events: AuditEvent[] = [];
  records: RecordRow[] = [];
  readonly memories = new Map<string, StoredMemory>();
  /** With the time when each is due. */
  deliveries: (Delivery & { nextAtMs: number })[] = [];
  /** In the order of their chains. */
  sealed: SealedBlock[] = [];
  sealedKey: string | undefined;
  calls = 0;
  /** If set, every call throws it. */
  failure: Error | undefined;

  constructor() {
    super();
    for (const [name, call] of Object.entries(this).filter(([, value]) => typeof value === 'function') as [string, Call][])
      Object.assign(this, {
        [name]: (...args: unknown[]) => {
          this.calls++;
          return this.failure === undefined ? call(...args) : Promise.reject(this.failure);
        },
      });
  }

  createAccount: AccountStore['createAccount'] = async (account, event) => {
    if (this.find(({ emailKey }) => emailKey === account.emailKey) !== undefined) return 'email_taken';
    this.accounts.set(account.id, account);
    if (event !== undefined) this.events.push(event);
    return 'created';
  };
  findAccount: AccountStore['findAccount'] = async (id) => this.accounts.get(id);
  findAccountByEmailKey: AccountStore['findAccountByEmailKey'] = async (emailKey) => this.find((account) => account.emailKey === emailKey);
  findAccountByDigest: AccountStore['findAccountByDigest'] = async (digest) =>
    this.find(({ keys }) => keys.some((key) => key.digest === digest));
  findAccountByKeyId: AccountStore['findAccountByKeyId'] = async (keyId) => this.find(({ keys }) => keys.some(({ id }) => id === keyId));
  listAccounts: AccountStore['listAccounts'] = async ({ limit, after = '', companyId }) =>
    [...this.accounts.values()]
      .filter((account) => account.emailKey > after && (companyId === undefined || account.companyId === companyId))
      .sort((a, b) => (a.emailKey < b.emailKey ? -1 : 1))
      .slice(0, limit);
  countAccounts: AccountStore['countAccounts'] = async () => this.accounts.size;
  changeAccount: AccountStore['changeAccount'] = async (id, change) => {
    const before = this.accounts.get(id);
    const changed = before && change(before);
    if (changed === undefined) return before;
    this.accounts.set(id, changed.account);
    if (changed.event !== undefined) this.events.push(changed.event);
    return changed.account;
  };
  deleteAccount: AccountStore['deleteAccount'] = async (id, event) => {
    const isThere = this.accounts.delete(id);
    if (isThere) this.events.push(event);
    return isThere;
  };

  appendEvent: AccountStore['appendEvent'] = async (event) => void this.events.push(event);
  listEvents: AccountStore['listEvents'] = async ({ limit, accountId, sinceMs = 0, after }) => {
    const found = this.events.filter((event) => event.atMs >= sinceMs && (accountId ?? event.accountId) === event.accountId).toReversed();
    const from = after === undefined ? 0 : found.findIndex(({ id }) => id === after.id) + 1;
    return found.slice(from, from + limit);
  };
  pruneEvents: AccountStore['pruneEvents'] = async (beforeMs) => {
    const before = this.events.length;
    this.events = this.events.filter(({ atMs }) => atMs >= beforeMs);
    return before - this.events.length;
  };

  addRecords: AccountStore['addRecords'] = async (rows) => void this.records.push(...rows);
  importRecords: AccountStore['importRecords'] = async (rows) => void this.records.push(...rows);
  listRecords: AccountStore['listRecords'] = async ({ accountId, after }) =>
    after === undefined ? this.records.filter((row) => row.accountId === accountId) : [];
  pruneRecords: AccountStore['pruneRecords'] = async (beforeDay) => {
    const before = this.records.length;
    this.records = this.records.filter(({ day, addedDay = day }) => addedDay >= beforeDay);
    return before - this.records.length;
  };

  sealKey: AccountStore['sealKey'] = async (candidate) => (this.sealedKey ??= candidate);
  lastSealed: AccountStore['lastSealed'] = async (accountId) => this.sealed.findLast((one) => one.accountId === accountId);
  listSealed: AccountStore['listSealed'] = async ({ accountId, from, limit }) =>
    this.sealed.filter((one) => one.accountId === accountId && one.first >= from).slice(0, limit);
  addSealed: AccountStore['addSealed'] = async (blocks) =>
    blocks.map((block) => {
      const last = this.sealed.findLast((one) => one.accountId === block.accountId);
      const isNext = last === undefined || (last.n === block.first && last.head === block.previous);
      if (isNext) this.sealed.push(block);
      return isNext;
    });
  trimSealed: AccountStore['trimSealed'] = async (accountId, mostLines) => {
    const end = this.sealed.findLast((one) => one.accountId === accountId)?.n ?? 0;
    this.sealed = this.sealed.filter((one) => one.accountId !== accountId || one.n === end || one.first >= end - mostLines);
  };

  readMemory: AccountStore['readMemory'] = async ({ accountId, series }, known) => {
    const found = this.memories.get(`${accountId} ${series}`);
    return found !== undefined && found.revision === known ? 'unchanged' : found;
  };
  writeMemory: AccountStore['writeMemory'] = async ({ accountId, series, bytes }, before) => {
    const key = `${accountId} ${series}`;
    if ((this.memories.get(key)?.revision ?? 0) !== before) return false;
    this.memories.set(key, { bytes, revision: before + 1 });
    return true;
  };
  listMemories: AccountStore['listMemories'] = async (accountId) =>
    [...this.memories]
      .filter(([key]) => key.startsWith(`${accountId} `))
      .map(([key, { bytes }]) => ({ accountId, series: key.slice(accountId.length + 1), bytes }));
  importMemories: AccountStore['importMemories'] = async (rows, atMs) => {
    for (const row of rows) await this.writeMemory(row, 0, atMs);
  };

  addDeliveries: AccountStore['addDeliveries'] = async (added) =>
    void this.deliveries.push(...added.map((delivery) => ({ ...delivery, nextAtMs: delivery.createdAtMs })));
  claimDeliveries: AccountStore['claimDeliveries'] = async ({ nowMs, untilMs, limit, busy, served }) => {
    const due = this.deliveries.filter((one) => one.failedAtMs === null && one.nextAtMs <= nowMs);
    const first = due.find((one) => !busy.includes(one.webhookId) && !served.includes(one.accountId));
    const claimed = due.filter((one) => one.webhookId === first?.webhookId).slice(0, limit);
    for (const one of claimed) one.nextAtMs = untilMs;
    return claimed.map(({ nextAtMs: _nextAtMs, ...delivery }) => delivery);
  };
  settleDeliveries: AccountStore['settleDeliveries'] = async (settled) => {
    for (const one of settled)
      this.deliveries = this.deliveries.flatMap((delivery) => {
        if (delivery.id !== one.id) return [delivery];
        if (one.result === 'delivered') return [];
        const { id: _id, result: _result, ...rest } = one;
        return [{ ...delivery, ...rest, attempts: delivery.attempts + 1 }];
      });
  };
  postponeDeliveries: AccountStore['postponeDeliveries'] = async (ids, nextAtMs) => {
    for (const one of this.deliveries) if (ids.includes(one.id)) one.nextAtMs = nextAtMs;
  };
  listFailed: AccountStore['listFailed'] = async (webhookId) =>
    this.deliveries.filter((one) => one.webhookId === webhookId && one.failedAtMs !== null);
  dropDeliveries: AccountStore['dropDeliveries'] = async (webhookId) => {
    this.deliveries = this.deliveries.filter((one) => one.webhookId !== webhookId);
  };

  ping: AccountStore['ping'] = async () => {};

  async close(): Promise<void> {}

  private find(isIt: (account: Account) => boolean): Account | undefined {
    return [...this.accounts.values()].find(isIt);
  }
}
