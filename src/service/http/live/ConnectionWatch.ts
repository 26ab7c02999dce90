import type { WebSocket } from 'ws';
import type { ServerMessage, WatchedMessage } from '../../../contract/live.ts';
import type { LiveSeries } from '../../../engine/live/LiveSeries.ts';
import { parseTimestampUs, writeTimestamp } from '../../../ticks/timestamps.ts';
import { scoreOf } from '../../../engine/live/liveMessages.ts';
import type { Copies, LiveWatch, Watcher, WatchSource } from './LiveWatch.ts';

/** What those who watch a key are told of a series, and what they were told last. */
export type WatchedState = {
  readonly name: string;
  readonly series: LiveSeries;
  /** First time, as text; null before the first tick. */
  since: string | null;
  /** Its message `opened`. */
  opened: ServerMessage<'opened'> | undefined;
  /** The last tick that was told. */
  toldUs: number | undefined;
  /** Whether the score has changed since it was told. */
  hasNews: boolean;
};

/** Above this number of unsent bytes, copies of other connections are dropped. */
const SLOW_WATCHER_BYTES = 1024 * 1024;

/** A connection as one that is watched, and as one that watches. */
export class ConnectionWatch implements WatchSource, Watcher {
  readonly keyId: string;
  readonly #watch: LiveWatch;
  readonly #socket: WebSocket;
  readonly #name: string;
  readonly #series: ReadonlyMap<string, WatchedState>;
  #droppedCopies = 0;

  /** `name`: tells the connection from the others of the key. */
  constructor(
    watch: LiveWatch,
    socket: WebSocket,
    { keyId, name }: { keyId: string; name: string },
    series: ReadonlyMap<string, WatchedState>,
  ) {
    this.keyId = keyId;
    this.#watch = watch;
    this.#socket = socket;
    this.#name = name;
    this.#series = series;
    watch.join(this);
  }

  /** Watches the key from now on. Throws ServiceError `limit.exceeded`. */
  begin(): void {
    this.#watch.watch(this);
  }

  leave(): void {
    this.#watch.leave(this);
    this.#watch.unwatch(this);
  }

  announce(): void {
    for (const open of this.#series.values()) {
      if (open.opened !== undefined) this.publish(open.opened, true);
      open.hasNews = true;
      open.toldUs = undefined;
      this.publishChange(open, false, true);
    }
  }

  publishChanges(areScoresDue: boolean): number {
    for (const open of this.#series.values()) this.publishChange(open, areScoresDue, true);
    return this.#series.size;
  }

  deliver({ texts, count, dropped }: Copies): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > SLOW_WATCHER_BYTES) {
      this.#droppedCopies += count + dropped;
      return;
    }
    this.#socket.send(`{"type":"watched","copies":[${texts}],"dropped":${dropped + this.#droppedCopies}}`);
    this.#droppedCopies = 0;
  }

  /** Copies a message that the caller of the connection was sent. */
  copy(message: ServerMessage, text: string): void {
    if (message.type === 'error' || message.type === 'watched') return;
    if (this.#watch.isWatched(this.keyId)) this.#watch.publish(this.keyId, this.#name, text);
  }

  /** Tells those who watch the key, and no one else. */
  publish(message: WatchedMessage, isState: boolean): void {
    if (this.#watch.isWatched(this.keyId)) this.#watch.publish(this.keyId, this.#name, JSON.stringify(message), isState);
  }

  /** Publishes the last tick if it is new, and the score if it is due and has changed. */
  publishChange(open: WatchedState, isScoreDue: boolean, isState: boolean): void {
    if (!this.#watch.isWatched(this.keyId)) return;
    const { name, series, toldUs, hasNews } = open;
    const { lastUs, lastPrice } = series;
    if (lastUs !== undefined && lastPrice !== undefined && lastUs !== toldUs) {
      open.toldUs = lastUs;
      const lastTick = writeTimestamp(lastUs);
      this.publish({ type: 'price', series: name, last_tick: lastTick, timestamp: lastTick, price: lastPrice }, isState);
    }
    if (!isScoreDue || !hasNews) return;
    open.hasNews = false;
    this.publish(scoreMessage(open), isState);
  }
}

export const scoreMessage = ({ name, since, series }: WatchedState): ServerMessage<'score'> => ({
  ...{ type: 'score', series: name },
  scores: series.scores().map(({ plan, tally }) => scoreOf(plan.id, sinceOf(since, plan.resumeAfterUs), tally)),
});

/** The score of a plan covers the ticks after its `resume_after`: forecasts up to it were those of another connection. */
function sinceOf(since: string | null, resumeAfterUs: number | undefined): string | null {
  return since === null || resumeAfterUs === undefined || resumeAfterUs <= parseTimestampUs(since) ? since : writeTimestamp(resumeAfterUs);
}
