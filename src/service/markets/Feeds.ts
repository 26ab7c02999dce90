import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { feedOf } from './Market.ts';
import { type AccountMarket, type FeedDeps, MarketFeed } from './MarketFeed.ts';
import type { Lease, MarketStore } from './MarketStore.ts';

/** The leases are looked at so often, and one without a sign of life for so long is taken over. */
const POLL_MS = 1000;
const STALE_MS = 4000;
/** What has changed is written so much later, forecasts sooner: they are told when they are written. */
const COMMIT_MS = 1000;
const SOON_MS = 20;

export type FeedsDeps = Omit<FeedDeps, 'onState' | 'parts'> & {
  readonly parts: Omit<FeedDeps['parts'], 'onRow'>;
  readonly store: MarketStore;
  /** Markets of all accounts; further ones are not watched. */
  readonly most: number;
  /** Why a feed may not be opened; undefined: it may. */
  readonly refusal: (feed: AccountMarket['market']) => string | undefined;
  /** Called with the number of feeds of this process by state. */
  readonly onCount?: (counts: Readonly<Record<string, number>>) => void;
};

type Seen = { readonly lease: Lease; readonly sinceMs: number };

/**
 * The markets that this process feeds. Of all processes that serve a store, one has the lease of a feed: it gives a sign of life every second, and
 * another one takes over when there was none for four seconds by its own clock. What the former one writes then is refused.
 */
export class Feeds {
  readonly #deps: FeedsDeps;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #owner = randomUUID();
  readonly #feeds = new Map<string, MarketFeed>();
  /** Leases of other processes, and since when they are as they are. */
  #seen = new Map<string, Seen>();
  #polling: Promise<void> | undefined;
  #cancelPoll = (): void => {};
  #cancelBeat = (): void => {};
  #committing: Promise<void> | undefined;
  #commitAtMs = Infinity;
  #cancelCommit = (): void => {};
  #isClosed = false;

  constructor(deps: FeedsDeps) {
    this.#deps = deps;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
  }

  start(): void {
    this.#beat();
    void this.wake();
  }

  /** Looks at markets and leases now; resolves when it has. */
  wake(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#cancelPoll();
    this.#polling ??= this.#poll()
      .catch((error: unknown) => this.#logger.warn('watched markets not read; they go on as they are', { error }))
      .finally(() => {
        this.#polling = undefined;
        if (!this.#isClosed) this.#cancelPoll = this.#clock.after(POLL_MS, () => void this.wake());
      });
    return this.#polling;
  }

  /** Ends the feeds, writes what is left, and lets other processes go on at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll();
    this.#cancelBeat();
    await this.#polling;
    const feeds = [...this.#feeds.values()];
    await Promise.all(feeds.map((feed) => feed.close()));
    this.#cancelCommit();
    await this.#committing;
    await this.#commit(true);
    // A market keeps what its targets were told, or the next process would tell it again: also of the forecasts written just now.
    await this.#deps.parts.events.flush();
    await this.#commit(true);
    const leases = [...this.#feeds.values()].map(({ lease }) => lease);
    await this.#deps.store.releaseFeeds(leases).catch((error: unknown) => this.#logger.warn('market feeds not released', { error }));
  }

  /** Apart from the polls: one slow feed must not give the leases of all others away. */
  #beat(): void {
    const beaten = this.#deps.store.beatFeeds(this.#owner).catch(() => {});
    void beaten.then(() => {
      if (!this.#isClosed) this.#cancelBeat = this.#clock.after(POLL_MS, () => this.#beat());
    });
  }

  async #poll(): Promise<void> {
    const { store, most, refusal } = this.#deps;
    const all = (await store.listMarkets()).flatMap(({ accountId, markets }) =>
      markets.map((market) => ({ accountId, id: market.id, market })),
    );
    const wanted = new Map<string, AccountMarket[]>();
    for (const one of all.slice(0, most)) {
      const feed = feedOf(one.market);
      if (refusal(one.market) === undefined) wanted.set(feed, [...(wanted.get(feed) ?? []), one]);
    }
    const leases = new Map((await store.leases()).map((lease) => [lease.feed, lease]));
    for (const [name, feed] of this.#feeds) {
      const { owner, token } = leases.get(name) ?? { owner: '', token: 0 };
      if (owner !== this.#owner || token !== feed.lease.token) await this.#drop(feed, 'lost');
      else if (!wanted.has(name)) await this.#drop(feed, 'unwanted');
      else await feed.setMarkets(wanted.get(name)!);
    }
    for (const [name, markets] of wanted) {
      if (this.#feeds.has(name)) continue;
      // What is stored of one feed may be damaged: the others begin all the same.
      await this.#claim(name, markets, leases.get(name)).catch((error: unknown) =>
        this.#logger.warn('market feed not begun; it is tried again', { feed: name, error }),
      );
    }
    const counts = { connecting: 0, live: 0, gap: 0, stopped: 0, failed: 0 };
    for (const { state } of this.#feeds.values()) counts[state]++;
    this.#deps.onCount?.(counts);
  }

  /** Takes a feed that has no owner, or whose owner gives no sign of life; also one of its own, of a claim whose answer was lost. */
  async #claim(name: string, markets: readonly AccountMarket[], lease: Lease | undefined): Promise<void> {
    const { store } = this.#deps;
    const nowMs = this.#clock.monotonicMs();
    if (lease !== undefined && lease.owner !== this.#owner) {
      const seen = this.#seen.get(name);
      const isSame =
        seen !== undefined && seen.lease.owner === lease.owner && seen.lease.beat === lease.beat && seen.lease.token === lease.token;
      if (!isSame) this.#seen.set(name, { lease, sinceMs: nowMs });
      if (!isSame || nowMs - seen.sinceMs < STALE_MS) return;
    }
    const mine = await store.claimFeed(name, this.#owner, lease);
    this.#seen.delete(name);
    if (mine === undefined) return;
    const { random, open, bars, parts } = this.#deps;
    const deps = {
      ...{ random, open, bars, clock: this.#clock, logger: this.#logger, parts: { ...parts, onRow: () => this.#commitIn(SOON_MS) } },
      onState: () => this.#commitIn(SOON_MS),
    };
    const feed = new MarketFeed(deps, mine, markets[0].market);
    this.#logger.info('market feed begins', { feed: name, markets: markets.length, lease: mine.token });
    this.#feeds.set(name, feed);
    try {
      await feed.start(markets);
    } catch (error) {
      await this.#drop(feed, 'unwanted');
      throw error;
    }
    this.#commitIn(COMMIT_MS);
  }

  async #drop(feed: MarketFeed, why: 'lost' | 'unwanted'): Promise<void> {
    const { lease } = feed;
    this.#feeds.delete(lease.feed);
    this.#logger.info('market feed ends', { feed: lease.feed, why });
    await feed.close();
    if (why === 'unwanted') await this.#deps.store.releaseFeeds([lease]);
  }

  #commitIn(waitMs: number): void {
    const atMs = this.#clock.monotonicMs() + waitMs;
    if (this.#isClosed || atMs >= this.#commitAtMs) return;
    this.#commitAtMs = atMs;
    this.#cancelCommit();
    this.#cancelCommit = this.#clock.after(waitMs, () => {
      this.#commitAtMs = Infinity;
      // What comes meanwhile is part of the next one.
      this.#committing = (this.#committing ?? Promise.resolve()).then(() => this.#commit()).finally(() => this.#commitIn(COMMIT_MS));
    });
  }

  /** Never throws. */
  async #commit(isLast = false): Promise<void> {
    const feeds = [...this.#feeds.values()].filter((feed) => feed.isChanged).map((feed) => feed.take());
    if (feeds.length === 0) return;
    try {
      const lost = await this.#deps.store.commitFeeds({ feeds });
      for (const feed of feeds) {
        if (!lost.includes(feed.lease.feed)) feed.written();
        else if (!isLast) void this.wake();
      }
    } catch (error) {
      for (const feed of feeds) feed.failed();
      this.#logger.warn('watched markets not written; they are tried again', { error });
    }
  }
}
