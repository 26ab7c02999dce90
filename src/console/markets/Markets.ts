import type { LoggedForecast } from '../live/ForecastLog.ts';
import type { WatchedSeries } from '../live/WatchedSeries.ts';
import type { Chance } from './marketWords.ts';
import type { TimedForecast } from './worth.ts';

/** What is asked for a market that is added. */
export type WantedMarket = {
  readonly exchange: string;
  /** `BTC/USDT`. */
  readonly symbol: string;
  readonly kind: 'trades' | 'quotes';
  /** Of a trade there and back; null: not known. */
  readonly costBps: number | null;
};

/** One row of the list. */
export type MarketRow = WantedMarket & {
  readonly id: string;
  /** What its prices are, where they are no trades: `quotes`, `1m bars`. */
  readonly prices: string;
  readonly price: number | null;
  /** Median or last spread of quotes; null: of trades. */
  readonly spreadBps: number | null;
  /** What it does besides forecasts; empty: nothing. */
  readonly state: string;
  readonly chances: readonly Chance[];
};

/** A market whose chart is shown. */
export type OpenMarket = {
  readonly isRunning: boolean;
  readonly shown: WatchedSeries;
  readonly choices: readonly never[];
  readonly skipped: Readonly<Record<string, number>>;
  readonly dropped: number;
  readonly doubt: string;
  readonly phase: string;
  /** Of the service: its forecasts with known outcomes, and the series in the track record. */
  readonly settled?: readonly TimedForecast[];
  readonly recordOf?: string;
  text(nowMs: number): string;
  show(): void;
  stop(): void;
  fail(fault: string): void;
};

export type MarketsParts = {
  readonly onChange: () => void;
  readonly onMark: (series: WatchedSeries, row: LoggedForecast, costBps: number | null) => void;
};

/** The watched markets: of the service with an account, else of this page. Calls reject with a Failure. */
export type Markets = {
  readonly rows: readonly MarketRow[];
  /** Where they are watched, in words. */
  readonly where: string;
  add(wanted: WantedMarket): Promise<void>;
  setCost(id: string, costBps: number | null): Promise<void>;
  remove(id: string): Promise<void>;
  open(id: string): OpenMarket | undefined;
  /** Another account: what it holds is no longer shown. */
  close(): void;
};
