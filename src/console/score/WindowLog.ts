import { ENTRY_DELAY_US } from '../ticks/labelOutcome.ts';
import { US_PER_MS } from '../ticks/TickSeries.ts';
import type { Scored } from './Score.ts';

/**
 * The windows that count for the running score: all of one question (ticks, length, horizon, threshold), and no two whose outcomes share a stretch
 * of time, since those would be one piece of evidence counted twice.
 */
export class WindowLog {
  #question = '';
  readonly #byStamp = new Map<number, Scored>();

  /** Starts a new score if the question differs. `originUs`: the stamp of the last tick sent. Returns whether the window was counted. */
  add(question: string, originUs: number, horizonMs: number, scored: Scored): boolean {
    this.turnTo(question);
    const apartUs = horizonMs * US_PER_MS + ENTRY_DELAY_US;
    for (const other of this.#byStamp.keys()) if (other !== originUs && Math.abs(other - originUs) < apartUs) return false;
    this.#byStamp.set(originUs, scored);
    return true;
  }

  turnTo(question: string): void {
    if (question === this.#question) return;
    this.#question = question;
    this.#byStamp.clear();
  }

  get windows(): readonly Scored[] {
    return [...this.#byStamp.values()];
  }
}
