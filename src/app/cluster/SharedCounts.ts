import { MemoryCounter } from '../../accounts/limits/MemoryCounter.ts';
import type { Clock } from '../../core/Clock.ts';
import type { Add, Counted } from './messages.ts';

/** The counts of every limit, kept once for all workers. */
export class SharedCounts {
  /** By the name of the limit: the policies of one service have a name each. */
  readonly #counters = new Map<string, MemoryCounter>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(adds: readonly Add[]): Promise<Counted[]> {
    return Promise.all(adds.map(({ policy, subject, count }) => this.#counterOf(policy).add(subject, count)));
  }

  #counterOf(policy: Add['policy']): MemoryCounter {
    let counter = this.#counters.get(policy.name);
    if (counter === undefined) this.#counters.set(policy.name, (counter = new MemoryCounter(policy, this.#clock)));
    return counter;
  }
}
