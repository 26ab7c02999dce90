import type { MarketForecast } from '../../src/contract/markets.ts';
import type { Account } from '../../src/service/accounts/AccountStore.ts';
import type { ForecastRow, MarketKey, MarketState } from '../../src/service/markets/Market.ts';
import type { AccountMarkets, FeedCommit, Lease, LogRows, MarketRows, MarketStore } from '../../src/service/markets/MarketStore.ts';

const nameOf = ({ accountId, id }: MarketKey): string => `${accountId} ${id}`;

/** What the service learns of watched markets, in memory. */
export class MemoryMarkets implements MarketStore {
  readonly accounts = new Map<string, Account>();
  readonly marketState = new Map<string, MarketKey & { readonly state: MarketState }>();
  rows: ForecastRow[] = [];
  held: Lease[] = [];
  logs: LogRows[] = [];

  async listMarkets(): Promise<readonly AccountMarkets[]> {
    const all = [...this.accounts.values()].filter(({ disabledAtMs }) => disabledAtMs === null);
    return all.flatMap(({ id, markets = [] }) => (markets.length === 0 ? [] : [{ accountId: id, markets }]));
  }

  async marketStates(accountId: string): Promise<ReadonlyMap<string, MarketState>> {
    const own = [...this.marketState.values()].filter((one) => one.accountId === accountId);
    return new Map(own.map(({ id, state }) => [id, state]));
  }

  async marketForecasts(key: MarketKey, after: number, limit: number): Promise<readonly MarketForecast[]> {
    const found = this.#of(key).filter(({ forecast }) => forecast.change > after);
    return found
      .sort((a, b) => a.forecast.change - b.forecast.change)
      .slice(0, limit)
      .map(({ forecast }) => forecast);
  }

  async pendingForecasts(key: MarketKey): ReturnType<MarketStore['pendingForecasts']> {
    const all = this.#of(key).sort((a, b) => a.forecast.n - b.forecast.n);
    const change = Math.max(0, ...all.map(({ forecast }) => forecast.change));
    return { rows: all.filter(({ pending }) => pending !== null), n: all.at(-1)?.forecast.n ?? -1, change };
  }

  async dropMarket(key: MarketKey): Promise<void> {
    this.marketState.delete(nameOf(key));
    this.rows = this.rows.filter((row) => nameOf(row) !== nameOf(key));
  }

  async leases(): Promise<readonly Lease[]> {
    return this.held;
  }

  async claimFeed(feed: string, owner: string, seen: Lease | undefined): Promise<Lease | undefined> {
    const now = this.held.find((lease) => lease.feed === feed);
    if (JSON.stringify(now) !== JSON.stringify(seen)) return undefined;
    const lease = { feed, owner, token: (seen?.token ?? 0) + 1, beat: 0 };
    this.held = [...this.held.filter((one) => one !== now), lease];
    return lease;
  }

  async beatFeeds(owner: string): Promise<void> {
    this.held = this.held.map((lease) => (lease.owner === owner ? { ...lease, beat: lease.beat + 1 } : lease));
  }

  async releaseFeeds(leases: readonly Pick<Lease, 'feed' | 'owner'>[]): Promise<void> {
    this.held = this.held.filter((one) => !leases.some(({ feed, owner }) => one.feed === feed && one.owner === owner));
  }

  async commitFeeds({ feeds }: FeedCommit): Promise<readonly string[]> {
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
  }

  async importMarkets({ states, forecasts }: MarketRows): Promise<void> {
    for (const row of forecasts)
      this.rows = [...this.rows.filter((one) => nameOf(one) !== nameOf(row) || one.forecast.n !== row.forecast.n), row];
    for (const { keepFrom, ...one } of states) {
      this.marketState.set(nameOf(one), one);
      this.rows = this.rows.filter((row) => nameOf(row) !== nameOf(one) || row.forecast.n >= keepFrom);
    }
  }

  async feedLog(name: string): ReturnType<MarketStore['feedLog']> {
    return this.logs.filter((one) => one.name === name).sort((a, b) => a.first - b.first);
  }

  #of(key: MarketKey): ForecastRow[] {
    return this.rows.filter((row) => nameOf(row) === nameOf(key));
  }
}
