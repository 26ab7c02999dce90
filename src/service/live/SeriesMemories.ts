import type { Clock } from '../../core/Clock.ts';
import { FairMap } from '../../core/FairMap.ts';
import type { Logger } from '../../core/Logger.ts';
import type { SeriesMemory } from '../../engine/memory/SeriesMemory.ts';
import { IterationBudget, LEARN_BYTES, STORE_BYTES } from '../admission/IterationBudget.ts';
import type { Patience } from '../admission/whenGone.ts';
import { KeyedLock } from './KeyedLock.ts';
import {
  answer,
  begin,
  newTicks,
  type ComputeForecasts,
  learn,
  type Learned,
  type Origin,
  type Remembered,
  type Said,
  sayAgain,
  viewsOf,
} from './learnRequest.ts';
import type { MemoryKey, MemoryStore } from './MemoryStore.ts';
import { otherKind } from './otherKind.ts';
import type { CarriedForecasts, Granted, SeriesClaims } from './SeriesClaims.ts';
import { type ReadMemory, StoredMemories } from './StoredMemories.ts';

/** Memories that this process has read and written: about 15 MB. */
const MOST_KEPT = 300;
/** Where no other process writes a memory, it is written so much after a request: a process that is killed loses so much of it. */
const LAG_MS = 1000;

/** The memory of a series in this process: one for all its requests. */
type KeptMemory = {
  readonly key: MemoryKey;
  memory: SeriesMemory;
  revision: number;
  isWritten: boolean;
  /** Of SeriesClaims; 0 without them. */
  readonly grant: number;
  /** Whose forecasts are not computed yet. */
  readonly open: Set<Said>;
  /** Since the last write, where other processes write too. */
  said: readonly Said[];
};

export type SeriesMemoriesDeps = {
  readonly store: MemoryStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** No other process serves this store, so what was kept here need not be compared with it. */
  readonly isAlone?: boolean;
  /** Of the processes that serve the store together: one that has a series is alone with it. */
  readonly claims?: SeriesClaims | undefined;
  /** Go with the series from process to process. */
  readonly forecasts?: CarriedForecasts | undefined;
};

/**
 * The memory of the series of requests: one for each series of an account, whichever process serves it. A request waits for others of its series
 * before its forecasts are computed, never while it holds a slot, and not beyond its deadline. Where other processes write to the store, a write in
 * between is found by its revision, and what was said here is learned again on top of it.
 */
export class SeriesMemories {
  readonly #stored: StoredMemories;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #lock: KeyedLock;
  /** Many requests of new series, and the writes of many, must not block the event loop together. */
  readonly #iterations = new IterationBudget();
  readonly #kept = new FairMap<KeptMemory>(MOST_KEPT, { onCut: (cut) => void this.#release(cut) });
  readonly #claims: SeriesClaims | undefined;
  readonly #forecasts: CarriedForecasts | undefined;
  readonly #isAlone: boolean;
  #cancelWrites: (() => void) | undefined;

  constructor({ store, clock, logger, isAlone = false, claims, forecasts }: SeriesMemoriesDeps) {
    this.#forecasts = forecasts;
    this.#stored = new StoredMemories({ store, clock, logger });
    this.#claims = claims;
    this.#isAlone = isAlone || claims !== undefined;
    this.#clock = clock;
    this.#logger = logger;
    this.#lock = new KeyedLock(clock);
    claims?.onRecall((key, grant) => {
      // At once without it: a request that holds the lock may be the one that claims the series again.
      if (this.#kept.get(key.accountId, key.series)?.grant !== grant) claims.handOver(key, grant, undefined);
      else void this.#lock.run(nameOf(key), () => this.#handOver(key, grant));
    });
  }

  /**
   * Adds the ticks of a request to the memory of its series, computes its forecasts, and remembers them. `origins`: of the forecasts, all at
   * the last tick. A store that does not answer costs the memory, never the forecast. What a request said is learned even if its forecasts fail.
   * Throws what `compute` throws, ServiceError `request.invalid` for a memory of another kind, and like `whenGone` with `patience`.
   */
  async use<T extends Remembered>(
    key: MemoryKey,
    request: Learned,
    origins: readonly Origin[],
    compute: ComputeForecasts<T>,
    patience?: Patience,
  ): Promise<readonly T[]> {
    const learned = await this.#lock.run(
      nameOf(key),
      () => this.#learn(key, request, origins),
      patience,
      (late) => typeof late !== 'string' && this.#conclude(late.kept, late.said, []),
    );
    if (typeof learned === 'string') return compute(origins.map(() => learned));
    const { kept, said, views } = learned;
    let forecasts: readonly T[];
    try {
      forecasts = await compute(views);
    } catch (error) {
      this.#conclude(kept, said, []);
      throw error;
    }
    this.#conclude(kept, said, forecasts);
    if (!this.#isAlone)
      await this.#lock.run(
        nameOf(key),
        async () => {
          // Perhaps another request has written it.
          if (kept.said.includes(said)) await this.#writeKept(kept);
        },
        patience,
      );
    return forecasts;
  }

  /** Waits for earlier forecasts only if the request brings the outcome of one. */
  async #learn(key: MemoryKey, request: Learned, origins: readonly Origin[]) {
    if (this.#stored.isRefused(key)) return 'too_many_series';
    const kept = await this.#readKept(key, request.bars?.periodMs ?? 0, '?series');
    if (kept === undefined) return 'store_unavailable';
    while (kept.open.size > 0 && kept.memory.isOwedBy(request.series)) await untilAnswered(kept);
    const wait = this.#iterations.take(key.accountId, LEARN_BYTES * newTicks(kept.memory, request));
    if (wait !== undefined) await wait;
    let resolve = (): void => {};
    const answered = new Promise<void>((done) => (resolve = done));
    const said: Said = { request, origins, made: undefined, answered, resolve };
    learn(kept.memory, request);
    const views = viewsOf(kept.memory, origins);
    begin(kept.memory, origins);
    kept.open.add(said);
    kept.isWritten = false;
    if (this.#isAlone) this.#planWrites();
    else kept.said = [...kept.said, said];
    return { kept, said, views };
  }

  /** Remembers forecasts; none: they failed. */
  #conclude(kept: KeptMemory, said: Said, made: readonly Remembered[]): void {
    said.made = made;
    answer(kept.memory, said.origins, made);
    kept.open.delete(said);
    kept.isWritten = false;
    if (this.#isAlone) this.#planWrites();
    else if (made.length === 0) kept.said = kept.said.filter((other) => other !== said);
    said.resolve();
  }

  /**
   * The stored memory, or an empty one, for a series that goes on without this object. One that this program cannot read begins again.
   * `barPeriodMs`: 0 for ticks. Throws ServiceError `request.invalid` for a memory of another kind.
   */
  read(key: MemoryKey, barPeriodMs = 0): Promise<ReadMemory | 'store_unavailable'> {
    return this.#lock.run(nameOf(key), async () => {
      const kept = await this.#readKept(key, barPeriodMs, '/series');
      if (kept === undefined) return 'store_unavailable';
      await untilAnswered(kept);
      this.#kept.take(key.accountId, key.series);
      await this.#release(kept);
      return { memory: kept.memory, revision: kept.revision };
    });
  }

  /** Undefined: the store does not answer. */
  async #readKept(key: MemoryKey, barPeriodMs: number, pointer: '?series' | '/series'): Promise<KeptMemory | undefined> {
    const before = this.#kept.get(key.accountId, key.series);
    const kept = before !== undefined && this.#isAlone ? before : await this.#readNewest(key, before, barPeriodMs);
    if (kept === undefined) return undefined;
    this.#kept.set(key.accountId, key.series, kept);
    const { periodMs } = kept.memory;
    if (periodMs !== barPeriodMs) throw otherKind(pointer, key.series, periodMs, barPeriodMs);
    return kept;
  }

  async #readNewest(key: MemoryKey, kept: KeptMemory | undefined, barPeriodMs: number): Promise<KeptMemory | undefined> {
    if (kept !== undefined) {
      const read = await this.#stored.read(key, kept, barPeriodMs);
      if (read === 'store_unavailable') return undefined;
      if (read !== kept) Object.assign(kept, { memory: sayAgain(read.memory, kept.said), revision: read.revision });
      return kept;
    }
    const granted = await this.#claim(key);
    if (granted === undefined) return undefined;
    const { grant, memory: handed } = granted;
    if (handed !== undefined) this.#forecasts?.takeOver(key, handed.forecasts);
    const read = handed === undefined ? await this.#stored.read(key, undefined, barPeriodMs) : this.#stored.load(key, handed, barPeriodMs);
    if (read !== 'store_unavailable') return { key, grant, isWritten: handed?.isWritten ?? true, ...read, open: new Set(), said: [] };
    this.#claims?.handOver(key, grant, undefined);
    return undefined;
  }

  /** Undefined: the processes cannot agree. */
  async #claim(key: MemoryKey): Promise<Granted | undefined> {
    if (this.#claims === undefined) return { grant: 0, memory: undefined };
    try {
      return await this.#claims.claim(key);
    } catch (error) {
      this.#logger.warn('the memory of a series cannot be claimed: forecasts do without', { ...key, error });
      return undefined;
    }
  }

  /** Another process goes on with the memory of a grant. */
  async #handOver(key: MemoryKey, grant: number): Promise<void> {
    const kept = this.#kept.get(key.accountId, key.series);
    if (kept?.grant !== grant) return this.#claims?.handOver(key, grant, undefined);
    await untilAnswered(kept);
    // Until the last one that was answered is remembered.
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#kept.take(key.accountId, key.series);
    const { memory, revision, isWritten } = kept;
    const forecasts = this.#forecasts?.handOver(key) ?? [];
    this.#claims?.handOver(key, grant, { bytes: memory.save(), revision, isWritten, forecasts });
  }

  #planWrites(): void {
    this.#cancelWrites ??= this.#clock.after(LAG_MS, () => void this.#writeAll());
  }

  /** Those that were kept and not written. */
  async #writeAll(): Promise<void> {
    this.#cancelWrites?.();
    this.#cancelWrites = undefined;
    const waiting = this.#kept.values().filter(({ isWritten }) => !isWritten);
    await Promise.all(
      waiting.map((kept) =>
        this.#lock.run(nameOf(kept.key), async () => {
          // SQLite writes on this thread: hundreds at once would block it for tens of milliseconds.
          await this.#iterations.take(kept.key.accountId, STORE_BYTES);
          await this.#writeKept(kept);
        }),
      ),
    );
  }

  /** The series goes on without this object. */
  async #release(kept: KeptMemory): Promise<void> {
    await this.#writeKept(kept);
    this.#claims?.handOver(kept.key, kept.grant, undefined);
  }

  async #writeKept(kept: KeptMemory): Promise<void> {
    if (kept.isWritten) return;
    const had = kept.said.filter(({ made }) => made !== undefined);
    kept.isWritten = true;
    const { memory, revision } = await this.#stored.write(kept.key, kept, (other) => sayAgain(other, kept.said));
    kept.revision = revision;
    // Forecasts may have been computed while it was written.
    if (memory !== kept.memory) for (const { origins, made } of kept.said) if (made !== undefined) answer(memory, origins, made);
    kept.memory = memory;
    kept.said = kept.said.filter((said) => !had.includes(said));
    const { key, grant } = kept;
    if (!this.#stored.isRefused(key) || this.#kept.get(key.accountId, key.series) !== kept) return;
    this.#kept.take(key.accountId, key.series);
    this.#claims?.handOver(key, grant, undefined);
  }

  /** As StoredMemories writes, for a series that goes on without this object. */
  write(...written: Parameters<StoredMemories['write']>): Promise<ReadMemory> {
    return this.#stored.write(...written);
  }

  /** Resolves when all is written. */
  async close(): Promise<void> {
    await this.#writeAll();
    await this.#stored.close();
  }

  /** Accounts of which something is kept in this process. */
  accounts(): readonly string[] {
    return this.#kept.accounts();
  }

  forget(accountId: string): void {
    this.#stored.forget(accountId);
    this.#kept.forget(accountId);
  }
}

async function untilAnswered({ open }: KeptMemory): Promise<void> {
  await Promise.all(Array.from(open, ({ answered }) => answered));
}

const nameOf = ({ accountId, series }: MemoryKey): string => `${accountId} ${series}`;
