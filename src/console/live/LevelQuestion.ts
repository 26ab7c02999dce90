import type { ForecastMessage } from './ForecastLog.ts';

/** Id of the forecast that answers a question. */
const ASK_ID = 'ask';

type Asked = { readonly horizon: string; readonly price: number };
type Answer = Asked & { readonly message: ForecastMessage };

export type LevelParts = {
  /** Sends the question; false: not now. */
  readonly send: (asked: Asked) => boolean;
  /** Questions cost nothing, so that none waits until the level is moved. */
  readonly isFree: boolean;
};

/** Asks with each forecast of the shown horizon whether a price is reached until then: one question at a time. */
export class LevelQuestion {
  readonly #parts: LevelParts;
  /** Chosen by hand. */
  price: number | null = null;
  /** The series has ticks enough. */
  #isReady = false;
  #waiting: Asked | undefined;
  #last = '';
  #answer: Answer | undefined;

  constructor(parts: LevelParts) {
    this.#parts = parts;
  }

  /** A series begins, or begins again: what was asked before is not answered. */
  begin(): void {
    this.#isReady = false;
    this.#waiting = undefined;
  }

  /** `n`: of the last forecast of the horizon. `usual`: the price of a level that was not moved. */
  ask(horizon: string, n: number, usual: number): void {
    const price = this.price ?? (this.#parts.isFree ? usual : null);
    const question = `${horizon} ${n} ${price}`;
    if (price === null || !this.#isReady || this.#waiting !== undefined || question === this.#last) return;
    const asked = { horizon, price };
    if (!this.#parts.send(asked)) return;
    this.#waiting = asked;
    this.#last = question;
  }

  /** Whether the message answers a question. Other forecasts say that the series has ticks enough. */
  take(message: ForecastMessage): boolean {
    if (message.id !== ASK_ID) {
      this.#isReady = true;
      return false;
    }
    if (this.#waiting !== undefined) this.#answer = { ...this.#waiting, message };
    this.#waiting = undefined;
    return true;
  }

  /** Whether a question was refused: the next forecast asks again. */
  refuse(): boolean {
    const wasAsked = this.#waiting !== undefined;
    this.#waiting = undefined;
    return wasAsked;
  }

  /** The last answer for a horizon. */
  answerOf(horizon: string): Answer | undefined {
    return this.#answer?.horizon === horizon ? this.#answer : undefined;
  }
}
