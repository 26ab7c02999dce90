import { US_PER_MS } from '../ticks/TickSeries.ts';
import { ENTRY_DELAY_US } from '../ticks/labelOutcome.ts';
import type { ReplayedWindow } from './ReplayedWindow.ts';

/**
 * The windows that count for the running score: all of one question (ticks, length, horizon, threshold) with a known outcome, and no two whose
 * outcomes share a stretch of time, since those would be one piece of evidence counted twice.
 */
export class WindowLog {
  #question = '';
  readonly #byStamp = new Map<number, ReplayedWindow>();

  /** Starts a new score if the question differs. */
  add(question: string, horizonMs: number, window: ReplayedWindow): void {
    this.turnTo(question);
    const apartUs = horizonMs * US_PER_MS + ENTRY_DELAY_US;
    const { timeUs, outcome } = window;
    const isFree = [...this.#byStamp.keys()].every((other) => other === timeUs || Math.abs(other - timeUs) >= apartUs);
    if (isFree && typeof outcome === 'boolean') this.#byStamp.set(timeUs, window);
  }

  turnTo(question: string): void {
    if (question === this.#question) return;
    this.#question = question;
    this.#byStamp.clear();
  }

  /** In the order of time. */
  get windows(): readonly ReplayedWindow[] {
    return [...this.#byStamp.values()].sort((a, b) => a.timeUs - b.timeUs);
  }
}
