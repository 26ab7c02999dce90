import type { Bar, LiveConnection, LiveMessage, LiveScore, Tick } from '../../../clients/typescript/src/index.ts';
import type { BarWindow } from '../../ticks/BarWindow.ts';
import { lastAtOrBefore } from '../../ticks/searchTimes.ts';
import { parseTimestamp } from '../ticks/timeText.ts';
import { MIN_TICKS, US_PER_MS, type TickSeries } from '../ticks/TickSeries.ts';
import { ForecastLog, type LoggedForecast } from './ForecastLog.ts';
import { FeedSession } from './FeedSession.ts';
import { LevelQuestion } from './LevelQuestion.ts';
import { horizonsFor, liveRequest, type RequestParts, type Speed } from './livePlan.ts';
import type { Stream } from './Stream.ts';
import { TickPlayer } from './TickPlayer.ts';

/** The part of the client's live connection that a stream uses. */
export type LiveFeed = Pick<LiveConnection, 'open' | 'push' | 'pushBars' | 'ask' | 'score' | 'closeSeries' | 'close'> &
  AsyncIterable<LiveMessage>;

export type LiveParts = RequestParts & {
  readonly feed: LiveFeed;
  readonly series: TickSeries;
  readonly speed: Speed;
  /** The page computes the forecasts: none counts on the limit of a key. */
  readonly isOfPage: boolean;
  readonly nowMs: () => number;
  readonly onMark: (row: LoggedForecast) => void;
  /** Called when something changed other than by `step`. */
  readonly onChange: () => void;
};

/** stopping: waits for the last score. ended: all ticks were sent, or it was stopped. refused: the key was not accepted. failed: see `fault`. */
export type LivePhase = 'connecting' | 'streaming' | 'paused' | 'reconnecting' | 'stopping' | 'ended' | 'refused' | 'failed';

/** Below this number of ticks there is no forecast: they are sent at once. */
const WARM_UP = MIN_TICKS - 1;
/** Ticks of one message. */
const MOST_TICKS = 500;
/** Ticks that the service has not confirmed: the chart is ahead of the forecasts by no more, and Stop need not wait for long. */
const MOST_UNCONFIRMED = 1500;
/** The score confirms the ticks before it. It is asked for this often, or after so many ticks. */
const SCORE_MS = 500;
const SCORE_TICKS = MOST_TICKS;
/** Over the limit of the key, no tick is sent for so long, and then only a few at once, so that few forecasts are skipped. */
const LIMIT_WAIT_MS = 5000;
const LIMIT_TICKS = 20;
const OVER_LIMIT = 'limit.exceeded';

/** Streams ticks over one series of a live connection, and keeps what the service answers. Call `step` some times a second. */
export class LiveSession extends FeedSession implements Stream {
  readonly #parts: LiveParts;
  readonly name: string;
  readonly series: TickSeries;
  readonly player: TickPlayer;
  readonly log = new ForecastLog();
  readonly isPlayed = true;
  readonly level: LevelQuestion;
  readonly plans: ReturnType<typeof horizonsFor>;
  /** The running score as the service keeps it: since this connection, and in place of those before it. */
  scores: readonly LiveScore[] = [];
  /** What the clock says against the timestamps of the bars; empty: nothing. */
  doubt = '';
  #isOpen = false;
  /** Whether the score leaves out what was before a lost connection. */
  isResumed = false;
  #confirmed = 0;
  /** The tick up to which the score that was asked for confirms; null: none was asked for. */
  #asked: number | null = null;
  #askedMs = 0;
  #isClosing = false;
  #waitUntilMs = 0;
  /** Ticks of the next message. */
  #most = MOST_TICKS;

  constructor(parts: LiveParts) {
    super(parts);
    this.#parts = parts;
    ({ name: this.name, series: this.series } = parts);
    const { bars } = parts.series;
    this.level = new LevelQuestion({ send: (asked) => this.#askLevel(asked), isFree: parts.isOfPage });
    this.player = new TickPlayer(endedOf(parts.series), parts.speed, WARM_UP);
    this.plans = horizonsFor(parts.series);
    const sent = bars && { barTime: bars.barTime ?? ('close' as const), period: `${bars.periodMs}ms` };
    parts.feed.open(liveRequest(parts, this.plans, sent));
    this.player.run(parts.nowMs());
    void this.listen();
  }

  get position(): number {
    return this.player.position;
  }

  get isMoving(): boolean {
    return this.phase === 'streaming' || this.phase === 'stopping';
  }

  get phase(): LivePhase {
    if (this.end !== undefined) return this.end.phase;
    if (!this.isConnected) return this.retry === undefined ? 'connecting' : 'reconnecting';
    if (!this.#isOpen) return 'connecting';
    if (this.#isClosing) return 'stopping';
    return this.player.isRunning ? 'streaming' : 'paused';
  }

  get isWaitingForLimit(): boolean {
    return this.#parts.nowMs() < this.#waitUntilMs;
  }

  pause(): void {
    this.player.pause();
  }

  resume(): void {
    if (this.isRunning && !this.#isClosing) this.player.run(this.#parts.nowMs());
  }

  /** Ends the series; forecasts without outcome count as unscored. */
  override stop(): void {
    if (!this.isRunning) return;
    this.player.pause();
    if (this.isConnected && this.#isOpen && !this.#isClosing) this.#closeSeries();
    else super.stop();
  }

  /** Sends the ticks that are due. */
  step(): void {
    if (!this.isRunning || this.#isClosing) return;
    const nowMs = this.#parts.nowMs();
    if (!this.isConnected || !this.#isOpen || nowMs < this.#waitUntilMs) {
      this.player.hold(nowMs);
      return;
    }
    const room = Math.min(this.#most, MOST_UNCONFIRMED - (this.player.position - this.#confirmed));
    const { from, to } = this.player.take(nowMs, Math.max(0, room));
    if (to > from) this.#push(from, to);
    this.#askForScore(nowMs);
    // Once the service has handled all of them.
    if (this.player.isAtEnd && this.#confirmed === this.player.position) this.#closeSeries();
  }

  #push(from: number, to: number): void {
    const { feed, name, series } = this.#parts;
    const { timesUs, prices, quotes, bars } = series;
    if (bars !== undefined) return void feed.pushBars(name, barsOf(series, bars, from, to));
    const tickAt = (i: number): Tick =>
      quotes === undefined ? { timeUs: timesUs[i], price: prices[i] } : { timeUs: timesUs[i], bid: quotes.bids[i], ask: quotes.asks[i] };
    feed.push(
      name,
      Array.from({ length: to - from }, (_, i) => tickAt(from + i)),
    );
  }

  #askLevel({ horizon, price }: { readonly horizon: string; readonly price: number }): boolean {
    if (!this.isRunning || !this.isConnected || !this.#isOpen || this.#isClosing) return false;
    this.#parts.feed.ask(this.name, { horizon, touch: [price] });
    return true;
  }

  #askForScore(nowMs: number): void {
    const { position } = this.player;
    const unconfirmed = position - this.#confirmed;
    if (this.#asked !== null || unconfirmed === 0) return;
    if (unconfirmed < SCORE_TICKS && nowMs - this.#askedMs < SCORE_MS) return;
    this.#asked = position;
    this.#askedMs = nowMs;
    this.#parts.feed.score(this.name);
  }

  #closeSeries(): void {
    this.#isClosing = true;
    this.player.pause();
    this.#parts.feed.closeSeries(this.name);
  }

  protected override survives(): boolean {
    return this.level.refuse();
  }

  protected override onEnd(): void {
    this.player.pause();
  }

  protected override read(message: LiveMessage): void {
    if (message.type === 'connected') {
      this.isResumed = message.is_resumed;
      this.#asked = null;
    } else if (message.type === 'disconnected') {
      this.#isOpen = false;
      this.level.begin();
      // The last score does not come any more.
      if (this.#isClosing) this.finish('ended');
    } else if (message.type === 'opened') this.#isOpen = true;
    else if (message.type === 'forecast') {
      if (!this.level.take(message)) this.#takeForecast(message);
    } else if (message.type === 'outcome') this.log.settle(message);
    else if (message.type === 'score') this.#takeScores(message.scores);
    else if (message.type === 'status') {
      if (message.code === 'bar_time_doubtful') this.doubt = message.detail;
      this.skip(message.skipped);
      if (OVER_LIMIT in (message.skipped ?? {})) this.#waitUntilMs = this.#parts.nowMs() + LIMIT_WAIT_MS;
    }
  }

  #takeForecast(message: Extract<LiveMessage, { readonly type: 'forecast' }>): void {
    const tick = lastAtOrBefore(this.series.timesUs, parseTimestamp(message.timestamp) ?? 0);
    const row = this.log.add(message, Math.max(0, tick));
    if (row.status === 'identified') this.#parts.onMark(row);
  }

  #takeScores(scores: readonly LiveScore[]): void {
    this.scores = scores;
    if (this.#asked === null && this.#isClosing) {
      this.finish('ended');
      return;
    }
    this.#confirmed = this.#asked ?? this.#confirmed;
    this.#asked = null;
    // The service reports skipped forecasts before the score.
    this.#most = this.isWaitingForLimit ? LIMIT_TICKS : MOST_TICKS;
    // Timers of a hidden tab are slow, messages are not.
    this.step();
  }
}

/** When its ticks, or the bars that have ended, come: a last bar that has not ended is not sent. */
function endedOf({ timesUs, bars }: TickSeries): Float64Array {
  const last = timesUs.length - 1;
  const isOff = bars !== undefined && (timesUs[last] - timesUs[last - 1]) % (bars.periodMs * US_PER_MS) !== 0;
  return isOff ? timesUs.subarray(0, last) : timesUs;
}

/** Bars with the timestamps that they had in their file. */
function barsOf({ timesUs, prices }: TickSeries, { periodMs, barTime, ranges }: BarWindow, from: number, to: number): Bar[] {
  const beforeUs = barTime === 'open' ? periodMs * US_PER_MS : 0;
  return Array.from({ length: to - from }, (_, k) => {
    const i = from + k;
    const bar = { timeUs: timesUs[i] - beforeUs, close: prices[i] };
    return ranges === undefined ? bar : { ...bar, open: ranges.open[i], high: ranges.high[i], low: ranges.low[i] };
  });
}
