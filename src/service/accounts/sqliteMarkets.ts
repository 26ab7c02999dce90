import type { MarketForecast } from '../../contract/markets.ts';
import type { Market, MarketKey, MarketState, PendingForecast } from '../markets/Market.ts';
import type { FeedCommit, Lease, MarketRows, MarketStore } from '../markets/MarketStore.ts';
import type { Prepare, SqliteDatabase } from './SqliteDatabase.ts';
import { bytesOf, type Blob } from './sqliteMemories.ts';
import { parseColumn } from './storedRows.ts';

type Row = { readonly n: number; readonly change: number; readonly forecast: string; readonly pending: string | null };

const nameOf = ({ accountId, id }: MarketKey): string => `market ${id} of account ${accountId}`;
const forecastOf = (key: MarketKey, { forecast }: Pick<Row, 'forecast'>): MarketForecast =>
  parseColumn(nameOf(key), 'forecast', forecast) as MarketForecast;

/** What the service learns of watched markets. Leases and what belongs to them are written without a sync. */
export const sqliteMarkets = ({ read, write, relaxed, writeRelaxed }: SqliteDatabase): MarketStore => ({
  listMarkets: () =>
    read((prepare) => {
      const rows = prepare('SELECT id, markets FROM accounts WHERE markets IS NOT NULL AND disabled_at_ms IS NULL').all();
      return (rows as { id: string; markets: string }[]).map(({ id, markets }) => ({
        accountId: id,
        markets: parseColumn(`account ${id}`, 'markets', markets) as Market[],
      }));
    }),
  marketStates: (accountId) =>
    read((prepare) => {
      const rows = prepare('SELECT market AS id, state FROM market_states WHERE account_id = ?').all(accountId);
      return new Map(
        (rows as { id: string; state: string }[]).map(({ id, state }) => [
          id,
          parseColumn(nameOf({ accountId, id }), 'state', state) as MarketState,
        ]),
      );
    }),
  marketForecasts: (key, after, limit) =>
    read((prepare) => {
      const sql = 'SELECT forecast FROM market_forecasts WHERE account_id = ? AND market = ? AND change > ? ORDER BY change LIMIT ?';
      return (prepare(sql).all(key.accountId, key.id, after, limit) as Row[]).map((row) => forecastOf(key, row));
    }),
  pendingForecasts: (key) =>
    read((prepare) => {
      const of = 'FROM market_forecasts WHERE account_id = ? AND market = ?';
      const rows = prepare(`SELECT forecast, pending ${of} AND pending IS NOT NULL ORDER BY n`).all(key.accountId, key.id) as Row[];
      const last = prepare(`SELECT max(n) AS n, max(change) AS change ${of}`).get(key.accountId, key.id) as Partial<Row>;
      const pendingOf = ({ pending }: Row): PendingForecast => parseColumn(nameOf(key), 'pending', pending!) as PendingForecast;
      return {
        rows: rows.map((row) => ({ ...key, forecast: forecastOf(key, row), pending: pendingOf(row) })),
        ...{ n: last.n ?? -1, change: last.change ?? 0 },
      };
    }),
  dropMarket: ({ accountId, id }) =>
    write((prepare) => {
      for (const table of ['market_states', 'market_forecasts'])
        prepare(`DELETE FROM ${table} WHERE account_id = ? AND market = ?`).run(accountId, id);
    }),
  leases: () => read((prepare) => prepare('SELECT feed, owner, token, beat FROM feed_leases').all() as Lease[]),
  claimFeed: (feed, owner, seen) =>
    relaxed((prepare) => {
      const add = 'INSERT INTO feed_leases (feed, owner, token, beat) VALUES (?, ?, 1, 0) ON CONFLICT DO NOTHING';
      const take = 'UPDATE feed_leases SET owner = ?, token = token + 1, beat = 0 WHERE feed = ? AND owner = ? AND token = ? AND beat = ?';
      const { changes } =
        seen === undefined ? prepare(add).run(feed, owner) : prepare(take).run(owner, feed, seen.owner, seen.token, seen.beat);
      return changes === 0 ? undefined : { feed, owner, token: (seen?.token ?? 0) + 1, beat: 0 };
    }),
  beatFeeds: (owner) => relaxed((prepare) => void prepare('UPDATE feed_leases SET beat = beat + 1 WHERE owner = ?').run(owner)),
  releaseFeeds: (released) =>
    relaxed((prepare) => {
      for (const { feed, owner } of released) prepare('DELETE FROM feed_leases WHERE feed = ? AND owner = ?').run(feed, owner);
    }),
  importMarkets: (rows) => write((prepare) => writeRows(prepare, rows, KNOWN)),
  commitFeeds: (commit) => writeRelaxed((prepare) => commitFeeds(prepare, commit)),
  feedLog: (name) =>
    read((prepare) => {
      const rows = prepare('SELECT first, bytes FROM feed_logs WHERE name = ? ORDER BY first').all(name);
      return (rows as { first: number; bytes: Blob }[]).map(({ first, bytes }) => ({ first, bytes: bytesOf(bytes) }));
    }),
});

const STATE = 'INSERT INTO market_states (account_id, market, state) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state';
const LOG = 'INSERT INTO feed_logs (name, first, bytes) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes';
const FORECAST =
  'INSERT INTO market_forecasts (account_id, market, n, change, forecast, pending) VALUES (?, ?, ?, ?, ?, ?) ' +
  'ON CONFLICT (account_id, market, n) DO UPDATE SET change = excluded.change, forecast = excluded.forecast, pending = excluded.pending';

function commitFeeds(prepare: Prepare, { feeds }: FeedCommit): string[] {
  const lost: string[] = [];
  for (const { lease, logs, ...rows } of feeds) {
    const held = prepare('SELECT 1 FROM feed_leases WHERE feed = ? AND owner = ? AND token = ?').get(lease.feed, lease.owner, lease.token);
    if (held === undefined) {
      lost.push(lease.feed);
      continue;
    }
    for (const { name, first, bytes, keepFrom } of logs) {
      prepare(LOG).run(name, first, Buffer.from(bytes));
      prepare('DELETE FROM feed_logs WHERE name = ? AND first < ?').run(name, keepFrom);
    }
    writeRows(prepare, rows, WATCHED);
  }
  return lost;
}

/** Whether an account exists, and whether it has a market. */
const KNOWN = 'SELECT 1 FROM accounts WHERE id = ?1 AND ?2 IS NOT NULL';
const WATCHED = "SELECT 1 FROM accounts, json_each(markets) AS market WHERE accounts.id = ?1 AND market.value ->> '$.id' = ?2";

/** `kept`: WATCHED, because a market may have been removed meanwhile, or KNOWN, because an import lets the service watch a market only after its rows. */
function writeRows(prepare: Prepare, { states, forecasts }: MarketRows, kept: string): void {
  const known = new Map<string, boolean>();
  const isKept = (key: MarketKey): boolean => {
    const name = nameOf(key);
    if (!known.has(name)) known.set(name, prepare(kept).get(key.accountId, key.id) !== undefined);
    return known.get(name)!;
  };
  for (const { state, keepFrom, ...key } of states.filter(isKept)) {
    const { accountId, id } = key;
    prepare(STATE).run(accountId, id, JSON.stringify(state));
    prepare('DELETE FROM market_forecasts WHERE account_id = ? AND market = ? AND n < ?').run(accountId, id, keepFrom);
  }
  for (const { forecast, pending, ...key } of forecasts.filter(isKept))
    prepare(FORECAST).run(
      ...[key.accountId, key.id, forecast.n, forecast.change, JSON.stringify(forecast)],
      pending === null ? null : JSON.stringify(pending),
    );
}
