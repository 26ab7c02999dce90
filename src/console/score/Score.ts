import { seriesSkill, type SeriesSkill } from '../../engine/scoring/brierSkill.ts';
import { US_PER_MS } from '../ticks/TickSeries.ts';
import { ENTRY_DELAY_US } from '../ticks/labelOutcome.ts';

/** One window whose outcome is known. */
export type Scored = {
  readonly marked: boolean;
  /** Whether the move was larger than the threshold that was asked about. */
  readonly happened: boolean;
  readonly probability: number | null;
  /** Of the volatility baseline alone, from the same answer. */
  readonly baselineProbability: number | null;
};

type Placed = Scored & { readonly originUs: number };

export type Score = {
  readonly windows: number;
  readonly marks: number;
  readonly hits: number;
  readonly moves: number;
  /** Of the marks, how many came true; null without a mark. */
  readonly precision: number | null;
  /** Of all windows, how many moved: what marking every window would have reached. Null without a window. */
  readonly baseRate: number | null;
  /** The probabilities against the baselines; null: no window has both. */
  readonly skill: SeriesSkill | null;
};

/** The track record of some windows of one horizon. */
export function scoreOf(windows: readonly Placed[], horizonMs: number): Score {
  const marked = windows.filter((window) => window.marked);
  const hits = marked.filter((window) => window.happened).length;
  const moves = windows.filter((window) => window.happened).length;
  const forecasts = windows
    .toSorted((a, b) => a.originUs - b.originUs)
    .map(({ originUs, happened, probability, baselineProbability }) => ({
      ...{ timeUs: originUs, moved: happened, probability, baselineProbability },
    }));
  return {
    windows: windows.length,
    marks: marked.length,
    hits,
    moves,
    precision: marked.length === 0 ? null : hits / marked.length,
    baseRate: windows.length === 0 ? null : moves / windows.length,
    skill: seriesSkill(forecasts, horizonMs * US_PER_MS),
  };
}

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

  get windows(): readonly Placed[] {
    return Array.from(this.#byStamp, ([originUs, scored]) => ({ originUs, ...scored }));
  }
}
