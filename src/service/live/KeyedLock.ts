import type { Clock } from '../../core/Clock.ts';
import { type Patience, whenGone } from '../admission/whenGone.ts';

/** Runs the work of one key in order of arrival, and that of different keys side by side. */
export class KeyedLock {
  readonly #clock: Clock;
  /** The last work of each key; it never rejects. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves to what `work` resolves to. With `patience`, rejects at the deadline or when the caller disconnects: work that has not begun is left
   * out then, and `undo` gets what work that has begun resolves to.
   */
  run<T>(key: string, work: () => Promise<T>, patience?: Patience, undo: (done: T) => void = () => {}): Promise<T> {
    return new Promise((resolve, reject) => {
      let isGone = false;
      const drop = (error: Error): void => {
        isGone = true;
        reject(error);
      };
      const forget = patience && whenGone(patience, this.#clock, 'while the request waited for others of its series', drop);
      const mine = (this.#last.get(key) ?? Promise.resolve()).then(async () => {
        try {
          if (isGone) return;
          const done = await work();
          if (isGone) undo(done);
          else resolve(done);
        } catch (error) {
          reject(error);
        } finally {
          forget?.();
          if (this.#last.get(key) === mine) this.#last.delete(key);
        }
      });
      this.#last.set(key, mine);
    });
  }
}
