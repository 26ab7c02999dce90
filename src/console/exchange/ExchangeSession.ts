import { exchangeFeed } from '../../ticks/exchange/exchangeFeed.ts';
import type { FeedSocket } from '../../ticks/exchange/FeedParts.ts';
import type { ExchangeTick } from '../../ticks/exchange/Exchange.ts';
import { ExchangeLines, GAP_LINE, priceOf } from '../../ticks/exchange/exchangeMessages.ts';
import { type ExchangeMarket, marketOf } from '../../ticks/exchange/exchanges.ts';
import type { LiveMessage, Tick } from '../../../clients/typescript/src/index.ts';
import { RisingOrder } from '../../../clients/typescript/src/live/RisingOrder.ts';
import { countText, priceText } from '../answer/describeAnswer.ts';
import type { LoggedForecast } from '../live/ForecastLog.ts';
import { liveRequest, seriesNameOf, type RequestParts } from '../live/livePlan.ts';
import { FeedSession } from '../live/FeedSession.ts';
import { LevelQuestion } from '../live/LevelQuestion.ts';
import type { LiveFeed } from '../live/LiveSession.ts';
import { lostText } from '../live/liveWords.ts';
import { WatchedSeries } from '../live/WatchedSeries.ts';
import { MIN_TICKS, US_PER_MS } from '../ticks/TickSeries.ts';
import { formatClock, formatSpan, parseTimestamp } from '../ticks/timeText.ts';

export type ExchangeParts = Omit<RequestParts, 'name'> & {
  /** Of the table of exchanges. */
  readonly exchange: string;
  /** Best bid and ask in place of trades. */
  readonly isQuotes: boolean;
  readonly horizons: readonly string[];
  /** Base and quote. */
  readonly market: readonly [base: string, quote: string];
  /** Computes the forecasts. */
  readonly feed: LiveFeed;
  readonly onMark: (series: WatchedSeries, row: LoggedForecast) => void;
  readonly onChange: () => void;
  /** That of the browser, unless a test plays the exchange. */
  readonly open?: (url: string) => FeedSocket;
};

/** After it, the age of the last tick is told. */
const FRESH_MS = 10_000;
/** Ticks that a series needs at most. */
const KEPT_TICKS = 3000;
/** More than the forecasts of one part of a series: each part counts from 0. */
const PART = 1e9;

const CLOCK = {
  nowMs: () => Date.now(),
  after(delayMs: number, run: () => void): () => void {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The public trades or quotes of an exchange, to which the page connects by itself, as a live series. Where some are missing begins a series of its own. */
export class ExchangeSession extends FeedSession {
  readonly #parts: ExchangeParts;
  readonly #stopped = new AbortController();
  readonly #market: ExchangeMarket;
  readonly #title: string;
  readonly #unit: 'trade' | 'quote';
  readonly shown: WatchedSeries;
  /** What the feed said last: the distance of the clocks, earlier trades, a lost connection, a gap. */
  doubt = '';
  #part = 1;
  readonly #order = new RisingOrder<ExchangeTick>();
  /** Trades or quotes of this part. */
  #ticks = 0;
  #isAsked = false;
  #options: ExchangeParts['options'];
  /** Forecasts up to this tick are those of other options. */
  #fromUs = 0;
  readonly #level: LevelQuestion;
  /** Of the last quote, basis points; 0: of trades. */
  spreadBps = 0;

  constructor(parts: ExchangeParts) {
    super({ ...parts, nowMs: CLOCK.nowMs });
    this.#parts = parts;
    this.#options = parts.options;
    this.#market = marketOf(parts.exchange, parts.market, parts.isQuotes);
    this.#unit = parts.isQuotes ? 'quote' : 'trade';
    this.#title = `${this.#market.exchange.title} ${parts.market.join('/')}`;
    this.shown = new WatchedSeries({
      series: seriesNameOf(this.#market.symbol),
      forecasts: parts.horizons.map((id) => ({ id, horizon: id })),
    });
    this.#level = new LevelQuestion({ send: (asked) => this.#askLevel(asked), isFree: true });
    this.shown.level = this.#level;
    this.#open();
    void this.listen();
    void this.#receive();
  }

  get phase(): string {
    if (this.end !== undefined) return this.end.phase;
    if (this.retry !== undefined) return 'reconnecting';
    return this.#ticks === 0 ? 'connecting' : 'streaming';
  }

  text(nowMs: number): string {
    const { prices, timesUs } = this.shown.series;
    const last = prices.at(-1);
    if (this.end !== undefined) {
      const why = this.end.phase === 'refused' ? 'the key was not accepted. It may be revoked or expired.' : this.fault;
      return `${this.#title}: stopped after ${countText(prices.length, this.#unit)}${why === null ? '.' : `: ${why}`}`;
    }
    if (this.retry !== undefined) return lostText(this.retry, nowMs);
    if (last === undefined) return `Connecting to ${this.#title}…`;
    const ageMs = nowMs - timesUs.at(-1)! / 1000;
    const missing = MIN_TICKS - 1 - this.#ticks;
    const age = ageMs < FRESH_MS ? '' : `; the last ${this.#unit} is ${formatSpan(1000 * Math.round(ageMs / 1000))} old`;
    const wait = missing > 0 ? `; the first forecast needs ${missing} more ${this.#unit}s` : '';
    return `${this.#title}: ${priceText(last)} at ${formatClock(timesUs.at(-1)!)} UTC${age}${wait}.`;
  }

  /** The options count from the next forecast on: the series is opened again with its last ticks, and what they repeat is left out. */
  changeOptions(options: ExchangeParts['options']): void {
    this.#options = options;
    if (!this.isRunning) return;
    const { timesUs, prices } = this.shown.series;
    this.#parts.feed.closeSeries(this.#name);
    const from = Math.max(0, timesUs.length - KEPT_TICKS, this.shown.breaks.at(-1) ?? 0);
    this.#part++;
    this.shown.beginScore();
    this.#fromUs = timesUs.at(-1) ?? 0;
    this.#open();
    for (let at = from; at < timesUs.length; at++) this.#parts.feed.push(this.#name, this.#sent(timesUs[at], prices[at]));
  }

  /** A quote that was kept as its middle has the last spread. */
  #sent(timeUs: number, price: number): Tick {
    const half = (price * this.spreadBps) / 20_000;
    return this.#parts.isQuotes ? { timeUs, bid: price - half, ask: price + half } : { timeUs, price };
  }

  get #name(): string {
    return this.#part === 1 ? this.shown.name : `${this.shown.name}.${this.#part}`;
  }

  /** At most one question for the score at a time: an outcome has changed it. */
  #askScore(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#parts.feed.score(this.#name);
  }

  #askLevel({ horizon, price }: { readonly horizon: string; readonly price: number }): boolean {
    if (!this.isRunning || !this.isConnected) return false;
    this.#parts.feed.ask(this.#name, { horizon, touch: [price] });
    return true;
  }

  #open(): void {
    this.#isAsked = false;
    this.#level.begin();
    this.#parts.feed.open(liveRequest({ ...this.#parts, options: this.#options, name: this.#name }, this.shown.plans));
  }

  async #receive(): Promise<void> {
    const { onChange, open = (url: string): FeedSocket => new WebSocket(url) } = this.#parts;
    const lines = new ExchangeLines();
    const say = (text: string): void => {
      this.doubt = text.trim();
      onChange();
    };
    const feed = exchangeFeed({ ...this.#market, open, say, clock: CLOCK, random: Math.random, signal: this.#stopped.signal });
    try {
      for await (const text of feed) {
        if (!this.isRunning) return;
        for (const line of text.trimEnd().split('\n'))
          if (line === GAP_LINE) this.#beginPart();
          else lines.read(line, (tick) => this.#take(tick));
        onChange();
      }
    } catch (error) {
      this.finish('failed', (error as Error).message);
    }
  }

  /** No series accepts a tick earlier than the one before. */
  #take(tick: ExchangeTick): void {
    if (tick.timeUs === undefined) return;
    const found = this.#order.take(tick.timeUs, tick);
    if (found === 'next') this.#push(tick);
    if (found === 'restarted') this.#beginPart();
    if (found === 'confirmed' || found === 'restarted') for (const released of this.#order.released) this.#push(released);
  }

  #push(tick: ExchangeTick): void {
    const timeUs = tick.timeUs!;
    this.#ticks++;
    const price = priceOf(tick);
    this.shown.push(timeUs, price);
    if ('bid' in tick) this.spreadBps = (10_000 * (tick.ask - tick.bid)) / price;
    this.#parts.feed.push(this.#name, 'price' in tick ? { timeUs, price: tick.price } : { timeUs, bid: tick.bid, ask: tick.ask });
  }

  #beginPart(): void {
    this.#parts.feed.closeSeries(this.#name);
    this.#part++;
    this.#ticks = 0;
    this.shown.beginPart();
    this.#open();
  }

  protected override read(message: LiveMessage): void {
    if ('series' in message && message.series !== this.#name) return;
    if (message.type === 'status') this.skip(message.skipped);
    else if (message.type === 'score') {
      this.#isAsked = false;
      this.shown.read(message);
    } else if (message.type === 'forecast' && this.#level.take(message)) return;
    else if (message.type === 'forecast' || message.type === 'outcome') {
      if (message.type === 'outcome') this.#askScore();
      if (message.type === 'forecast' && (parseTimestamp(message.last_tick) ?? 0) <= this.#fromUs) return;
      const mark = this.shown.read({ ...message, n: message.n + PART * this.#part });
      if (mark !== undefined && this.#isOfNow(mark)) this.#parts.onMark(this.shown, mark);
    }
  }

  /** Forecasts of the ticks before the stream are of the past. */
  #isOfNow({ tick }: LoggedForecast): boolean {
    const { timesUs } = this.shown.series;
    return timesUs.at(-1)! - timesUs[tick] < FRESH_MS * US_PER_MS;
  }

  protected override survives(): boolean {
    return this.#level.refuse();
  }

  protected override onEnd(): void {
    this.shown.isMoving = false;
    this.#stopped.abort();
  }
}
