/** A tick is far ahead of the one before it by more than so many usual steps, and by more than these microseconds. */
export const FAR_STEPS = 20;
const FAR_US = 2_000_000;
/** Ticks before a usual step is known. */
export const FIRST_TICKS = 8;
/** Steps of the mean. */
export const MEAN_STEPS = 64;
/** Different stamps that confirm each other, and ticks that do so if their stamps are equal. */
export const STAMPS = 3;
const EQUAL_STAMPS = 1000;
/** So many ticks in a row that are far behind are a series that has begun again: as many as the first forecast needs, so none is later for it. */
const BEHIND = 200;

/**
 * next: use it. held: others must confirm it. late: it is left out. confirmed: use `released`, which ends with it. restarted: use `released`
 * as a series of its own, because the ticks before have a later time.
 */
export type Order = 'next' | 'held' | 'late' | 'confirmed' | 'restarted';

type Entry<Item> = { readonly value: number; item: Item };
/** `entries`: those of `taken` that are in order. */
type Behind<Item> = { readonly order: RisingOrder<Item>; readonly entries: Entry<Item>[]; taken: number };

export type OrderOptions<Item> = {
  /** Nothing is far ahead that is not ahead by more; default 2,000,000: 2 s in microseconds. */
  readonly far?: number;
  /** A tick that was far ahead is left out; `last`: the one before it. */
  readonly onAhead?: (item: Item, value: number, last: number) => void;
};

/**
 * The one rule for times that only rise. A tick far ahead of the one before it is held until two later stamps confirm it, and left out if the next
 * tick goes on where the ticks before it ended. A tick before the last one is left out; 200 in a row that are far behind begin a new series. So one
 * wrong stamp costs its own tick, but for one within a few ticks of two pauses: it may cost up to 200. Bounded memory. Numbers of trades are such
 * times too.
 */
export class RisingOrder<Item> {
  readonly #options: OrderOptions<Item>;
  #last = -Infinity;
  /** Mean of the steps between different stamps, microseconds. */
  #usual = 0;
  #steps = 0;
  #ahead: Entry<Item>[] = [];
  /** Different stamps of those that are held. */
  #stamps = 0;
  #behind: Behind<Item> | undefined;
  readonly #canRestart: boolean;
  /** Left out because they were before the last one, or far ahead of it. */
  late = 0;
  ahead = 0;
  #released: readonly Entry<Item>[] = [];

  constructor(options: OrderOptions<Item> = {}, canRestart = true) {
    this.#options = options;
    this.#canRestart = canRestart;
  }

  /** Of the last tick that was not held; -Infinity before the first one. */
  get last(): number {
    return this.#last;
  }

  /** After `confirmed` and `restarted`. */
  get released(): Item[] {
    return this.#released.map(({ item }) => item);
  }

  take(value: number, item: Item): Order {
    const step = value - this.#last;
    if (step < 0) return this.#late({ value, item }, -step);
    if (step > this.#far && this.#steps >= FIRST_TICKS) return this.#hold({ value, item });
    if (this.#ahead.length > 0) this.#dropAhead(0);
    this.#dropBehind();
    this.#accept(value);
    return 'next';
  }

  /** A new form of what is held. False: nothing of that time is. */
  revise(value: number, item: Item): boolean {
    const held = [...this.#ahead, ...(this.#behind?.entries ?? [])].find((entry) => entry.value === value);
    if (held === undefined) return this.#behind?.order.revise(value, item) ?? false;
    held.item = item;
    return true;
  }

  get #far(): number {
    return Math.max(this.#options.far ?? FAR_US, FAR_STEPS * this.#usual);
  }

  #accept(value: number): void {
    const step = value - this.#last;
    this.#last = value;
    if (!(step > 0 && step < Infinity)) return;
    // A pause moves the mean, but not much.
    const counted = Math.min(step, 2 * this.#far);
    this.#usual += (counted - this.#usual) / Math.min(++this.#steps, MEAN_STEPS);
  }

  #hold(entry: Entry<Item>): Order {
    const later = this.#ahead.findIndex(({ value }) => value > entry.value);
    if (later >= 0) this.#dropAhead(later);
    const before = this.#ahead.at(-1)?.value ?? entry.value;
    // Nor does one that is far ahead of those that are held.
    const step = (before - (this.#ahead[0]?.value ?? before)) / Math.max(1, this.#stamps - 1);
    const isFar = this.#stamps > 1 && entry.value - before > Math.max(this.#far, FAR_STEPS * step);
    if (this.#ahead.length === 0 || before !== entry.value) this.#stamps++;
    this.#ahead.push(entry);
    if ((this.#stamps < STAMPS || isFar) && this.#ahead.length < EQUAL_STAMPS) return 'held';
    this.#dropBehind();
    return this.#release(this.#ahead.splice(0), 'confirmed');
  }

  #late(entry: Entry<Item>, back: number): Order {
    if (!this.#canRestart || back <= this.#far) {
      this.late++;
      return 'late';
    }
    const behind = (this.#behind ??= { order: new RisingOrder<Item>({ far: this.#options.far ?? FAR_US }, false), entries: [], taken: 0 });
    const { order, entries } = behind;
    behind.taken++;
    const found = order.take(entry.value, entry.item);
    if (found === 'next') entries.push(entry);
    else if (found === 'confirmed') entries.push(...order.#released);
    if (entries.length < BEHIND) return 'held';
    this.#behind = undefined;
    this.#dropAhead(0);
    this.late += behind.taken - entries.length;
    [this.#last, this.#usual, this.#steps] = [-Infinity, 0, 0];
    return this.#release(entries, 'restarted');
  }

  #release(entries: readonly Entry<Item>[], order: Order): Order {
    for (const { value } of entries) this.#accept(value);
    this.#released = entries;
    this.#stamps = 0;
    return order;
  }

  /** Nothing follows: what is held is left out. */
  end(): void {
    this.#dropAhead(0);
    this.#dropBehind();
  }

  /** Those from here on. */
  #dropAhead(from: number): void {
    for (const { item, value } of this.#ahead.splice(from)) {
      this.ahead++;
      this.#options.onAhead?.(item, value, this.#last);
    }
    this.#stamps = new Set(this.#ahead.map(({ value }) => value)).size;
  }

  #dropBehind(): void {
    if (this.#behind === undefined) return;
    this.late += this.#behind.taken;
    this.#behind = undefined;
  }
}
