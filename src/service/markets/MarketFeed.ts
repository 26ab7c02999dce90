import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { US_PER_MS } from '../../core/units.ts';
import { parseDurationMs } from '../../contract/duration.ts';
import { LEAST_TICKS, MOST_TICKS } from '../../engine/live/LiveSeries.ts';
import type { ExchangeBar } from '../../ticks/exchange/Exchange.ts';
import type { FeedParts } from '../../ticks/exchange/FeedParts.ts';
import { BarMaker, type MadeBar } from './BarMaker.ts';
import { FeedReader } from './FeedReader.ts';
import { logOf, type Market, type MarketKey, type MarketState } from './Market.ts';
import type { MarketParts } from './MarketParts.ts';
import type { FeedCommit, Lease } from './MarketStore.ts';
import { BAR_NUMBERS, SeriesLog, TICK_NUMBERS } from './SeriesLog.ts';
import { type MarketTick, WatchedMarket } from './WatchedMarket.ts';

/** Waits after a feed has failed: the next one is twice as long, up to the last. */
const FIRST_RETRY_MS = 10_000;
const MOST_RETRY_MS = 300_000;

/** The messages of an exchange, as a recording has them. */
export type OpenExchange = (
  feed: Pick<Market, 'exchange' | 'symbol' | 'kind'>,
  parts: Required<Pick<FeedParts, 'clock' | 'random' | 'say' | 'signal' | 'place' | 'onLost'>>,
) => AsyncIterable<string>;

/** The bars of an exchange since a time, oldest first; undefined: they cannot be had. Never throws. */
export type ReadBars = (
  feed: Pick<Market, 'exchange' | 'symbol' | 'kind'>,
  since: { readonly fromUs: number; readonly periodUs: number },
  parts: Pick<FeedParts, 'clock' | 'say' | 'signal'>,
) => Promise<readonly ExchangeBar[] | undefined>;

export type FeedDeps = {
  readonly parts: MarketParts;
  readonly open: OpenExchange;
  readonly bars: ReadBars;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  /** The state has changed. */
  readonly onState: () => void;
};

export type AccountMarket = MarketKey & { readonly market: Market };

/** The markets of one period of bars, or of ticks. */
type Group = {
  readonly log: SeriesLog;
  readonly markets: Map<string, WatchedMarket>;
  readonly ticks: MarketTick[];
  readonly bars?: {
    readonly maker: BarMaker;
    readonly periodUs: number;
    /** The bars before the next tick are to be read from the exchange. */
    isBehind: boolean;
  };
};

const nameOf = ({ accountId, id }: MarketKey): string => `${accountId} ${id}`;
const TICKS = '';

/** One connection to an exchange, and the markets of all accounts that it feeds. */
export class MarketFeed {
  readonly lease: Lease;
  readonly #deps: FeedDeps;
  readonly #feed: Pick<Market, 'exchange' | 'symbol' | 'kind'>;
  readonly #stop = new AbortController();
  readonly #place: FeedParts['place'] & object = { last: undefined };
  /** By period; ticks by TICKS. */
  readonly #groups = new Map<string, Group>();
  /** Changes of the markets and ticks, one after the other. */
  #work: Promise<void> = Promise.resolve();
  #state: MarketState['state'] = 'connecting';
  #reason: string | null = null;
  #since: string;
  #said = '';
  #isChanged = true;
  /** Ticks in a row that are older than the last one. */
  #older = 0;
  #ended: Promise<void> | undefined;

  constructor(deps: FeedDeps, lease: Lease, feed: Pick<Market, 'exchange' | 'symbol' | 'kind'>) {
    this.#deps = deps;
    this.lease = lease;
    this.#feed = feed;
    this.#since = this.#now();
  }

  /** Begins with the markets. Throws ServiceError `store.unavailable`. */
  async start(markets: readonly AccountMarket[]): Promise<void> {
    const log = new SeriesLog(logOf(this.lease.feed, null), TICK_NUMBERS, MOST_TICKS);
    const rows = log.load(await this.#deps.parts.store.feedLog(log.name));
    const ticks = rows.map(([timeUs, price, spreadBps]) => ({ timeUs, price, ...(Number.isNaN(spreadBps) ? {} : { spreadBps }) }));
    const last = rows.at(-1);
    if (last !== undefined) this.#place.last = { timeUs: last[0], number: Number.isNaN(last[3]) ? undefined : last[3] };
    this.#groups.set(TICKS, { log, markets: new Map(), ticks });
    await this.setMarkets(markets);
    this.#ended = this.#run();
  }

  /** The markets of the feed, as they are now. */
  setMarkets(markets: readonly AccountMarket[]): Promise<void> {
    return this.#next(async () => {
      const wanted = new Map(markets.map((one) => [nameOf(one), one]));
      for (const { markets: known } of this.#groups.values())
        for (const [name, market] of known)
          if (!wanted.has(name)) {
            known.delete(name);
            await market.close();
          }
      for (const [name, { market, ...key }] of wanted) {
        const group = this.#groups.get(market.period ?? TICKS) ?? (await this.#openBars(market.period!));
        const known = group.markets.get(name);
        if (known !== undefined) known.change(market);
        else {
          const begun = new WatchedMarket(this.#deps.parts, key, market);
          await begun.begin(group.ticks, group.ticks.at(-1)?.timeUs);
          group.markets.set(name, begun);
          this.#isChanged = true;
        }
      }
    });
  }

  get state(): MarketState['state'] {
    return this.#state;
  }

  get isChanged(): boolean {
    return (
      this.#isChanged ||
      [...this.#groups.values()].some(({ log, markets }) => log.isChanged || [...markets.values()].some((one) => one.isChanged))
    );
  }

  /** What is to be written, `written` or `failed` after it. */
  take(): FeedCommit['feeds'][number] & { written(): void; failed(): void } {
    const { state, reason, since } = this.#told();
    const groups = [...this.#groups.values()];
    const logs = groups.filter(({ log }) => log.isChanged).map(({ log }) => log.take());
    const markets = groups.flatMap((group) => [...group.markets.values()]);
    const taken = markets.filter((market) => this.#isChanged || market.isChanged).map((market) => market.take({ state, reason, since }));
    this.#isChanged = false;
    return {
      ...{ lease: this.lease, logs, states: taken.map((one) => one.state), forecasts: taken.flatMap((one) => one.forecasts) },
      written: () => {
        for (const log of logs) log.stored();
        for (const one of taken) one.written();
      },
      failed: () => {
        for (const log of logs) log.failed();
        for (const one of taken) one.failed();
        this.#isChanged = true;
      },
    };
  }

  /** Ends the connection; what is to be written is complete then. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    await this.#next(async () => {
      for (const { markets } of this.#groups.values()) for (const market of markets.values()) await market.close();
    });
  }

  async #run(): Promise<void> {
    const { open, clock, logger, random } = this.#deps;
    const { feed } = this.lease;
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted;) {
      const say = (text: string): void => {
        this.#said = text.trim();
        logger.info('market feed', { feed, text: this.#said });
      };
      const onLost = (reason: string): void => this.#is('connecting', reason);
      try {
        const reader = new FeedReader(this.#place, () => clock.nowMs());
        for await (const lines of open(this.#feed, { clock, random, say, signal, place: this.#place, onLost })) {
          failures = 0;
          await this.#next(() =>
            reader.read(
              lines,
              (ticks) => this.#add(ticks),
              () => this.#cut(),
            ),
          );
        }
      } catch (error) {
        if (signal.aborted) return;
        const detail = error instanceof ServiceError ? error.message : 'unexpected error';
        const waitMs = Math.min(MOST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++) * (0.5 + 0.5 * random());
        logger.warn('market feed failed', { feed, waitMs: Math.round(waitMs), error });
        this.#is('failed', detail);
        await this.#wait(waitMs);
      }
    }
  }

  #wait(waitMs: number): Promise<void> {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      const cancel = this.#deps.clock.after(waitMs, done);
      signal.addEventListener('abort', done, { once: true });
      function done(): void {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }

  async #add(ticks: readonly (MarketTick & { readonly number: number })[]): Promise<void> {
    for (const tick of ticks) {
      if (tick.timeUs < (this.#groups.get(TICKS)!.ticks.at(-1)?.timeUs ?? 0)) {
        // A feed that goes on after a restart may tell again what is known. More than is kept: the last stamp was wrong.
        if (++this.#older <= MOST_TICKS) continue;
        await this.#cut();
      }
      this.#older = 0;
      for (const group of this.#groups.values()) {
        const { bars } = group;
        if (bars?.isBehind === true) await this.#catchUp(group, bars, tick.timeUs);
        const bar = bars?.maker.add(tick.timeUs, tick.price);
        if (bars === undefined) await pushTick(group, tick, tick.number);
        else if (bar !== undefined) await pushTick(group, barTick(bar));
      }
    }
    const kept = this.#groups.get(TICKS)!.ticks.length;
    if (this.#state !== 'live' && (this.#state !== 'gap' || kept >= LEAST_TICKS)) this.#is('live', null);
  }

  /** The bars up to a tick, of the exchange or of the ticks before it: each once, and what is known of the one in the making. */
  async #catchUp(group: Group, bars: Group['bars'] & object, untilUs: number): Promise<void> {
    const { clock, logger } = this.#deps;
    const { maker, periodUs } = bars;
    const { feed } = this.lease;
    bars.isBehind = false;
    const lastUs = (): number => group.ticks.at(-1)?.timeUs ?? 0;
    const say = (text: string): void => logger.warn('market feed', { feed, text: text.trim() });
    const read = (await this.#deps.bars(this.#feed, { fromUs: lastUs(), periodUs }, { clock, say, signal: this.#stop.signal })) ?? [];
    for (const { startUs, close, ...range } of read) {
      const endUs = startUs + periodUs;
      if (startUs >= lastUs() && endUs <= untilUs) await pushTick(group, barTick({ endUs, close, range }));
    }
    for (const tick of this.#groups.get(TICKS)!.ticks) {
      const bar = maker.add(tick.timeUs, tick.price);
      if (bar !== undefined && bar.endUs > lastUs()) await pushTick(group, barTick(bar));
    }
    const now = read.find(({ startUs }) => startUs <= untilUs && startUs + periodUs > untilUs);
    if (now !== undefined) maker.complete(now);
  }

  /** Ticks are missing: their series begin again. Bars of that time are asked for with the next tick. */
  async #cut(): Promise<void> {
    const { log, markets, ticks } = this.#groups.get(TICKS)!;
    log.cut();
    ticks.length = 0;
    for (const { bars } of this.#groups.values()) {
      if (bars === undefined) continue;
      bars.maker.cut();
      bars.isBehind = true;
    }
    for (const market of markets.values()) await market.cut();
    this.#is('gap', this.#said === '' ? 'Ticks are missing.' : this.#said);
  }

  async #openBars(period: string): Promise<Group> {
    const log = new SeriesLog(logOf(this.lease.feed, period), BAR_NUMBERS, MOST_TICKS);
    const rows = log.load(await this.#deps.parts.store.feedLog(log.name));
    const ticks = rows.map(([timeUs, price, open, high, low]) => ({ timeUs, price, range: { open, high, low } }));
    const periodUs = parseDurationMs(period)! * US_PER_MS;
    const group: Group = { log, markets: new Map(), ticks, bars: { maker: new BarMaker(periodUs), periodUs, isBehind: true } };
    this.#groups.set(period, group);
    return group;
  }

  #is(state: MarketState['state'], reason: string | null): void {
    if (this.#state === state && this.#reason === reason) return;
    if (this.#state !== state) this.#since = this.#now();
    [this.#state, this.#reason, this.#isChanged] = [state, reason, true];
    this.#deps.onState();
  }

  #told(): Pick<MarketState, 'state' | 'reason' | 'since'> {
    return { state: this.#state, reason: this.#reason, since: this.#since };
  }

  #now(): string {
    return new Date(this.#deps.clock.nowMs()).toISOString();
  }

  #next(run: () => Promise<void>): Promise<void> {
    const mine = this.#work.then(run);
    this.#work = mine.catch(() => {});
    return mine;
  }
}

const barTick = ({ endUs, close, range }: MadeBar): MarketTick => ({ timeUs: endUs, price: close, range });

/** `number`: of a trade. */
async function pushTick({ log, ticks, markets }: Group, tick: MarketTick, number = NaN): Promise<void> {
  const { timeUs, price, spreadBps = NaN, range } = tick;
  log.add(range === undefined ? [timeUs, price, spreadBps, number] : [timeUs, price, range.open, range.high, range.low]);
  ticks.push(tick);
  if (ticks.length > 2 * MOST_TICKS) ticks.splice(0, MOST_TICKS);
  for (const market of markets.values()) await market.push(tick);
}
