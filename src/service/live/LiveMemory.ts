import type { Clock } from '../../core/Clock.ts';
import type { LiveSeries } from '../../engine/live/LiveSeries.ts';
import type { MemoryKey } from './MemoryStore.ts';
import type { SeriesMemories } from './SeriesMemories.ts';
import type { ReadMemory } from './StoredMemories.ts';

/** While a series is open, its memory is stored this often: a process that is killed loses so much of it. */
const STORE_EVERY_MS = 60_000;

/** The memory of an open series: it stays in this process, and is stored now and then and at the end. */
export class LiveMemory {
  readonly #memories: Pick<SeriesMemories, 'write'>;
  readonly #key: MemoryKey;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #read: ReadMemory;
  #storedMs: number;
  /** Since it was read or stored last. */
  #isChanged = false;
  /** Stores one after the other. */
  #storing: Promise<void> = Promise.resolve();

  constructor(memories: Pick<SeriesMemories, 'write'>, key: MemoryKey, read: ReadMemory, clock: Pick<Clock, 'monotonicMs'>) {
    this.#memories = memories;
    this.#key = key;
    this.#read = read;
    this.#clock = clock;
    this.#storedMs = clock.monotonicMs();
  }

  get memory(): ReadMemory['memory'] {
    return this.#read.memory;
  }

  /** Ticks are added. */
  changed(): void {
    this.#isChanged = true;
  }

  /** A forecast was remembered. */
  storeIfDue(series: LiveSeries): void {
    this.#isChanged = true;
    if (this.#clock.monotonicMs() - this.#storedMs >= STORE_EVERY_MS) void this.store(series);
  }

  /** Never throws. Where another process wrote meanwhile, the series goes on with its memory. */
  store(series: LiveSeries): Promise<void> {
    this.#storedMs = this.#clock.monotonicMs();
    if (!this.#isChanged) return this.#storing;
    this.#isChanged = false;
    this.#storing = this.#storing.then(async () => {
      const before = this.#read.memory;
      this.#read = await this.#memories.write(this.#key, this.#read, (memory) => memory.join(series.recent));
      if (this.#read.memory !== before) series.replaceMemory(this.#read.memory);
    });
    return this.#storing;
  }
}
