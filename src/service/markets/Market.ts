import type { AlertRule } from '../../contract/alertRule.ts';
import type { MARKET_KINDS, MarketAnswer, MarketForecast } from '../../contract/markets.ts';
import type { Tally } from '../../engine/live/score.ts';
import type { Told } from '../alerts/ToldTargets.ts';

/** A market that an account has the service watch. */
export type Market = {
  readonly id: string;
  readonly exchange: string;
  /** `BTC/USDT`. */
  readonly symbol: string;
  readonly kind: (typeof MARKET_KINDS)[number];
  /** Of bars, such as `1m`; null: others. */
  readonly period: string | null;
  readonly horizons: readonly string[];
  readonly every: string;
  /** The threshold of its forecasts; null: that of each window. */
  readonly costBps: number | null;
  /** Which of its forecasts are told, in place of the rules of the targets; null: by those. */
  readonly alert: AlertRule | null;
  readonly createdAtMs: number;
};

export type MarketKey = { readonly accountId: string; readonly id: string };

/** What the service knows of a market, as GET answers it, and the counts of its scores by horizon. */
export type MarketState = Pick<
  MarketAnswer,
  'state' | 'reason' | 'since' | 'last_tick' | 'price' | 'ticks' | 'spread_bps' | 'forecasts'
> & {
  readonly tallies: Readonly<Record<string, ScoreSoFar>>;
  /** What the targets of alerts were told, by their ids; absent: nothing. */
  readonly alerts?: Readonly<Record<string, Told>>;
};

/** `threshold`: a score is of one threshold; null: that of each window. */
export type ScoreSoFar = { readonly since: string; readonly threshold: number | null; readonly tally: Tally };

/** What a forecast without an outcome needs after a restart. */
export type PendingForecast = {
  readonly originUs: number;
  /** Price at its entry; null: not known yet. */
  readonly entry: number | null;
  readonly baselineProbability: number | null;
  readonly medianGapS: number | null;
  /** Median spread of the window; null: no quotes. */
  readonly costBps: number | null;
  /** Whether the threshold is the cost of the market. */
  readonly isOwn: boolean;
};

/** `pending`: null with its outcome. */
export type ForecastRow = MarketKey & { readonly forecast: MarketForecast; readonly pending: PendingForecast | null };

/** Name of the series of a market within its account. */
export function seriesOf({ exchange, symbol, kind, period }: Pick<Market, 'exchange' | 'symbol' | 'kind' | 'period'>): string {
  const suffix = kind === 'trades' ? '' : `:${kind === 'bars' ? period : kind}`;
  return `${exchange}:${symbol.replaceAll('/', '-')}${suffix}`.slice(0, 64);
}

/** What one connection to an exchange brings; bars are made of its trades. */
export const feedOf = ({ exchange, symbol, kind }: Pick<Market, 'exchange' | 'symbol' | 'kind'>): string =>
  `${exchange} ${symbol} ${kind === 'quotes' ? 'quotes' : 'trades'}`;

/** Where the ticks of a feed are kept, or the bars of one period that are made of them. */
export const logOf = (feed: string, period: string | null): string => (period === null ? feed : `${feed} ${period}`);
