import type { MarketForecast } from '../../contract/markets.ts';
import type { ForecastRow, Market, MarketKey, MarketState } from './Market.ts';

/** Which process feeds the markets of a feed. */
export type Lease = {
  readonly feed: string;
  /** Names the process. */
  readonly owner: string;
  /** Counts the owners: what one with an earlier token writes is refused. */
  readonly token: number;
  /** Counts the signs of life of the owner. */
  readonly beat: number;
};

/** New rows of a log of a feed, counted from its first one; those before `keepFrom` are dropped. */
export type LogRows = { readonly name: string; readonly first: number; readonly bytes: Uint8Array; readonly keepFrom: number };

export type MarketRows = {
  /** Forecasts before `keepFrom` are dropped. */
  readonly states: readonly (MarketKey & { readonly state: MarketState; readonly keepFrom: number })[];
  /** New and changed ones. */
  readonly forecasts: readonly ForecastRow[];
};

/** What is written together of the feeds of one process. */
export type FeedCommit = {
  readonly feeds: readonly (MarketRows & {
    readonly lease: Pick<Lease, 'feed' | 'owner' | 'token'>;
    readonly logs: readonly LogRows[];
  })[];
};

type AccountMarkets = { readonly accountId: string; readonly markets: readonly Market[] };

/**
 * The part of the account store that keeps what the service learns of watched markets; the markets themselves are part of their account. What is
 * written survives the end of the process, not always that of the machine. Every method throws only ServiceError `store.unavailable`.
 */
export type MarketStore = {
  /** Of all accounts that are not disabled. */
  listMarkets(): Promise<readonly AccountMarkets[]>;
  /** By the id of the market. */
  marketStates(accountId: string): Promise<ReadonlyMap<string, MarketState>>;
  /** In the order of their changes. */
  marketForecasts(key: MarketKey, after: number, limit: number): Promise<readonly MarketForecast[]>;
  /** Those without an outcome, oldest first, and the last `n` and `change`; -1 and 0 for none. */
  pendingForecasts(key: MarketKey): Promise<{ readonly rows: readonly ForecastRow[]; readonly n: number; readonly change: number }>;
  /** All that was written of a market. */
  dropMarket(key: MarketKey): Promise<void>;
  leases(): Promise<readonly Lease[]>;
  /** Takes a feed whose lease is as it was seen, undefined: has none; undefined: another process was faster. */
  claimFeed(feed: string, owner: string, seen: Lease | undefined): Promise<Lease | undefined>;
  /** A sign of life of a process. */
  beatFeeds(owner: string): Promise<void>;
  releaseFeeds(leases: readonly Pick<Lease, 'feed' | 'owner'>[]): Promise<void>;
  /** Writes what belongs to leases that hold, and skips accounts that do not exist; resolves to the feeds whose lease is lost. */
  commitFeeds(commit: FeedCommit): Promise<readonly string[]>;
  /** Writes what is known of markets that no one feeds yet, and skips accounts that do not exist. */
  importMarkets(rows: MarketRows): Promise<void>;
  /** In order. */
  feedLog(name: string): Promise<readonly Pick<LogRows, 'first' | 'bytes'>[]>;
};
