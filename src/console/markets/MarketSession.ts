import type { LiveScore } from '../../../clients/typescript/src/index.ts';
import type { MarketAnswer, MarketForecast, MarketTicks } from '../../contract/markets.ts';
import { EXCHANGES } from '../../ticks/exchange/exchanges.ts';
import { Failure } from '../service/failureText.ts';
import type { Service } from '../service/clientService.ts';
import { WatchedSeries } from '../live/WatchedSeries.ts';
import { readLength } from '../ticks/readFuture.ts';
import { parseTimestamp } from '../ticks/timeText.ts';
import type { OpenMarket } from './Markets.ts';
import type { TimedForecast } from './worth.ts';
import { stateText } from './marketWords.ts';

/** Forecasts that are kept: eight horizons every 5 s of ten hours. */
const MOST_ROWS = 60_000;

type Tick = {
  readonly timeUs: number;
  readonly price: number;
  readonly range?: readonly [open: number, high: number, low: number];
  readonly isAfterGap: boolean;
};

/** `next`: the number that was asked for; undefined: all that are kept, before which nothing is missing. */
const ticksOf = ({ first, Timestamp: stamps, Price, Open, High, Low }: MarketTicks, next: number | undefined): readonly Tick[] =>
  stamps.map((stamp, i) => ({
    ...{ timeUs: parseTimestamp(stamp) ?? 0, price: Price[i], isAfterGap: i === 0 && next !== undefined && first > next },
    ...(Open && High && Low ? { range: [Open[i], High[i], Low[i]] as const } : {}),
  }));

export type MarketSessionParts = {
  readonly service: Pick<Service, 'marketForecasts'>;
  readonly key: string;
  readonly market: MarketAnswer;
  readonly onChange: () => void;
};

/** One market that the service watches, with all forecasts that it keeps: those that were made while no page was open too. */
export class MarketSession implements OpenMarket {
  readonly shown: WatchedSeries;
  readonly #parts: MarketSessionParts;
  readonly #rows = new Map<number, MarketForecast>();
  #market: MarketAnswer;
  #last = 0;
  /** Number of the next tick; undefined: none is known. */
  #nextTick: number | undefined;
  #fault: string | null = null;
  isRunning = true;
  /** What the list said when the forecasts were asked for last; empty: ask again. */
  #asked = '';
  #isAsking = false;

  constructor(parts: MarketSessionParts) {
    this.#parts = parts;
    this.#market = parts.market;
    const { series, horizons, period } = parts.market;
    const forecasts = horizons.map((horizon) => ({ id: horizon, horizon }));
    this.shown = new WatchedSeries({ series, forecasts, periodMs: period === null ? undefined : readLength(period)! });
    this.update(parts.market);
  }

  get phase(): string {
    return this.#fault !== null ? 'failed' : this.isRunning ? 'watching' : 'ended';
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

  /** What the list says of it now: where that is news, there are further ticks, forecasts or outcomes. */
  update(market: MarketAnswer): void {
    this.#market = market;
    this.shown.scores = market.forecasts.flatMap(({ score }) => (score as LiveScore | null) ?? []);
    const news = JSON.stringify(market);
    if (news === this.#asked || this.#isAsking || !this.isRunning) return;
    this.#asked = news;
    void this.#ask();
  }

  stop(): void {
    this.isRunning = false;
    this.shown.isMoving = false;
    this.#parts.onChange();
  }

  fail(fault: string): void {
    this.#fault = fault;
    this.stop();
  }

  async #ask(): Promise<void> {
    const { service, key, onChange } = this.#parts;
    this.#isAsking = true;
    try {
      const found: MarketForecast[] = [];
      const ticks: Tick[] = [];
      for (let isMore = true; isMore && this.isRunning;) {
        const answer = await service.marketForecasts(key, this.#market.id, this.#last, this.#nextTick ?? 0);
        const { forecasts, last, more, ticks: known } = answer;
        found.push(...forecasts);
        if (known !== undefined && known.Timestamp.length > 0) {
          ticks.push(...ticksOf(known, this.#nextTick));
          this.#nextTick = known.first + known.Timestamp.length;
        }
        // A page without news has no later change.
        isMore = more && last > this.#last;
        this.#last = Math.max(this.#last, last);
      }
      this.#fault = null;
      this.#read(found, ticks);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.status === 401 || error.status === 404) return this.fail(error.message);
      this.#fault = `${error.message} The page asks again.`;
      this.#asked = '';
    } finally {
      this.#isAsking = false;
    }
    onChange();
  }

  /** In the order in which they were made: an outcome changes a forecast later. `ticks`: those before a forecast are drawn before it. */
  #read(found: MarketForecast[], ticks: readonly Tick[]): void {
    const { shown } = this;
    let next = 0;
    const pushUntil = (us: number): void => {
      for (; next < ticks.length && ticks[next].timeUs <= us; next++) {
        const { timeUs, price, range, isAfterGap } = ticks[next];
        if (isAfterGap) shown.gap();
        shown.push(timeUs, price, range);
      }
    };
    for (const row of found.sort((a, b) => a.n - b.n)) {
      const { n, horizon: id, last_tick: timestamp, price, outcome } = row;
      const of = { series: shown.name, id, n };
      if (!this.#rows.has(n)) {
        const timeUs = parseTimestamp(timestamp) ?? 0;
        pushUntil(timeUs);
        // Of a forecast that is older than the ticks that are kept.
        if (timeUs > (shown.lastUs ?? 0)) shown.push(timeUs, price);
        const { future, status, probability, decision_threshold, min_move_bps, reasons, model, marked, volatility_probability } = row;
        const rest = { future, status, probability, decision_threshold, min_move_bps, reasons, model, volatility_probability };
        shown.read({ type: 'forecast', ...of, last_tick: timestamp, timestamp, trend_identified: marked ? 1 : null, ...rest });
      }
      if (outcome !== null) shown.read({ type: 'outcome', ...of, moved: outcome.moved, move_bps: outcome.move_bps });
      this.#rows.set(n, row);
    }
    pushUntil(Infinity);
    for (const n of this.#rows.keys()) {
      if (this.#rows.size <= MOST_ROWS) break;
      this.#rows.delete(n);
    }
  }
}
