import type { Account } from '../../src/service/accounts/AccountStore.ts';
import type { ForecastRow, MarketKey, MarketState } from '../../src/service/markets/Market.ts';
import type { Lease, LogRows, MarketStore } from '../../src/service/markets/MarketStore.ts';

const nameOf = ({ accountId, id }: MarketKey): string => `${accountId} ${id}`;

/** What the service learns of watched markets, in memory. */
export class MemoryMarkets implements MarketStore {
  readonly accounts = new Map<string, Account>();
  readonly marketState = new Map<string, MarketKey & { readonly state: MarketState }>();
  rows: ForecastRow[] = [];
  held: Lease[] = [];
  logs: LogRows[] = [];

  listMarkets: MarketStore['listMarkets'] = async () =>
    [...this.accounts.values()]
      .filter(({ disabledAtMs, markets = [] }) => disabledAtMs === null && markets.length > 0)
      .map(({ id, markets = [] }) => ({ accountId: id, markets }));
  marketStates: MarketStore['marketStates'] = async (accountId) => {
    const own = [...this.marketState.values()].filter((one) => one.accountId === accountId);
    return new Map(own.map(({ id, state }) => [id, state]));
  };
  marketForecasts: MarketStore['marketForecasts'] = async (key, after, limit) =>
    this.of(key, 'change')
      .filter(({ forecast }) => forecast.change > after)
      .slice(0, limit)
      .map(({ forecast }) => forecast);
  pendingForecasts: MarketStore['pendingForecasts'] = async (key) => {
    const all = this.of(key, 'n');
    const change = Math.max(0, ...all.map(({ forecast }) => forecast.change));
    return { rows: all.filter(({ pending }) => pending !== null), n: all.at(-1)?.forecast.n ?? -1, change };
  };
  dropMarket: MarketStore['dropMarket'] = async (key) => {
    this.marketState.delete(nameOf(key));
    this.rows = this.rows.filter((row) => nameOf(row) !== nameOf(key));
  };

  leases: MarketStore['leases'] = async () => this.held;
  claimFeed: MarketStore['claimFeed'] = async (feed, owner, seen) => {
    const now = this.held.find((lease) => lease.feed === feed);
    if (JSON.stringify(now) !== JSON.stringify(seen)) return undefined;
    const lease = { feed, owner, token: (seen?.token ?? 0) + 1, beat: 0 };
    this.held = [...this.held.filter((one) => one !== now), lease];
    return lease;
  };
  beatFeeds: MarketStore['beatFeeds'] = async (owner) => {
    this.held = this.held.map((lease) => (lease.owner === owner ? { ...lease, beat: lease.beat + 1 } : lease));
  };
  releaseFeeds: MarketStore['releaseFeeds'] = async (leases) => {
    this.held = this.held.filter((one) => !leases.some(({ feed, owner }) => one.feed === feed && one.owner === owner));
  };

  commitFeeds: MarketStore['commitFeeds'] = async ({ feeds }) => {
    const lost: string[] = [];
    for (const { lease, logs, states, forecasts } of feeds) {
      if (!this.held.some(({ feed, owner, token }) => feed === lease.feed && owner === lease.owner && token === lease.token)) {
        lost.push(lease.feed);
        continue;
      }
      for (const rows of logs) {
        const kept = this.logs.filter(({ name, first }) => name !== rows.name || (first >= rows.keepFrom && first !== rows.first));
        this.logs = [...kept, rows];
      }
      await this.importMarkets({ states, forecasts });
    }
    return lost;
  };
  importMarkets: MarketStore['importMarkets'] = async ({ states, forecasts }) => {
    for (const row of forecasts)
      this.rows = [...this.rows.filter((one) => nameOf(one) !== nameOf(row) || one.forecast.n !== row.forecast.n), row];
    for (const { keepFrom, ...one } of states) {
      this.marketState.set(nameOf(one), one);
      this.rows = this.rows.filter((row) => nameOf(row) !== nameOf(one) || row.forecast.n >= keepFrom);
    }
  };
  feedLog: MarketStore['feedLog'] = async (name) => this.logs.filter((one) => one.name === name).sort((a, b) => a.first - b.first);

  private of(key: MarketKey, order: 'n' | 'change'): ForecastRow[] {
    return this.rows.filter((row) => nameOf(row) === nameOf(key)).sort((a, b) => a.forecast[order] - b.forecast[order]);
  }
}
