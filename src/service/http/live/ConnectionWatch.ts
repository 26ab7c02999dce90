import type { WebSocket } from 'ws';
import type { ServerMessage, WatchedMessage } from '../../../contract/live.ts';
import { writeTimestamp } from '../../../ticks/timestamps.ts';
import type { DeskSeries } from '../../../engine/live/DeskOwner.ts';
import { scoreMessage } from '../../../engine/live/liveMessages.ts';
import type { Copies, LiveWatch, Watcher, WatchSource } from './LiveWatch.ts';

/** What those who watch a key are told of. */
type WatchedSeries = Pick<DeskSeries, 'name' | 'series' | 'since' | 'opened'>;

/** Above this number of unsent bytes, copies of other connections are dropped. */
const SLOW_WATCHER_BYTES = 1024 * 1024;

/** A connection as one that is watched, and as one that watches. */
export class ConnectionWatch implements WatchSource, Watcher {
  readonly keyId: string;
  readonly #watch: LiveWatch;
  readonly #socket: WebSocket;
  readonly #name: string;
  readonly #series: ReadonlyMap<string, WatchedSeries>;
  /** The last tick of a series that was told, and whether its score has changed since it was told. */
  readonly #told = new WeakMap<WatchedSeries, { us: number | undefined; hasNews: boolean }>();
  #droppedCopies = 0;

  /** `name`: tells the connection from the others of the key. */
  constructor(
    watch: LiveWatch,
    socket: WebSocket,
    { keyId, name }: { keyId: string; name: string },
    series: ReadonlyMap<string, WatchedSeries>,
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
      this.#told.delete(open);
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
    if (message.type === 'error' || message.type === 'watched' || !this.#watch.isWatched(this.keyId)) return;
    this.#watch.publish(this.keyId, this.#name, text);
    const open = message.type === 'forecast' || message.type === 'outcome' ? this.#series.get(message.series) : undefined;
    if (open !== undefined) this.#toldOf(open).hasNews = true;
  }

  /** Tells those who watch the key, and no one else. */
  publish(message: WatchedMessage, isState: boolean): void {
    if (this.#watch.isWatched(this.keyId)) this.#watch.publish(this.keyId, this.#name, JSON.stringify(message), isState);
  }

  /** Publishes the last tick if it is new, and the score if it is due and has changed. */
  publishChange(open: WatchedSeries, isScoreDue: boolean, isState: boolean): void {
    if (!this.#watch.isWatched(this.keyId)) return;
    const { name, series } = open;
    const { lastUs, lastPrice } = series;
    const told = this.#toldOf(open);
    if (lastUs !== undefined && lastPrice !== undefined && lastUs !== told.us) {
      told.us = lastUs;
      const lastTick = writeTimestamp(lastUs);
      this.publish({ type: 'price', series: name, last_tick: lastTick, timestamp: lastTick, price: lastPrice }, isState);
    }
    if (!isScoreDue || !told.hasNews) return;
    told.hasNews = false;
    this.publish(scoreMessage(open), isState);
  }

  #toldOf(open: WatchedSeries): { us: number | undefined; hasNews: boolean } {
    const told = this.#told.get(open) ?? { us: undefined, hasNews: true };
    this.#told.set(open, told);
    return told;
  }
}
