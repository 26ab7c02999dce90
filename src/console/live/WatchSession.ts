import type { LiveConnection, LiveCopy, LiveMessage } from '../../../clients/typescript/src/index.ts';
import type { LoggedForecast } from './ForecastLog.ts';
import { FeedSession } from './FeedSession.ts';
import { type WatchPhase, watchText } from './liveWords.ts';
import { WatchedSeries, type Opened } from './WatchedSeries.ts';

export type WatchFeed = Pick<LiveConnection, 'watch' | 'close'> & AsyncIterable<LiveMessage>;

export type WatchParts = {
  readonly feed: WatchFeed;
  readonly nowMs: () => number;
  readonly onMark: (series: WatchedSeries, row: LoggedForecast) => void;
  /** Called when another series is shown. */
  readonly onShow: (series: WatchedSeries) => void;
  readonly onChange: () => void;
};

/** Series to choose from; further ones are left out. */
const MOST_SERIES = 1000;

/** Watches the series that other programs stream with the key, one at a time. */
export class WatchSession extends FeedSession {
  readonly #parts: WatchParts;
  /** By connection and name. */
  readonly #open = new Map<string, Opened>();
  #shownKey = '';
  shown: WatchedSeries | undefined;
  /** Of the open series. */
  readonly #doubts = new Map<string, string>();
  /** Messages that the service has dropped. */
  dropped = 0;

  constructor(parts: WatchParts) {
    super(parts);
    this.#parts = parts;
    parts.feed.watch();
    void this.listen();
  }

  get phase(): WatchPhase {
    if (this.end !== undefined) return this.end.phase;
    if (!this.isConnected) return this.retry === undefined ? 'connecting' : 'reconnecting';
    if (this.shown === undefined) return 'waiting';
    return this.shown.isMoving ? 'watching' : 'closed';
  }

  text(nowMs: number): string {
    return watchText(this, nowMs);
  }

  /** What the clock says against the timestamps of the bars of the shown series; empty: nothing. */
  get doubt(): string {
    return this.#doubts.get(this.#shownKey) ?? '';
  }

  /** Series that are open, and the one that is shown; two of one name are told apart by a number. */
  get choices(): readonly { readonly key: string; readonly name: string; readonly isShown: boolean }[] {
    const counts = new Map<string, number>();
    return [...this.#open].map(([key, { series }]) => {
      const count = (counts.get(series) ?? 0) + 1;
      counts.set(series, count);
      return { key, name: count === 1 ? series : `${series} (${count})`, isShown: key === this.#shownKey };
    });
  }

  /** Shows another series from now on. */
  show(key: string): void {
    const opened = this.#open.get(key);
    if (opened === undefined) return;
    this.#shownKey = key;
    this.skipped = {};
    this.shown = new WatchedSeries(opened);
    this.#parts.onShow(this.shown);
  }

  protected override onEnd(): void {
    if (this.shown !== undefined) this.shown.isMoving = false;
  }

  protected override read(message: LiveMessage): void {
    if (message.type === 'disconnected') {
      // Those that are still open are announced again.
      this.#open.clear();
      if (this.shown !== undefined) this.shown.isMoving = false;
    } else if (message.type === 'watched') {
      this.dropped += message.dropped;
      for (const copy of message.copies) this.#take(copy);
    } else if (message.type === 'dropped') this.dropped += message.count;
  }

  #take({ source, message }: LiveCopy): void {
    if (message.type === 'status') {
      // Of a series that is open, so that there are not more of them.
      if (message.code === 'bar_time_doubtful' && this.#open.has(`${source} ${message.series}`))
        this.#doubts.set(`${source} ${message.series}`, message.detail);
      if (this.#shownKey.startsWith(`${source} `)) this.skip(message.skipped);
      return;
    }
    const key = `${source} ${message.series}`;
    if (message.type === 'opened') this.#takeOpened(key, message);
    else if (message.type === 'closed') {
      this.#open.delete(key);
      this.#doubts.delete(key);
    }
    if (key !== this.#shownKey || this.shown === undefined) return;
    const mark = this.shown.read(message);
    if (mark !== undefined) this.#parts.onMark(this.shown, mark);
  }

  #takeOpened(key: string, opened: Opened): void {
    if (this.#open.size >= MOST_SERIES && !this.#open.has(key)) return;
    const isAgain = this.#open.has(key);
    this.#open.set(key, opened);
    if (this.shown === undefined) this.show(key);
    else if (key === this.#shownKey) this.shown.isMoving = true;
    // The program has connected again.
    else if (!isAgain && !this.shown.isMoving && this.shown.name === opened.series) this.show(key);
  }
}
