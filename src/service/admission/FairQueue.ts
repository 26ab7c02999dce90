/** A queued item; owners are served round-robin. */
export type QueuedItem<T> = { readonly item: T; readonly owner: string };

/**
 * A queue that serves owners round-robin: the oldest item of one owner, then of the next one, and so on. With items of equal size, this is deficit round
 * robin (Shreedhar and Varghese, 1995). The order within an owner is kept.
 */
export class FairQueue<T> {
  /** Queues by owner, in the order in which they are served; an owner without items has none. */
  readonly #queues = new Map<string, QueuedItem<T>[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of owners with queued items. */
  get owners(): number {
    return this.#queues.size;
  }

  countOf(owner: string): number {
    return this.#queues.get(owner)?.length ?? 0;
  }

  push(entry: QueuedItem<T>): void {
    const queue = this.#queues.get(entry.owner);
    if (queue === undefined) this.#queues.set(entry.owner, [entry]);
    else queue.push(entry);
    this.#size++;
  }

  /** Returns whether the item was still queued. */
  remove(entry: QueuedItem<T>): boolean {
    const queue = this.#queues.get(entry.owner);
    const at = queue?.indexOf(entry) ?? -1;
    if (queue === undefined || at < 0) return false;
    queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(entry.owner);
    this.#size--;
    return true;
  }

  /** Number of items that would be served before another item of this owner. */
  countBefore(owner: string): number {
    const mine = this.countOf(owner);
    let count = mine;
    for (const [other, { length }] of this.#queues) if (other !== owner) count += Math.min(length, mine + 1);
    return count;
  }

  /** The next item; undefined: none is queued. */
  take(): T | undefined {
    for (const [owner, queue] of this.#queues) {
      this.#queues.delete(owner);
      const next = queue.shift();
      if (queue.length > 0) this.#queues.set(owner, queue);
      this.#size--;
      return next?.item;
    }
    return undefined;
  }
}
