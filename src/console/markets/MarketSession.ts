import type { LiveScore } from '../../../clients/typescript/src/index.ts';
import type { MarketAnswer, MarketForecast } from '../../contract/markets.ts';
import { EXCHANGES } from '../../ticks/exchange/exchanges.ts';
import { Failure } from '../service/failureText.ts';
import type { Service } from '../service/Service.ts';
import { WatchedSeries } from '../live/WatchedSeries.ts';
import type { LoggedForecast } from '../live/ForecastLog.ts';
import { parseTimestamp } from '../ticks/timeText.ts';
import type { TimedForecast } from './worth.ts';
import { stateText } from './marketWords.ts';

/** Between two questions for what has changed. */
const ASK_MS = 2500;
/** Forecasts that are kept: eight horizons every 5 s of ten hours. */
const MOST_ROWS = 60_000;
/** A mark is told of if its last tick is so young. */
const FRESH_MS = 60_000;

export type MarketSessionParts = {
  readonly service: Pick<Service, 'marketForecasts'>;
  readonly key: string;
  readonly market: MarketAnswer;
  readonly onMark: (series: WatchedSeries, row: LoggedForecast) => void;
  readonly onChange: () => void;
};

/** One market that the service watches, with all forecasts that it keeps: those that were made while no page was open too. */
export class MarketSession {
  readonly choices = [];
  readonly dropped = 0;
  readonly skipped = {};
  readonly doubt = '';
  readonly shown: WatchedSeries;
  readonly #parts: MarketSessionParts;
  readonly #rows = new Map<number, MarketForecast>();
  #market: MarketAnswer;
  #last = 0;
  #fault: string | null = null;
  #isRunning = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: MarketSessionParts) {
    this.#parts = parts;
    this.#market = parts.market;
    const { series, horizons } = parts.market;
    this.shown = new WatchedSeries({ series, forecasts: horizons.map((horizon) => ({ id: horizon, horizon })) });
    this.update(parts.market);
    void this.#ask();
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get phase(): string {
    return this.#fault !== null ? 'failed' : this.#isRunning ? 'watching' : 'ended';
  }

  /** Those with a known outcome, for what marks were worth. */
  get settled(): readonly TimedForecast[] {
    return [...this.#rows.values()].flatMap((row) => {
      const { probability, volatility_probability: baseline, min_move_bps: costBps, outcome } = row;
      if (probability === null || costBps === null || outcome === null || outcome.move_bps === null || outcome.moved === null) return [];
      const timeUs = parseTimestamp(row.last_tick) ?? 0;
      const known = { timeUs, probability, isMarked: row.marked, moveBps: outcome.move_bps, costBps };
      return [{ ...known, horizon: row.horizon, baselineProbability: baseline }];
    });
  }

  get recordOf(): string {
    return this.#market.series;
  }

  text(): string {
    const { exchange, symbol } = this.#market;
    return (
      this.#fault ??
      `${EXCHANGES[exchange]?.title ?? exchange} ${symbol} is watched by the service, also while this page is closed. ${stateText(this.#market)}`.trim()
    );
  }

  /** What the list says of it now. */
  update(market: MarketAnswer): void {
    this.#market = market;
    this.shown.scores = market.forecasts.flatMap(({ score }) => (score as LiveScore | null) ?? []);
    if (market.last_tick !== null && market.price !== null && this.#last > 0)
      this.shown.push(parseTimestamp(market.last_tick) ?? 0, market.price);
  }

  show(): void {}

  stop(): void {
    this.#isRunning = false;
    this.shown.isMoving = false;
    clearTimeout(this.#timer);
    this.#parts.onChange();
  }

  fail(fault: string): void {
    this.#fault = fault;
    this.stop();
  }

  async #ask(): Promise<void> {
    const { service, key, onChange } = this.#parts;
    try {
      const found: MarketForecast[] = [];
      for (let isMore = true; isMore && this.#isRunning;) {
        const { forecasts, last, more } = await service.marketForecasts(key, this.#market.id, this.#last);
        found.push(...forecasts);
        // A page without news has no later change.
        isMore = more && last > this.#last;
        this.#last = Math.max(this.#last, last);
      }
      this.#fault = null;
      this.#read(found);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.status === 401 || error.status === 404) return this.fail(error.message);
      this.#fault = `${error.message} The page asks again.`;
    }
    onChange();
    if (this.#isRunning) this.#timer = setTimeout(() => void this.#ask(), ASK_MS);
  }

  /** In the order in which they were made: an outcome changes a forecast later. */
  #read(found: MarketForecast[]): void {
    const { shown } = this;
    const nowUs = Date.now() * 1000;
    for (const row of found.sort((a, b) => a.n - b.n)) {
      const { n, horizon: id, last_tick: timestamp, price, outcome } = row;
      const of = { series: shown.name, id, n };
      if (!this.#rows.has(n)) {
        shown.push(parseTimestamp(timestamp) ?? 0, price);
        const { future, status, probability, decision_threshold, min_move_bps, reasons, model, marked } = row;
        const rest = { future, status, probability, decision_threshold, min_move_bps, reasons, model };
        const mark = shown.read({ type: 'forecast', ...of, last_tick: timestamp, timestamp, trend_identified: marked ? 1 : null, ...rest });
        const isFresh = nowUs - (parseTimestamp(timestamp) ?? 0) < 1000 * FRESH_MS;
        if (mark !== undefined && isFresh) this.#parts.onMark(shown, mark);
      }
      if (outcome !== null) shown.read({ type: 'outcome', ...of, moved: outcome.moved, move_bps: outcome.move_bps });
      this.#rows.set(n, row);
    }
    for (const n of this.#rows.keys()) {
      if (this.#rows.size <= MOST_ROWS) break;
      this.#rows.delete(n);
    }
  }
}
