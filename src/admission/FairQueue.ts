/** What waits. `group`: what may share a batch; `owner`: who shares fairly with the others. */
export type Waiting<T> = { readonly item: T; readonly group: string; readonly owner: string };

/**
 * A queue in which owners take turns: each batch takes the oldest item of one owner, then of the next, and so on around. With items of one size that is
 * deficit round robin (Shreedhar and Varghese, 1995). Order within an owner is kept.
 */
export class FairQueue<T> {
  /** By owner, who comes first is served first; an owner without items is not in it. */
  readonly #lanes = new Map<string, Waiting<T>[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Who has something waiting. */
  get owners(): number {
    return this.#lanes.size;
  }

  countOf(owner: string): number {
    return this.#lanes.get(owner)?.length ?? 0;
  }

  push(entry: Waiting<T>): void {
    const lane = this.#lanes.get(entry.owner);
    if (lane === undefined) this.#lanes.set(entry.owner, [entry]);
    else lane.push(entry);
    this.#size++;
  }

  /** Whether it was still waiting. */
  remove(entry: Waiting<T>): boolean {
    const lane = this.#lanes.get(entry.owner);
    const at = lane?.indexOf(entry) ?? -1;
    if (lane === undefined || at < 0) return false;
    lane.splice(at, 1);
    if (lane.length === 0) this.#lanes.delete(entry.owner);
    this.#size--;
    return true;
  }

  /** How many would be served before another item of this owner. */
  countBefore(owner: string): number {
    const mine = this.countOf(owner);
    let count = mine;
    for (const [other, { length }] of this.#lanes) if (other !== owner) count += Math.min(length, mine + 1);
    return count;
  }

  /**
   * At most `limit` items of one group, that of the item whose turn it is; those of other groups stay where they are. The next take goes on after the
   * last owner that was served.
   */
  take(limit: number): Waiting<T>[] {
    const taken: Waiting<T>[] = [];
    let group: string | undefined;
    let passed = 0;
    while (taken.length < limit && passed < this.#lanes.size) {
      const [owner, lane] = this.#lanes.entries().next().value as [string, Waiting<T>[]];
      const next = lane[0] as Waiting<T>;
      group ??= next.group;
      this.#lanes.delete(owner);
      if (next.group === group) {
        lane.shift();
        taken.push(next);
        passed = 0;
      } else passed++;
      if (lane.length > 0) this.#lanes.set(owner, lane);
    }
    this.#size -= taken.length;
    return taken;
  }

  /** Everything, oldest owner first; nothing waits then. */
  clear(): Waiting<T>[] {
    const all = [...this.#lanes.values()].flat();
    this.#lanes.clear();
    this.#size = 0;
    return all;
  }
}
