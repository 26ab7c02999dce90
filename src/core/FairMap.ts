type Entry<V> = { readonly value: V; readonly weight: number };
type Held<V> = { readonly entries: Map<string, Entry<V>>; weight: number };

/**
 * The account that gives something up when all together hold more than `most`: `own`, which has just been added to, if it holds more than an
 * equal share; otherwise the first one that does. An account within its share never loses anything, unless there are more accounts than
 * places; then the first one does.
 */
export function accountToCut<T>(accounts: ReadonlyMap<string, T>, weightOf: (held: T) => number, most: number, own: string): string {
  const [first] = accounts.keys();
  if (accounts.size > most) return first!;
  const share = Math.floor(most / accounts.size);
  if (weightOf(accounts.get(own)!) > share) return own;
  for (const [accountId, held] of accounts) if (weightOf(held) > share) return accountId;
  return first!;
}

/**
 * What memory holds under names that callers choose, with one bound for all accounts. Beyond it, an account with more than an equal share loses
 * the entry that it has not set for longest, so that no account pushes out what the others need.
 */
export class FairMap<V> {
  /** Accounts, and entries of each: least recently set first. */
  readonly #accounts = new Map<string, Held<V>>();
  readonly #most: number;
  readonly #mostOfAccount: number;
  readonly #onCut: (value: V) => void;
  #weight = 0;

  /** `most`: sum of the weights; `mostOfAccount`: entries. */
  constructor(most: number, { mostOfAccount = Infinity, onCut = () => {} }: { mostOfAccount?: number; onCut?: (value: V) => void } = {}) {
    this.#most = most;
    this.#mostOfAccount = mostOfAccount;
    this.#onCut = onCut;
  }

  /** Sum of the weights. */
  get size(): number {
    return this.#weight;
  }

  get(accountId: string, key: string): V | undefined {
    return this.#accounts.get(accountId)?.entries.get(key)?.value;
  }

  set(accountId: string, key: string, value: V, weight = 1): void {
    const held = this.#accounts.get(accountId) ?? { entries: new Map<string, Entry<V>>(), weight: 0 };
    const change = weight - (held.entries.get(key)?.weight ?? 0);
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, held);
    held.entries.delete(key);
    held.entries.set(key, { value, weight });
    held.weight += change;
    this.#weight += change;
    if (held.entries.size > this.#mostOfAccount) this.#cut(accountId);
    while (this.#weight > this.#most) this.#cut(accountToCut(this.#accounts, (other) => other.weight, this.#most, accountId));
  }

  /** Removes an entry, without `onCut`. */
  take(accountId: string, key: string): V | undefined {
    const held = this.#accounts.get(accountId);
    const entry = held?.entries.get(key);
    if (held === undefined || entry === undefined) return undefined;
    held.entries.delete(key);
    held.weight -= entry.weight;
    this.#weight -= entry.weight;
    if (held.entries.size === 0) this.#accounts.delete(accountId);
    return entry.value;
  }

  accounts(): readonly string[] {
    return [...this.#accounts.keys()];
  }

  values(): readonly V[] {
    return [...this.#accounts.values()].flatMap(({ entries }) => Array.from(entries.values(), ({ value }) => value));
  }

  /** All that an account has, without `onCut`. */
  forget(accountId: string): void {
    this.#weight -= this.#accounts.get(accountId)?.weight ?? 0;
    this.#accounts.delete(accountId);
  }

  clear(): void {
    this.#accounts.clear();
    this.#weight = 0;
  }

  /** The entry of an account that was not set for longest. */
  #cut(accountId: string): void {
    const held = this.#accounts.get(accountId)!;
    const [key] = held.entries.keys();
    const value = this.take(accountId, key!)!;
    this.#onCut(value);
  }
}
