import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import type { MemoryAbsence, originOf } from '../../engine/forecast/memoryAt.ts';
import type { TickForecast } from '../../engine/forecast/Forecaster.ts';
import { type MemoryView, SeriesMemory } from '../../engine/memory/SeriesMemory.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import { FairMap } from '../../core/FairMap.ts';
import type { MemoryKey, MemoryStore } from './MemoryStore.ts';
import { otherKind } from './otherKind.ts';

/** Longest wait for the store: a forecast does not wait for a memory as long as for an account. */
const MOST_WAIT_MS = 500;
/** After it did not answer, it is asked again so much later. */
const PAUSE_MS = 5000;
/** Memories that this process has read and written: about 15 MB. */
const MOST_KEPT = 300;
/** Writes of one memory, while other processes write it too; then what this one learned is lost. */
const MOST_TRIES = 5;

/** In a process that serves alone, a memory is written so much after a request: a process that is killed loses so much of it. */
const LAG_MS = 1000;

/** A memory that was read, and what its write has to find unchanged. */
export type ReadMemory = { readonly memory: SeriesMemory; readonly revision: number };
type KeptMemory = ReadMemory & { readonly key: MemoryKey; readonly isWritten: boolean };

/** What a memory learns of a request. */
type Learned = Pick<TickRequest, 'series' | 'closes' | 'bars'>;

/** The last tick of a request, and a horizon from it. */
export type Origin = ReturnType<typeof originOf>;
type Remembered = Pick<TickForecast, 'remembered'>;

/** Computes one forecast for each origin, with the view of its horizon at the last tick, or why there is none. */
export type ComputeForecasts<T> = (views: readonly (MemoryView | MemoryAbsence)[]) => Promise<readonly T[]>;

/**
 * The memory of the series of requests: one for each series of an account, whichever process serves it. The requests of a series learn one
 * after the other. Where other processes serve the store too, they also wait for each other's forecasts; a write of another process in between
 * is found by its revision, and what this request said is learned again on top of it.
 */
export class SeriesMemories {
  readonly #store: MemoryStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** The last request of each series. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** The requests of each series whose forecasts are computed outside their turn. */
  readonly #open = new Map<string, Set<Promise<unknown>>>();
  readonly #writing = new Set<Promise<unknown>>();
  /** As they were stored last: if no other process wrote, they need not be read again. */
  readonly #kept = new FairMap<KeptMemory>(MOST_KEPT, { onCut: (cut) => void this.#writeLate(cut) });
  readonly #isAlone: boolean;
  #cancelWrites: (() => void) | undefined;
  /** The store is not asked before. */
  #askFromMs = -Infinity;

  /** `isAlone`: no other process serves this store, so what was kept here need not be compared with it. */
  constructor({ store, clock, logger, isAlone = false }: { store: MemoryStore; clock: Clock; logger: Logger; isAlone?: boolean }) {
    this.#store = store;
    this.#isAlone = isAlone;
    this.#clock = clock;
    this.#logger = logger;
  }

  /**
   * Adds the ticks of a request to the memory of its series, computes its forecasts, remembers them and stores the memory. `origins`: of the
   * forecasts, all at the last tick. A store that does not answer costs the memory, never the forecast. Throws what `compute` throws, and
   * ServiceError `request.invalid` for a memory of another kind; then no forecast is remembered.
   */
  use<T extends Remembered>(
    key: MemoryKey,
    request: Learned,
    origins: readonly Origin[],
    compute: ComputeForecasts<T>,
  ): Promise<readonly T[]> {
    return this.#isAlone ? this.#useKept(key, request, origins, compute) : this.#useStored(key, request, origins, compute);
  }

  #useStored<T extends Remembered>(key: MemoryKey, request: Learned, origins: readonly Origin[], compute: ComputeForecasts<T>) {
    return this.#inTurn(key, async () => {
      const read = await this.#readKept(key, request.bars?.periodMs ?? 0, '?series');
      if (read === 'store_unavailable') return compute(origins.map(() => read));
      learn(read.memory, request);
      const forecasts = await compute(viewsOf(read.memory, origins));
      begin(read.memory, origins);
      answer(read.memory, origins, forecasts);
      const written = await this.write(key, read, (memory) => {
        learn(memory, request);
        begin(memory, origins);
        answer(memory, origins, forecasts);
      });
      this.#keep({ ...written, key, isWritten: true });
      return forecasts;
    });
  }

  /** As a live series does: the next request learns while the forecasts of this one are computed, unless it brings the outcome of one. */
  async #useKept<T extends Remembered>(key: MemoryKey, request: Learned, origins: readonly Origin[], compute: ComputeForecasts<T>) {
    const { computing } = await this.#inTurn(
      key,
      async () => {
        const read = await this.#readKept(key, request.bars?.periodMs ?? 0, '?series');
        if (read === 'store_unavailable') return { computing: compute(origins.map(() => read)) };
        const { memory, revision } = read;
        if (memory.isOwedBy(request.series)) await this.#untilComputed(key);
        learn(memory, request);
        const views = viewsOf(memory, origins);
        begin(memory, origins);
        this.#keep({ key, isWritten: false, memory, revision });
        return { computing: this.#computed(key, memory, origins, compute(views)) };
      },
      { isShared: true },
    );
    return computing;
  }

  /** Remembers forecasts when they are computed; until then, they count as open. */
  #computed<T extends Remembered>(
    key: MemoryKey,
    memory: SeriesMemory,
    origins: readonly Origin[],
    forecasts: Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const name = nameOf(key);
    const open = this.#open.get(name) ?? new Set();
    this.#open.set(name, open);
    const computing = forecasts
      .then(
        (made) => {
          answer(memory, origins, made);
          return made;
        },
        (error: unknown) => {
          answer(memory, origins, []);
          throw error;
        },
      )
      .finally(() => {
        open.delete(computing);
        if (open.size === 0) this.#open.delete(name);
      });
    open.add(computing);
    return computing;
  }

  async #untilComputed(key: MemoryKey): Promise<void> {
    await Promise.allSettled(this.#open.get(nameOf(key)) ?? []);
  }

  /**
   * The stored memory, or an empty one. One that this program cannot read begins again. `barPeriodMs`: 0 for ticks. Throws ServiceError
   * `request.invalid` for a memory of another kind.
   */
  read(key: MemoryKey, barPeriodMs = 0): Promise<ReadMemory | 'store_unavailable'> {
    return this.#inTurn(key, async () => {
      const kept = this.#kept.take(key.accountId, key.series);
      if (kept !== undefined) await this.#writeLate(kept);
      return this.#ofKind(await this.#readStored(key, undefined, barPeriodMs), key, barPeriodMs, '/series');
    });
  }

  async #readKept(key: MemoryKey, barPeriodMs: number, pointer: '?series'): Promise<ReadMemory | 'store_unavailable'> {
    // Checked before it is taken, so that one that was not written yet stays.
    const known = this.#kept.get(key.accountId, key.series);
    if (known !== undefined) this.#ofKind(known, key, barPeriodMs, pointer);
    const kept = this.#kept.take(key.accountId, key.series);
    const read = kept !== undefined && this.#isAlone ? kept : await this.#readStored(key, kept, barPeriodMs);
    return this.#ofKind(read, key, barPeriodMs, pointer);
  }

  #ofKind(
    read: ReadMemory | 'store_unavailable',
    { series }: MemoryKey,
    sentMs: number,
    pointer: '?series' | '/series',
  ): ReadMemory | 'store_unavailable' {
    if (read !== 'store_unavailable' && read.memory.periodMs !== sentMs) throw otherKind(pointer, series, read.memory.periodMs, sentMs);
    return read;
  }

  /** `barPeriodMs`: of a new memory. */
  async #readStored(key: MemoryKey, kept: ReadMemory | undefined, barPeriodMs: number): Promise<ReadMemory | 'store_unavailable'> {
    const stored = await this.#ask(() => this.#store.readMemory(key, kept?.revision));
    if (stored === 'store_unavailable') return stored;
    if (stored === 'unchanged') return kept!;
    if (stored === undefined) return { memory: new SeriesMemory(barPeriodMs), revision: 0 };
    try {
      return { memory: SeriesMemory.load(stored.bytes), revision: stored.revision };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#logger.warn('the memory of a series is not readable and begins again', { ...key, error });
      return { memory: new SeriesMemory(barPeriodMs), revision: stored.revision };
    }
  }

  #keep(memory: KeptMemory): void {
    this.#kept.set(memory.key.accountId, memory.key.series, memory);
    if (!memory.isWritten) this.#cancelWrites ??= this.#clock.after(LAG_MS, () => void this.#writeAll());
  }

  /** Those that were kept and not written. */
  async #writeAll(): Promise<void> {
    this.#cancelWrites?.();
    this.#cancelWrites = undefined;
    const waiting = this.#kept.values().filter(({ isWritten }) => !isWritten);
    await Promise.all(
      waiting.map(({ key }) =>
        this.#inTurn(key, async () => {
          const kept = this.#kept.take(key.accountId, key.series);
          if (kept !== undefined) this.#keep({ ...(await this.#writeLate(kept)), key, isWritten: true });
        }),
      ),
    );
  }

  async #writeLate({ key, isWritten, ...read }: KeptMemory): Promise<ReadMemory> {
    return isWritten ? read : this.write(key, read, () => {});
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

  /** Resolves when all is written. */
  async close(): Promise<void> {
    await this.#writeAll();
    await Promise.allSettled(this.#writing);
  }

  async #write(key: MemoryKey, read: ReadMemory, learnAgain: (memory: SeriesMemory) => void): Promise<ReadMemory> {
    let { memory, revision } = read;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const bytes = memory.save();
      const isWritten = await this.#ask(() => this.#store.writeMemory({ ...key, bytes }, revision, this.#clock.nowMs()));
      if (isWritten === true) return { memory, revision: revision + 1 };
      const again = isWritten === 'store_unavailable' ? isWritten : await this.#readStored(key, undefined, memory.periodMs);
      // Another process began a series of another kind meanwhile: the two must not mix.
      if (again === 'store_unavailable' || again.memory.periodMs !== memory.periodMs) break;
      ({ memory, revision } = again);
      learnAgain(memory);
    }
    return { memory, revision };
  }

  async #ask<T>(call: () => Promise<T>): Promise<T | 'store_unavailable'> {
    if (this.#clock.monotonicMs() < this.#askFromMs) return 'store_unavailable';
    let cancel = (): void => {};
    const late = new Promise<never>((_, reject) => {
      cancel = this.#clock.after(MOST_WAIT_MS, () => reject(new Error(`no answer in ${MOST_WAIT_MS} ms`)));
    });
    try {
      return await Promise.race([call(), late]);
    } catch (error) {
      this.#askFromMs = this.#clock.monotonicMs() + PAUSE_MS;
      this.#logger.warn('the account store does not answer: forecasts do without the memory of their series', { error });
      return 'store_unavailable';
    } finally {
      cancel();
    }
  }

  /** Accounts of which something is kept in this process. */
  accounts(): readonly string[] {
    return this.#kept.accounts();
  }

  forget(accountId: string): void {
    this.#kept.forget(accountId);
  }

  /** `isShared`: forecasts of turns before it may be computed still. */
  async #inTurn<T>(key: MemoryKey, work: () => Promise<T>, { isShared = false } = {}): Promise<T> {
    const name = nameOf(key);
    const start = isShared ? work : () => this.#untilComputed(key).then(work);
    const mine = (this.#turns.get(name) ?? Promise.resolve()).then(start, start);
    const settled = mine.catch(() => {});
    this.#turns.set(name, settled);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(name) === settled) this.#turns.delete(name);
    }
  }
}

const nameOf = ({ accountId, series }: MemoryKey): string => `${accountId} ${series}`;

function learn(memory: SeriesMemory, { series, closes, bars }: Learned): void {
  if (bars?.barTime !== undefined) memory.readAs(bars.barTime);
  if (closes !== undefined) memory.addCloses(closes, series.timesUs[0]!);
  memory.join({ ...series, ...(bars?.ranges === undefined ? {} : { ranges: bars.ranges }) });
}

/** One for each origin; those of one horizon share it. A memory that knows later ticks has none. */
function viewsOf(memory: SeriesMemory, origins: readonly Origin[]): (MemoryView | MemoryAbsence)[] {
  const views = new Map<number, MemoryView>();
  return origins.map(({ originMs, horizonMs }) => {
    if (originMs !== memory.lastMs) return 'other_origin';
    const view = views.get(horizonMs) ?? memory.view(horizonMs);
    views.set(horizonMs, view);
    return view;
  });
}

/** Those at the last tick: of an earlier one, the memory knows the outcome before it knows the forecast. */
function begin(memory: SeriesMemory, origins: readonly Origin[]): void {
  for (const { originMs, horizonMs } of origins) if (memory.lastMs === originMs) memory.begin(horizonMs);
}

/** What the forecasts that were begun became; those that nothing is remembered of failed. */
function answer(memory: SeriesMemory, origins: readonly Origin[], forecasts: readonly Remembered[]): void {
  for (const [at, { originMs, horizonMs }] of origins.entries()) {
    const { remembered } = forecasts[at] ?? {};
    if (remembered !== undefined) memory.answer(originMs, horizonMs, remembered);
  }
  // No change where one was answered.
  for (const { originMs, horizonMs } of origins) memory.answer(originMs, horizonMs, null);
}
