import type { Database, Statement } from 'libsql';
import type { MarketForecast } from '../../contract/markets.ts';
import type { ForecastRow, Market, MarketKey, MarketState, PendingForecast } from '../markets/Market.ts';
import type { AccountMarkets, FeedCommit, Lease } from '../markets/MarketStore.ts';
import { bytesOf, type Blob } from './sqliteMemories.ts';
import { parseColumn } from './storedRows.ts';

type Prepare = (sql: string) => Statement;
type Row = { readonly n: number; readonly change: number; readonly forecast: string; readonly pending: string | null };

export const MARKET_COLUMNS = {
  market_states: ['account_id', 'market', 'state'],
  market_forecasts: ['account_id', 'market', 'n', 'change', 'forecast', 'pending'],
  feed_leases: ['feed', 'owner', 'token', 'beat'],
  feed_logs: ['name', 'first', 'bytes'],
};

const nameOf = ({ accountId, id }: MarketKey): string => `market ${id} of account ${accountId}`;
const forecastOf = (key: MarketKey, { forecast }: Pick<Row, 'forecast'>): MarketForecast =>
  parseColumn(nameOf(key), 'forecast', forecast) as MarketForecast;

/** Without those that are disabled. */
export function listMarkets(prepare: Prepare): AccountMarkets[] {
  const rows = prepare('SELECT id, markets FROM accounts WHERE markets IS NOT NULL AND disabled_at_ms IS NULL').all();
  return (rows as { id: string; markets: string }[]).map(({ id, markets }) => ({
    accountId: id,
    markets: parseColumn(`account ${id}`, 'markets', markets) as Market[],
  }));
}

export function marketStates(prepare: Prepare, accountId: string): Map<string, MarketState> {
  const rows = prepare('SELECT market, state FROM market_states WHERE account_id = ?').all(accountId) as {
    market: string;
    state: string;
  }[];
  return new Map(rows.map(({ market, state }) => [market, parseColumn(nameOf({ accountId, id: market }), 'state', state) as MarketState]));
}

export function marketForecasts(prepare: Prepare, key: MarketKey, after: number, limit: number): MarketForecast[] {
  const sql = 'SELECT forecast FROM market_forecasts WHERE account_id = ? AND market = ? AND change > ? ORDER BY change LIMIT ?';
  return (prepare(sql).all(key.accountId, key.id, after, limit) as Row[]).map((row) => forecastOf(key, row));
}

export function pendingForecasts(prepare: Prepare, key: MarketKey): { rows: ForecastRow[]; n: number; change: number } {
  const of = 'FROM market_forecasts WHERE account_id = ? AND market = ?';
  const rows = prepare(`SELECT forecast, pending ${of} AND pending IS NOT NULL ORDER BY n`).all(key.accountId, key.id) as Row[];
  const last = prepare(`SELECT max(n) AS n, max(change) AS change ${of}`).get(key.accountId, key.id) as {
    n: number | null;
    change: number | null;
  };
  const pendingOf = ({ pending }: Row): PendingForecast => parseColumn(nameOf(key), 'pending', pending!) as PendingForecast;
  return {
    rows: rows.map((row) => ({ ...key, forecast: forecastOf(key, row), pending: pendingOf(row) })),
    ...{ n: last.n ?? -1, change: last.change ?? 0 },
  };
}

export function dropMarket(prepare: Prepare, { accountId, id }: MarketKey): void {
  prepare('DELETE FROM market_states WHERE account_id = ? AND market = ?').run(accountId, id);
  prepare('DELETE FROM market_forecasts WHERE account_id = ? AND market = ?').run(accountId, id);
}

/** Of a deleted account. */
export function dropMarkets(prepare: Prepare, accountId: string): void {
  prepare('DELETE FROM market_states WHERE account_id = ?').run(accountId);
  prepare('DELETE FROM market_forecasts WHERE account_id = ?').run(accountId);
}

export const leases = (prepare: Prepare): Lease[] => prepare('SELECT feed, owner, token, beat FROM feed_leases').all() as Lease[];

export function claimFeed(prepare: Prepare, feed: string, owner: string, seen: Lease | undefined): Lease | undefined {
  const { changes } =
    seen === undefined
      ? prepare('INSERT INTO feed_leases (feed, owner, token, beat) VALUES (?, ?, 1, 0) ON CONFLICT DO NOTHING').run(feed, owner)
      : prepare(
          'UPDATE feed_leases SET owner = ?, token = token + 1, beat = 0 WHERE feed = ? AND owner = ? AND token = ? AND beat = ?',
        ).run(owner, feed, seen.owner, seen.token, seen.beat);
  return changes === 0 ? undefined : { feed, owner, token: (seen?.token ?? 0) + 1, beat: 0 };
}

export const beatFeeds = (prepare: Prepare, owner: string): void =>
  void prepare('UPDATE feed_leases SET beat = beat + 1 WHERE owner = ?').run(owner);

export function releaseFeeds(prepare: Prepare, released: readonly Pick<Lease, 'feed' | 'owner'>[]): void {
  for (const { feed, owner } of released) prepare('DELETE FROM feed_leases WHERE feed = ? AND owner = ?').run(feed, owner);
}

export function feedLog(prepare: Prepare, name: string): { first: number; bytes: Uint8Array }[] {
  const rows = prepare('SELECT first, bytes FROM feed_logs WHERE name = ? ORDER BY first').all(name) as { first: number; bytes: Blob }[];
  return rows.map(({ first, bytes }) => ({ first, bytes: bytesOf(bytes) }));
}

const STATE =
  'INSERT INTO market_states (account_id, market, state) SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM accounts WHERE id = ?) ' +
  'ON CONFLICT DO UPDATE SET state = excluded.state';
const LOG = 'INSERT INTO feed_logs (name, first, bytes) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes';
const FORECAST =
  'INSERT INTO market_forecasts (account_id, market, n, change, forecast, pending) SELECT ?, ?, ?, ?, ?, ? ' +
  'WHERE EXISTS (SELECT 1 FROM accounts WHERE id = ?) ' +
  'ON CONFLICT (account_id, market, n) DO UPDATE SET change = excluded.change, forecast = excluded.forecast, pending = excluded.pending';

/** All or nothing. */
export function commitFeeds(database: Database, prepare: Prepare, { feeds }: FeedCommit): string[] {
  const lost: string[] = [];
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const { lease, logs, states, forecasts } of feeds) {
      const held = prepare('SELECT 1 FROM feed_leases WHERE feed = ? AND owner = ? AND token = ?').get(
        lease.feed,
        lease.owner,
        lease.token,
      );
      if (held === undefined) {
        lost.push(lease.feed);
        continue;
      }
      for (const { name, first, bytes, keepFrom } of logs) {
        prepare(LOG).run(name, first, Buffer.from(bytes));
        prepare('DELETE FROM feed_logs WHERE name = ? AND first < ?').run(name, keepFrom);
      }
      for (const { accountId, id, state, keepFrom } of states) {
        prepare(STATE).run(accountId, id, JSON.stringify(state), accountId);
        prepare('DELETE FROM market_forecasts WHERE account_id = ? AND market = ? AND n < ?').run(accountId, id, keepFrom);
      }
      for (const { accountId, id, forecast, pending } of forecasts)
        prepare(FORECAST).run(
          ...[accountId, id, forecast.n, forecast.change, JSON.stringify(forecast)],
          pending === null ? null : JSON.stringify(pending),
          accountId,
        );
    }
    database.exec('COMMIT');
    return lost;
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
