import { createHash } from 'node:crypto';
import type { MarketForecast } from '../../../contract/markets.ts';
import type { Clock } from '../../../core/Clock.ts';
import { memoryFault } from '../../../engine/memory/SeriesMemory.ts';
import { sealedBlocks } from '../../live/sealedChain.ts';
import type { MarketKey } from '../../markets/Market.ts';
import type { RecordRow } from '../../live/TrackRecord.ts';
import type { Account, AccountStore, EventQuery } from '../AccountStore.ts';
import type { AuditEvent } from '../AuditEvent.ts';
import { FORMAT, ROWS_PER_LINE, type AccountRecord } from './accountRecords.ts';
import { isNoAccount } from './TransferRelations.ts';

const PAGE = 200;

/** Pages of at most `limit` rows; `read` gets the last row of the page before. */
async function* pagesOf<Row>(limit: number, read: (last: Row | undefined) => Promise<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  for (let last: Row | undefined; ;) {
    const page = await read(last);
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    last = page.at(-1);
  }
}

/** All accounts ordered by e-mail, read page by page. */
export async function* allAccounts(store: AccountStore, companyId?: string): AsyncGenerator<Account> {
  const pages = pagesOf<Account>(PAGE, (last) => store.listAccounts({ limit: PAGE, after: last?.emailKey, companyId }));
  for await (const page of pages) yield* page;
}

async function* allEvents(store: AccountStore, query: Pick<EventQuery, 'accountId' | 'after'> = {}): AsyncGenerator<AuditEvent> {
  const pages = pagesOf<AuditEvent>(PAGE, (last) => store.listEvents({ ...query, limit: PAGE, ...(last && { after: last }) }));
  for await (const page of pages) yield* page;
}

/** What is known of a watched market, first its forecasts: an import that was interrupted has no state of it. */
async function* marketOf(store: AccountStore, key: MarketKey): AsyncGenerator<AccountRecord> {
  const state = (await store.marketStates(key.accountId)).get(key.id);
  if (state === undefined) return;
  const pending = new Map((await store.pendingForecasts(key)).rows.map((row) => [row.forecast.n, row.pending]));
  const pages = pagesOf<MarketForecast>(ROWS_PER_LINE, (last) => store.marketForecasts(key, last?.change ?? 0, ROWS_PER_LINE));
  for await (const page of pages)
    yield {
      type: 'forecasts',
      rows: page.map((forecast) => ({
        ...key,
        forecast,
        pending: forecast.outcome === null ? (pending.get(forecast.n) ?? null) : null,
      })),
    };
  yield { type: 'market', ...key, state };
}

/** Whether an older event says that the account was deleted. */
async function wasDeletedBefore(store: AccountStore, after: AuditEvent): Promise<boolean> {
  for await (const { action } of allEvents(store, { accountId: after.accountId, after })) if (action === 'account.deleted') return true;
  return false;
}

/**
 * The lines of a transfer file with their line ends. Each account is consistent; one that is created or deleted during the export may be
 * included or not, and then the same holds for its events. Throws ServiceError `store.unavailable`.
 */
export async function* exportAccounts(store: AccountStore, clock: Clock): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const counts = { accounts: 0, events: 0 };
  const line = (record: AccountRecord): string => {
    const text = `${JSON.stringify(record)}\n`;
    hash.update(text);
    return text;
  };
  /** By account, whether its events are written. */
  const known = new Map<string, boolean>();
  yield line({ type: 'header', format: FORMAT, createdAtMs: clock.nowMs() });
  const sealKey = await store.sealKey();
  if (sealKey !== undefined) yield line({ type: 'seal_key', key: sealKey });
  for await (const account of allAccounts(store)) {
    counts.accounts++;
    known.set(account.id, true);
    yield line({ type: 'account', account });
    const records = (after: RecordRow | undefined) => store.listRecords({ accountId: account.id, limit: ROWS_PER_LINE, after });
    for await (const rows of pagesOf(ROWS_PER_LINE, records)) yield line({ type: 'records', rows });
    for await (const block of sealedBlocks(store, account.id)) yield line({ type: 'sealed', block });
    for (const { id } of account.markets ?? [])
      for await (const record of marketOf(store, { accountId: account.id, id })) yield line(record);
    // One that cannot be read begins again anyway, and no import would take it.
    for (const { bytes, ...key } of await store.listMemories(account.id))
      if (memoryFault(bytes) === undefined) yield line({ type: 'memory', ...key, bytes: Buffer.from(bytes).toString('base64') });
  }
  for await (const event of allEvents(store)) {
    const { accountId, action } = event;
    if (isNoAccount(accountId) || action === 'account.deleted') known.set(accountId, true);
    // Created during the export: neither the account nor its deletion is written.
    if (!known.has(accountId)) known.set(accountId, await wasDeletedBefore(store, event));
    if (known.get(accountId) === false) continue;
    counts.events++;
    yield line({ type: 'event', event });
  }
  yield `${JSON.stringify({ type: 'end', ...counts, sha256: hash.digest('hex') } satisfies AccountRecord)}\n`;
}
