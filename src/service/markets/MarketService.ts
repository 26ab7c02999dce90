import { randomUUID } from 'node:crypto';
import type { MarketChangeBody, MarketForecastsAnswer, MarketRequestBody, MarketTicks } from '../../contract/markets.ts';
import { MARKET_PAGE } from '../../contract/markets.ts';
import type { Clock } from '../../core/Clock.ts';
import { fieldProblem, invalidRequest, quoteValue, ServiceError } from '../../core/ServiceError.ts';
import { durationOf } from '../../engine/live/liveMessages.ts';
import { US_PER_MS } from '../../core/units.ts';
import { EXCHANGE_NAMES } from '../../ticks/exchange/exchanges.ts';
import { isPeriod } from '../../ticks/placeBars.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { feedOf, logOf, type Market, type MarketKey, type MarketState, seriesOf } from './Market.ts';
import type { MarketStore } from './MarketStore.ts';
import { BAR_NUMBERS, rowsFrom, TICK_NUMBERS } from './SeriesLog.ts';

/** Changes the markets of an account, all or nothing; throws ServiceError `market.unknown`. */
type ChangeMarkets = (accountId: string, change: (markets: readonly Market[]) => readonly Market[]) => Promise<void>;

export type MarketServiceDeps = {
  readonly store: Pick<MarketStore, 'marketStates' | 'marketForecasts' | 'dropMarket' | 'listMarkets' | 'feedLog'>;
  readonly markets: (accountId: string) => Promise<readonly Market[]>;
  readonly change: ChangeMarkets;
  readonly clock: Clock;
  /** Why the operator does not let the service watch it; undefined: it may. */
  readonly refusal: (market: Market) => string | undefined;
  readonly limits: { readonly perAccount: number; readonly most: number };
  /** Called after each change. */
  readonly onChange?: () => void;
};

/** A market with what is known of it; undefined: nothing yet. */
export type KnownMarket = {
  readonly market: Market;
  readonly state: MarketState | undefined;
  /** Why it is not watched. */
  readonly stopped: string | undefined;
};

const DEFAULT_EVERY = '5s';
const DEFAULT_PERIOD = '1m';

/** Adds, changes and removes the markets that an account has the service watch. Every method throws `store.unavailable`. */
export class MarketService {
  readonly #deps: MarketServiceDeps;

  constructor(deps: MarketServiceDeps) {
    this.#deps = deps;
  }

  async list(accountId: string): Promise<readonly KnownMarket[]> {
    const { store, markets, refusal } = this.#deps;
    const [all, states] = await Promise.all([markets(accountId), store.marketStates(accountId)]);
    return all.map((market) => ({ market, state: states.get(market.id), stopped: refusal(market) }));
  }

  /** Throws `market.unknown`. */
  async get({ accountId, id }: MarketKey): Promise<KnownMarket> {
    const found = (await this.list(accountId)).find(({ market }) => market.id === id);
    if (found === undefined) throw unknownMarket();
    return found;
  }

  /** Throws ServiceError `request.invalid`, `market.exists`, `account.too_many_markets`. */
  async add(accountId: string, body: MarketRequestBody): Promise<KnownMarket> {
    const { store, change, clock, limits, refusal, onChange } = this.#deps;
    const { exchange, symbol, kind = 'trades', horizons, cost_bps: costBps = null, alert = null } = body;
    const period = kind === 'bars' ? (body.period ?? DEFAULT_PERIOD) : null;
    if (period === null && body.period !== undefined)
      throw invalidRequest([fieldProblem('/period', 'field.unknown', `period is of bars; kind is ${kind}.`)]);
    if (!EXCHANGE_NAMES.includes(exchange) && !exchange.startsWith('ccxt:')) {
      const detail = `exchange is ${quoteValue(exchange)}; it must be one of ${EXCHANGE_NAMES.join(', ')}, or ccxt:NAME.`;
      throw invalidRequest([fieldProblem('/exchange', 'market.exchange_unknown', detail)]);
    }
    if (exchange.startsWith('ccxt:') && kind === 'quotes')
      throw invalidRequest([fieldProblem('/kind', 'market.exchange_unknown', 'kind is quotes; of ccxt:NAME there are trades and bars.')]);
    const every = body.every ?? (kind === 'bars' ? 'tick' : DEFAULT_EVERY);
    const market: Market = {
      ...{ id: randomUUID(), exchange, symbol, kind, period, horizons, every, costBps, alert, createdAtMs: clock.nowMs() },
    };
    check(market);
    const watched = (await store.listMarkets()).reduce((sum, { markets }) => sum + markets.length, 0);
    if (watched >= limits.most)
      throw new ServiceError('account.too_many_markets', `The service watches ${watched} markets; at most ${limits.most} are allowed.`);
    await change(accountId, (markets) => {
      if (markets.length >= limits.perAccount) {
        const detail = `The account has ${markets.length} markets; at most ${limits.perAccount} are allowed.`;
        throw new ServiceError('account.too_many_markets', detail);
      }
      const same = markets.find((other) => seriesOf(other) === seriesOf(market));
      if (same !== undefined) throw new ServiceError('market.exists', `The account watches ${seriesOf(market)} already: ${same.id}.`);
      return [...markets, market];
    });
    onChange?.();
    return { market, state: undefined, stopped: refusal(market) };
  }

  /** Throws ServiceError `request.invalid`, `market.unknown`. */
  async change({ accountId, id }: MarketKey, body: MarketChangeBody): Promise<KnownMarket> {
    await this.#deps.change(accountId, (markets) => {
      if (!markets.some((market) => market.id === id)) throw unknownMarket();
      return markets.map((market) => (market.id === id ? changed(market, body) : market));
    });
    this.#deps.onChange?.();
    return this.get({ accountId, id });
  }

  /** Throws ServiceError `market.unknown`. */
  async remove(key: MarketKey): Promise<KnownMarket> {
    const removed = await this.get(key);
    await this.#deps.change(key.accountId, (markets) => markets.filter(({ id }) => id !== key.id));
    await this.#deps.store.dropMarket(key);
    this.#deps.onChange?.();
    return removed;
  }

  /** A page of those that changed after a change; `ticksFrom`: with the ticks from this number on. Throws ServiceError `market.unknown`. */
  async forecasts(key: MarketKey, after: number, ticksFrom?: number): Promise<Omit<MarketForecastsAnswer, 'last'>> {
    const { market } = await this.get(key);
    const found = await this.#deps.store.marketForecasts(key, after, MARKET_PAGE + 1);
    const ticks = ticksFrom === undefined ? {} : { ticks: await this.#ticks(market, ticksFrom) };
    return { forecasts: found.slice(0, MARKET_PAGE), more: found.length > MARKET_PAGE, ...ticks };
  }

  async #ticks(market: Market, from: number): Promise<MarketTicks> {
    const { period } = market;
    const chunks = await this.#deps.store.feedLog(logOf(feedOf(market), period));
    const { first, rows } = rowsFrom(chunks, period === null ? TICK_NUMBERS : BAR_NUMBERS, from);
    const column = (at: number): number[] => rows.map((row) => row[at]);
    const ticks = { first, Timestamp: rows.map(([timeUs]) => writeTimestamp(timeUs)), Price: column(1) };
    return period === null ? ticks : { ...ticks, Open: column(2), High: column(3), Low: column(4) };
  }
}

function changed(market: Market, change: MarketChangeBody): Market {
  const { horizons = market.horizons, every = market.every, cost_bps: costBps = market.costBps, alert = market.alert } = change;
  const after = { ...market, horizons, every, costBps, alert };
  check(after);
  return after;
}

/** What the schema does not say. Throws ServiceError `request.invalid`. */
function check(market: Market): void {
  const { period, horizons, every } = market;
  if (period !== null && !isPeriod(durationOf(period, '/period') * US_PER_MS)) {
    const detail = `period is ${quoteValue(period)}; it must be from 1s to 1d.`;
    throw invalidRequest([fieldProblem('/period', 'bars.period_out_of_range', detail)]);
  }
  const periodMs = period === null ? undefined : durationOf(period, '/period');
  const lengths = horizons.map((horizon, i) => durationOf(horizon, `/horizons/${i}`, periodMs));
  const again = lengths.findIndex((ms, i) => lengths.indexOf(ms) !== i);
  if (again >= 0) {
    const detail = `horizons must have different durations; ${quoteValue(horizons[again])} occurs twice.`;
    throw invalidRequest([fieldProblem(`/horizons/${again}`, 'forecast.id_repeated', detail)]);
  }
  if (every !== 'tick') durationOf(every, '/every');
}

export const unknownMarket = (): ServiceError => new ServiceError('market.unknown', 'The account has no market with this id.');
