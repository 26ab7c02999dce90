import type { Clock } from '../../../core/Clock.ts';
import { ServiceError } from '../../../core/ServiceError.ts';

/** Copies of what connections of a key have sent, as the texts of a JSON list. */
export type Copies = {
  readonly keyId: string;
  readonly texts: string;
  readonly count: number;
  /** Copies that were not made or not passed on since the last ones. */
  readonly dropped: number;
};

/** The other workers of the service. */
export type WatchLink = {
  /** Tells them which keys are watched here, and of which one the present state is wanted. */
  watch(keyIds: readonly string[], wanted?: string): void;
  passOn(copies: Copies): void;
  /** Called with the keys that are watched elsewhere. */
  onWatch(run: (keyIds: readonly string[], wanted: string | undefined) => void): void;
  onCopies(run: (copies: Copies) => void): void;
};

/** A connection whose messages can be watched. */
export type WatchSource = {
  readonly keyId: string;
  /** Publishes its series with their last prices; the scores are news again. */
  announce(): void;
  /** Publishes what has changed since the last call: last prices, and scores if they are due. Returns the number of series. */
  publishChanges(areScoresDue: boolean): number;
};

export type Watcher = { readonly keyId: string; deliver(copies: Copies): void };

/** Between two deliveries. */
const FLUSH_MS = 200;
/** Deliveries between two with the scores of a connection. */
const SCORE_EVERY = 10;
/** Copies of a key in a delivery, and those with which messages about the state of series fit in; further ones are dropped and counted. */
const MOST_COPIES = 400;
const MOST_WITH_STATE = 4000;
/** Series of a key whose changes are told in a delivery, about 6 ms with 8 scores each; the others follow in the next ones. */
const MOST_SERIES = 128;
/** Watchers of a key in one worker. */
export const MOST_WATCHERS = 4;

/**
 * Passes copies of what the live connections of a key send on to connections that watch the key, in this worker and in the others. Watchers
 * can lose copies; a connection that is watched never waits, and its messages are not copied while no one watches.
 */
export class LiveWatch {
  readonly #clock: Clock;
  readonly #link: WatchLink | undefined;
  readonly #sources = new Map<string, Set<WatchSource>>();
  readonly #watchers = new Map<string, Set<Watcher>>();
  /** Keys that are watched in other workers. */
  #elsewhere: ReadonlySet<string> = new Set();
  readonly #waiting = new Map<string, { readonly texts: string[]; dropped: number }>();
  /** Keys whose state is among the waiting copies: a further watcher gets it with them. */
  readonly #announced = new Set<string>();
  /** Number of the delivery with the last scores of each connection. */
  readonly #scored = new WeakMap<WatchSource, number>();
  #cancelFlush: (() => void) | undefined;
  #flushes = 0;

  constructor(clock: Clock, link?: WatchLink) {
    this.#clock = clock;
    this.#link = link;
    link?.onCopies((copies) => this.#deliver(copies));
    link?.onWatch((keyIds, wanted) => {
      this.#elsewhere = new Set(keyIds);
      if (wanted !== undefined) this.#announce(wanted);
      this.#flushLater();
    });
  }

  isWatched(keyId: string): boolean {
    return this.#watchers.has(keyId) || this.#elsewhere.has(keyId);
  }

  join(source: WatchSource): void {
    addTo(this.#sources, source);
  }

  leave(source: WatchSource): void {
    removeFrom(this.#sources, source);
  }

  /** The present state comes first. Throws ServiceError `limit.exceeded`. */
  watch(watcher: Watcher): void {
    const { keyId } = watcher;
    const others = this.#watchers.get(keyId);
    // A client that repeats itself must not cost more.
    if (others?.has(watcher) === true) return;
    if (others !== undefined && others.size >= MOST_WATCHERS)
      throw new ServiceError('limit.exceeded', `The key is watched by ${MOST_WATCHERS} connections, the most that are allowed.`);
    addTo(this.#watchers, watcher);
    this.#link?.watch([...this.#watchers.keys()], keyId);
    this.#announce(keyId);
    this.#flushLater();
  }

  unwatch(watcher: Watcher): void {
    if (removeFrom(this.#watchers, watcher)) this.#link?.watch([...this.#watchers.keys()]);
  }

  /** Call it only if the key is watched. `source`: names the connection. `isState`: later messages do not make up for this one. */
  publish(keyId: string, source: string, text: string, isState = false): void {
    let waiting = this.#waiting.get(keyId);
    if (waiting === undefined) this.#waiting.set(keyId, (waiting = { texts: [], dropped: 0 }));
    if (waiting.texts.length >= (isState ? MOST_WITH_STATE : MOST_COPIES)) waiting.dropped++;
    else waiting.texts.push(`{"source":"${source}","message":${text}}`);
  }

  close(): void {
    this.#cancelFlush?.();
  }

  #announce(keyId: string): void {
    if (this.#announced.has(keyId)) return;
    this.#announced.add(keyId);
    for (const source of this.#sources.get(keyId) ?? []) {
      source.announce();
      this.#scored.delete(source);
    }
  }

  #flushLater(): void {
    if (this.#watchers.size + this.#elsewhere.size === 0) return;
    this.#cancelFlush ??= this.#clock.after(FLUSH_MS, () => {
      this.#cancelFlush = undefined;
      this.#flush();
      this.#flushLater();
    });
  }

  #flush(): void {
    this.#flushes++;
    this.#announced.clear();
    for (const keyId of new Set([...this.#watchers.keys(), ...this.#elsewhere])) this.#publishChanges(keyId);
    for (const [keyId, { texts, dropped }] of this.#waiting) {
      const copies = { keyId, texts: texts.join(','), count: texts.length, dropped };
      this.#deliver(copies);
      if (this.#elsewhere.has(keyId)) this.#link?.passOn(copies);
    }
    this.#waiting.clear();
  }

  /** Connections that were told are the last ones of the next delivery. */
  #publishChanges(keyId: string): void {
    const sources = this.#sources.get(keyId);
    if (sources === undefined) return;
    let count = 0;
    for (const source of [...sources]) {
      if (count >= MOST_SERIES) break;
      const areScoresDue = this.#flushes - (this.#scored.get(source) ?? -Infinity) >= SCORE_EVERY;
      if (areScoresDue) this.#scored.set(source, this.#flushes);
      count += source.publishChanges(areScoresDue);
      sources.delete(source);
      sources.add(source);
    }
  }

  #deliver(copies: Copies): void {
    for (const watcher of this.#watchers.get(copies.keyId) ?? []) watcher.deliver(copies);
  }
}

function addTo<T extends { readonly keyId: string }>(all: Map<string, Set<T>>, one: T): void {
  const ofKey = all.get(one.keyId);
  if (ofKey === undefined) all.set(one.keyId, new Set([one]));
  else ofKey.add(one);
}

/** Whether it was there. */
function removeFrom<T extends { readonly keyId: string }>(all: Map<string, Set<T>>, one: T): boolean {
  const ofKey = all.get(one.keyId);
  const wasThere = ofKey?.delete(one) === true;
  if (ofKey?.size === 0) all.delete(one.keyId);
  return wasThere;
}
