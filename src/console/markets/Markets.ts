import type { AlertRule } from '../../contract/alertRule.ts';
import { EXCHANGES } from '../../ticks/exchange/exchanges.ts';
import { horizonName } from '../live/livePlan.ts';
import type { Told } from '../live/liveWords.ts';
import type { Watched, WatchedSeries } from '../live/WatchedSeries.ts';
import type { Chance } from './marketWords.ts';
import type { TimedForecast } from './worth.ts';

/** What may be changed of a market besides its cost. */
export type MarketForm = { readonly horizons: readonly string[]; readonly alert: AlertRule | null };

/** What is asked for a market that is added. */
export type WantedMarket = MarketForm & {
  readonly exchange: string;
  /** `BTC/USDT`. */
  readonly symbol: string;
  readonly kind: 'trades' | 'quotes' | 'bars';
  /** Of bars, such as `1m`; null: others. */
  readonly period: string | null;
  /** Of a trade there and back; null: not known. */
  readonly costBps: number | null;
};

/** What may be changed of it. */
export type MarketChange = Partial<Pick<WantedMarket, 'horizons' | 'alert' | 'costBps'>>;

/** One row of the list. */
export type MarketRow = WantedMarket & {
  readonly id: string;
  readonly price: number | null;
  /** Median or last spread of quotes; null: of trades. */
  readonly spreadBps: number | null;
  /** What it does besides forecasts; empty: nothing. */
  readonly state: string;
  readonly chances: readonly Chance[];
};

/** A market whose chart is shown. */
export type OpenMarket = Watched & {
  readonly shown: WatchedSeries;
  /** Its forecasts with known outcomes. */
  readonly settled: readonly TimedForecast[];
  /** Of the service: the series in the track record. */
  readonly recordOf?: string;
};

export type MarketsParts = {
  readonly onChange: () => void;
  /** A forecast that the person wants to be told of. */
  readonly onAlert: (series: string, message: Told, costBps: number | null) => void;
  /** Whether the page tells of forecasts while it is hidden too. */
  readonly isTelling: () => boolean;
};

/** The watched markets: of the service with an account, else of this page. Calls reject with a Failure. */
export type Markets = {
  readonly rows: readonly MarketRow[];
  /** Where they are watched, in words. */
  readonly where: string;
  /** Whether the service can send alerts. */
  readonly hasAlerts: boolean;
  add(wanted: WantedMarket): Promise<void>;
  change(id: string, change: MarketChange): Promise<void>;
  remove(id: string): Promise<void>;
  open(id: string): OpenMarket | undefined;
  /** Another account: what it holds is no longer shown. */
  close(): void;
};

/** What a market is called: `Binance BTC/USDT, bars of 1 min`. */
export function marketName({ exchange, symbol, kind, period }: Pick<WantedMarket, 'exchange' | 'symbol' | 'kind' | 'period'>): string {
  const prices = period === null ? kind : `bars of ${horizonName(period)}`;
  return `${EXCHANGES[exchange]?.title ?? exchange} ${symbol}${kind === 'trades' ? '' : `, ${prices}`}`;
}
