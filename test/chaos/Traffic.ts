import type { Random } from '../../src/core/Random.ts';
import type { Callers } from './Callers.ts';
import type { Window } from './windows.ts';

/** Requests a second. */
const RATE = 60;
const TURN_MS = 10;
/** Most requests in flight: above it, the machine is too slow for the load and requests are skipped. */
const MOST_IN_FLIGHT = 250;
const LONGEST_STAY_MS = 25;

type Kind = { readonly weight: number; readonly run: (callers: Callers, windows: readonly Window[], random: Random) => Promise<unknown> };

const isFresh = (random: Random): boolean => random.uniform() < 0.3;

/** Kinds of requests and their weights. Unknown keys stay below the limit of bad keys. */
const KINDS: readonly Kind[] = [
  {
    weight: 56,
    run: (callers, [window], random) => callers.forecast(window!, { isDetailed: random.uniform() < 0.25, isFresh: isFresh(random) }),
  },
  { weight: 9, run: (callers, [window]) => callers.forecast(window!, { key: callers.strangerKeys[0] }) },
  { weight: 6, run: (callers, windows, random) => callers.batch(windows, isFresh(random)) },
  { weight: 12, run: (callers, [window], random) => callers.badCall(window!, random, isFresh(random)) },
  { weight: 5, run: (callers, _, random) => callers.sample(isFresh(random)) },
  { weight: 5, run: (callers, [window], random) => callers.leave(window!, random.uniform() * LONGEST_STAY_MS) },
  { weight: 4, run: (callers) => callers.ready() },
  { weight: 2.5, run: (callers) => callers.signUp() },
  { weight: 0.5, run: (callers, _, random) => callers.badKey(random) },
];
const TOTAL = KINDS.reduce((sum, { weight }) => sum + weight, 0);

/** A mixed open-loop load: requests are sent when they are due, independently of earlier ones. */
export class Traffic {
  readonly #callers: Callers;
  readonly #windows: readonly Window[];
  readonly #random: Random;
  readonly #inFlight = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;

  constructor(callers: Callers, windows: readonly Window[], random: Random) {
    this.#callers = callers;
    this.#windows = windows;
    this.#random = random;
  }

  start(): void {
    this.#dueMs = performance.now();
    this.#timer = setInterval(() => {
      for (; this.#dueMs <= performance.now(); this.#dueMs += -Math.log(1 - this.#random.uniform()) * (1000 / RATE)) this.#sendOne();
    }, TURN_MS);
  }

  /** Resolves when the last request has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#inFlight);
  }

  #sendOne(): void {
    let at = this.#random.uniform() * TOTAL;
    const kind = KINDS.find(({ weight }) => (at -= weight) < 0) ?? KINDS[0];
    const from = this.#random.integer(this.#windows.length);
    const windows = this.#windows.slice(from, from + 1 + this.#random.integer(4));
    if (this.#inFlight.size >= MOST_IN_FLIGHT) return;
    const request = kind.run(this.#callers, windows, this.#random).finally(() => this.#inFlight.delete(request));
    this.#inFlight.add(request);
  }
}
