import type { Clock } from '../../core/Clock.ts';
import { FairMap } from '../../core/FairMap.ts';
import type { Logger } from '../../core/Logger.ts';
import { within } from '../../core/within.ts';
import { SeriesMemory } from '../../engine/memory/SeriesMemory.ts';
import type { MemoryKey, MemoryStore, StoredMemory, WriteResult } from './MemoryStore.ts';

/** Longest wait for the store: a forecast does not wait for a memory as long as for an account. */
const MOST_WAIT_MS = 500;
/** After it did not answer, it is asked again so much later. */
const PAUSE_MS = 5000;
/** Writes of one memory, while other processes write it too; then what this one learned is lost. */
const MOST_TRIES = 5;
/** Series whose memory was refused. */
const MOST_REFUSED = 10_000;
/** A series without room for its memory tries again so much later. */
const REFUSED_MS = 60_000;
/** An account without room is not asked for another series before; to count its series takes SQLite a millisecond. */
const FULL_MS = 1000;
/** No series has this name. */
const ACCOUNT = '';

/** A memory that was read, and what its write has to find unchanged. */
export type ReadMemory = { readonly memory: SeriesMemory; readonly revision: number };

/** The memories in the account store; a store that does not answer is not waited for. */
export class StoredMemories {
  readonly #store: MemoryStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #writing = new Set<Promise<unknown>>();
  /** Series for which their account had no room, and the time until which it is not asked again. */
  readonly #refused = new FairMap<number>(MOST_REFUSED);
  /** The store is not asked before. */
  #askFromMs = -Infinity;

  constructor({ store, clock, logger }: { readonly store: MemoryStore; readonly clock: Clock; readonly logger: Logger }) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** `barPeriodMs`: of a new memory. */
  async read<K extends ReadMemory>(
    key: MemoryKey,
    kept: K | undefined,
    barPeriodMs: number,
  ): Promise<ReadMemory | K | 'store_unavailable'> {
    const stored = await this.#ask(() => this.#store.readMemory(key, kept?.revision));
    if (stored === 'store_unavailable') return stored;
    if (stored === 'unchanged') return kept!;
    return stored === undefined ? { memory: new SeriesMemory(barPeriodMs), revision: 0 } : this.load(key, stored, barPeriodMs);
  }

  load(key: MemoryKey, { bytes, revision }: StoredMemory, barPeriodMs: number): ReadMemory {
    try {
      return { memory: SeriesMemory.load(bytes), revision };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#logger.warn('the memory of a series is not readable and begins again', { ...key, error });
      return { memory: new SeriesMemory(barPeriodMs), revision };
    }
  }

  /**
   * Writes a memory; if another process wrote meanwhile, that of the other one after `learnAgain`. Resolves to what is stored now, or would be
   * if the store had answered.
   */
  write(key: MemoryKey, read: ReadMemory, learnAgain: (memory: SeriesMemory) => void): Promise<ReadMemory> {
    const writing = this.#write(key, read, learnAgain).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
    return writing;
  }

  /** Whether the account had no room for the memory of the series a short time ago. */
  isRefused({ accountId, series }: MemoryKey): boolean {
    const untilMs = this.#refused.get(accountId, series);
    if (untilMs !== undefined && untilMs <= this.#clock.nowMs()) this.#refused.take(accountId, series);
    return untilMs !== undefined && untilMs > this.#clock.nowMs();
  }

  forget(accountId: string): void {
    this.#refused.forget(accountId);
  }

  /** Resolves when all is written. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writing);
  }

  async #write(key: MemoryKey, read: ReadMemory, learnAgain: (memory: SeriesMemory) => void): Promise<ReadMemory> {
    let { memory, revision } = read;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const isWritten = await this.#writeOver(key, memory, revision);
      if (isWritten === true) return { memory, revision: revision + 1 };
      if (isWritten === 'full') {
        this.#refused.set(key.accountId, key.series, this.#clock.nowMs() + REFUSED_MS);
        break;
      }
      const again = isWritten === 'store_unavailable' ? isWritten : await this.read(key, undefined, memory.periodMs);
      // Another process began a series of another kind meanwhile: the two must not mix.
      if (again === 'store_unavailable' || again.memory.periodMs !== memory.periodMs) break;
      ({ memory, revision } = again);
      learnAgain(memory);
    }
    return { memory, revision };
  }

  async #writeOver(key: MemoryKey, memory: SeriesMemory, revision: number): Promise<WriteResult | 'store_unavailable'> {
    const ofAccount = { ...key, series: ACCOUNT };
    if (revision === 0 && this.isRefused(ofAccount)) return 'full';
    const bytes = memory.save();
    const isWritten = await this.#ask(() => this.#store.writeMemory({ ...key, bytes }, revision, this.#clock.nowMs()));
    if (isWritten === 'full') this.#refused.set(key.accountId, ACCOUNT, this.#clock.nowMs() + FULL_MS);
    return isWritten;
  }

  async #ask<T>(call: () => Promise<T>): Promise<T | 'store_unavailable'> {
    if (this.#clock.monotonicMs() < this.#askFromMs) return 'store_unavailable';
    try {
      return await within(this.#clock, MOST_WAIT_MS, call(), () => {
        throw new Error(`no answer in ${MOST_WAIT_MS} ms`);
      });
    } catch (error) {
      this.#askFromMs = this.#clock.monotonicMs() + PAUSE_MS;
      this.#logger.warn('the account store does not answer: forecasts do without the memory of their series', { error });
      return 'store_unavailable';
    }
  }
}
