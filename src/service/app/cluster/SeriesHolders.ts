import type { MemoryKey } from '../../live/MemoryStore.ts';
import { type MemoryText, seriesOf, type ToWorker } from './WorkerLink.ts';

type WorkerProcess = { send(message: ToWorker): void };

/** A series that a worker has, or waits for. */
type Held = {
  readonly key: MemoryKey;
  holder: WorkerProcess | undefined;
  /** Of the holder. */
  grant: number;
  isRecalled: boolean;
  /** Handed over, and not granted again. */
  memory: MemoryText | undefined;
  /** In order of arrival. */
  waiting: WorkerProcess[];
};

/** Grants each series to one worker at a time; the memory of the series goes from one to the next. */
export class SeriesHolders {
  readonly #held = new Map<string, Held>();
  #grants = 0;

  /** Series that a worker has. */
  get size(): number {
    return this.#held.size;
  }

  claim(worker: WorkerProcess, key: MemoryKey): void {
    const held = this.#held.get(seriesOf(key)) ?? { key, holder: undefined, grant: 0, isRecalled: false, memory: undefined, waiting: [] };
    this.#held.set(seriesOf(key), held);
    held.waiting.push(worker);
    this.#next(held);
  }

  /** The end of a grant; one that has ended before changes nothing. */
  handed(worker: WorkerProcess, { key, grant, memory }: { key: MemoryKey; grant: number; memory: MemoryText | undefined }): void {
    const held = this.#held.get(seriesOf(key));
    if (held?.holder !== worker || held.grant !== grant) return;
    held.holder = undefined;
    held.memory = memory;
    this.#next(held);
  }

  /** The worker has ended; what it has not written is lost. */
  left(worker: WorkerProcess): void {
    for (const held of this.#held.values()) {
      held.waiting = held.waiting.filter((other) => other !== worker);
      if (held.holder === worker) held.holder = undefined;
      this.#next(held);
    }
  }

  #next(held: Held): void {
    const { key, holder, memory } = held;
    const [first] = held.waiting;
    if (first === undefined) {
      if (holder === undefined && memory === undefined) this.#held.delete(seriesOf(key));
    } else if (holder === undefined) {
      const grant = ++this.#grants;
      Object.assign(held, { holder: first, grant, isRecalled: false, memory: undefined, waiting: held.waiting.slice(1) });
      first.send({ kind: 'granted', key, grant, memory });
      this.#next(held);
    } else if (!held.isRecalled) {
      held.isRecalled = true;
      holder.send({ kind: 'recall', key, grant: held.grant });
    }
  }
}
