import { randomUUID } from 'node:crypto';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Clock } from '../../core/Clock.ts';
import { dayOf } from '../live/TrackRecord.ts';
import { withUses } from './accountKeys.ts';
import type { AccountStore } from './AccountStore.ts';
import type { Caller, CountUse } from './limits/RateLimit.ts';

const WRITE_MS = 60_000;
/** Keys whose use waits; beyond, further keys are not counted until the next write. */
const MOST_KEYS = 10_000;

type Waiting = { lastUsedAtMs: number | null; readonly days: Map<string, { forecasts: number; refused: number }> };
/** `uses`: by key id. */
type Batch = { readonly id: string; readonly accountId: string; readonly uses: ReadonlyMap<string, Waiting> };

/** Adds up in memory what each key is used for, and writes it once a minute, with one change for each account. */
export class KeyUses {
  readonly #store: Pick<AccountStore, 'changeAccount'>;
  readonly #clock: Clock;
  readonly #mostKeys: number;
  /** By account id, then by key id. */
  readonly #waiting = new Map<string, Map<string, Waiting>>();
  #keyCount = 0;
  /** Batches that are being written, or whose write has failed: they are repeated as they are. */
  #batches: Batch[] = [];
  #cancelWrite: (() => void) | undefined;
  #writing: Promise<void> | undefined;

  constructor(store: Pick<AccountStore, 'changeAccount'>, clock: Clock, mostKeys = MOST_KEYS) {
    this.#store = store;
    this.#clock = clock;
    this.#mostKeys = mostKeys;
  }

  /** The key was used at a time. */
  used(caller: Caller, atMs: number): void {
    const use = this.#useOf(caller);
    if (use !== undefined) use.lastUsedAtMs = atMs;
  }

  readonly count: CountUse = (caller, forecasts, refused, day = dayOf(this.#clock.nowMs())) => {
    const days = this.#useOf(caller)?.days;
    const counts = days?.get(day);
    if (counts !== undefined) {
      counts.forecasts += forecasts;
      counts.refused += refused;
    } else days?.set(day, { forecasts, refused });
    return day;
  };

  /** Writes what has been counted; what cannot be written is kept for the next call. Never throws. */
  async write(): Promise<void> {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    await this.#writing;
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    try {
      await this.#writeBatches();
      this.#batches = [...this.#waiting].map(([accountId, uses]) => ({ id: randomUUID(), accountId, uses }));
      this.#waiting.clear();
      this.#keyCount = 0;
      await this.#writeBatches();
    } catch {
      // The store reports its outages itself.
      this.#writeLater();
    }
  }

  async #writeBatches(): Promise<void> {
    for (let batch = this.#batches[0]; batch !== undefined; batch = this.#batches[0]) {
      const { id, accountId, uses } = batch;
      await this.#store.changeAccount(accountId, (account) => withUses(account, uses, id));
      this.#batches.shift();
      // SQLite writes without a pause: forecasts go on between two accounts.
      if (this.#batches.length > 0) await nextIteration();
    }
  }

  #useOf({ accountId, keyId }: Caller): Waiting | undefined {
    const ofAccount = this.#waiting.get(accountId);
    const known = ofAccount?.get(keyId);
    if (known !== undefined) return known;
    if (this.#keyCount >= this.#mostKeys) return undefined;
    this.#keyCount++;
    const use: Waiting = { lastUsedAtMs: null, days: new Map() };
    if (ofAccount === undefined) this.#waiting.set(accountId, new Map([[keyId, use]]));
    else ofAccount.set(keyId, use);
    this.#writeLater();
    return use;
  }

  #writeLater(): void {
    this.#cancelWrite ??= this.#clock.after(WRITE_MS, () => void this.write());
  }
}
