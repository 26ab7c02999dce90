import type { Clock } from '../Clock.ts';

/** How long an error of a kind that was written is only counted. */
const COUNT_MS = 60_000;
/** Kinds that are known at a time: far more than one fault has. */
const MOST_KINDS = 100;

type Kind = { count: number; last: Error; readonly report: (count: number, last: Error) => void; cancel: () => void };

/**
 * An outage of the store or a full disk makes the same error at every request and at every retry. The first one of a kind is written with its stack; those
 * after it are counted, and reported once a minute until a minute has none. Two errors are of a kind if they come from the same place with the same causes.
 */
export class RepeatedErrors {
  readonly #clock: Clock;
  readonly #kinds = new Map<string, Kind>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the line with this error is to be written. Otherwise it is counted, and `report` of the first one is called. */
  isFirst(event: string, error: Error, report: Kind['report']): boolean {
    const name = `${event}\n${kindOf(error)}`;
    const known = this.#kinds.get(name);
    if (known !== undefined) {
      known.count++;
      known.last = error;
      return false;
    }
    const [oldest] = this.#kinds.size < MOST_KINDS ? [] : this.#kinds.keys();
    if (oldest !== undefined) this.#end(oldest);
    const kind: Kind = { count: 0, last: error, report, cancel: () => {} };
    this.#kinds.set(name, kind);
    this.#reportLater(name, kind);
    return true;
  }

  #reportLater(name: string, kind: Kind): void {
    kind.cancel = this.#clock.after(COUNT_MS, () => {
      if (kind.count === 0) return this.#end(name);
      kind.report(kind.count, kind.last);
      kind.count = 0;
      this.#reportLater(name, kind);
    });
  }

  #end(name: string): void {
    const kind = this.#kinds.get(name);
    kind?.cancel();
    if (kind !== undefined && kind.count > 0) kind.report(kind.count, kind.last);
    this.#kinds.delete(name);
  }
}

/** Names, codes and places of an error and its causes. Messages differ by paths, addresses and times. */
function kindOf(error: Error, depth = 0): string {
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const own = [error.name, String((error as NodeJS.ErrnoException).code), ...places].join('\n');
  return error.cause instanceof Error && depth < 4 ? `${own}\n${kindOf(error.cause, depth + 1)}` : own;
}
