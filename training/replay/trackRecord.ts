import { seriesSkill, type SeriesSkill } from '../../src/engine/scoring/brierSkill.ts';
import { payoffTable, proposeCut, type CutLine, type PaidWindow, type PayoffTable, type Wish } from '../../src/engine/scoring/payoff.ts';
import { wilsonInterval } from '../../src/engine/scoring/wilsonInterval.ts';
import type { ReplayedWindow } from '../../src/engine/forecast/replayTicks.ts';

export type Fraction = {
  readonly of: number;
  readonly count: number;
  readonly share: number;
  readonly interval90: readonly [number, number];
};

export type ReplayRecord = {
  readonly windows: number;
  /** Windows with a known outcome, on ticks that the version was not trained on: only these count. */
  readonly counted: number;
  /** Windows that do not count, by reason. */
  readonly left: Readonly<Record<string, number>>;
  /** Marked windows that count. */
  readonly marked: Fraction;
  /** Marked windows after which the price moved by more than the threshold. */
  readonly hits: Fraction;
  /** All windows after which it moved that far. */
  readonly baseRate: Fraction;
  /** Null answers by reason; a window may have several reasons. */
  readonly nulls: Readonly<Record<string, number>>;
  /** The probabilities against the baselines, which learn from all windows with an outcome; null without a window that counts and has one. */
  readonly skill: SeriesSkill | null;
  /** What trades on these windows would have made; null without such windows. */
  readonly payoff: PayoffTable | null;
  /** Of each level: how many ranges the move stayed in, of windows that count and have one, and their mean size. */
  readonly ranges: readonly { readonly level: number; readonly held: Fraction; readonly meanBps: number }[];
  /** The cut that fulfils the wish of the caller; undefined: there is no wish, null: there is no such cut. */
  readonly proposal?: CutLine | null;
};

function share(count: number, of: number): Fraction {
  return { of, count, share: of === 0 ? NaN : count / of, interval90: wilsonInterval(count, of) };
}

function rangesOf(windows: readonly ReplayedWindow[]): ReplayRecord['ranges'] {
  const levels = windows.find(({ range }) => range !== undefined)?.range ?? [];
  return levels.map(({ level }, at) => {
    const sizes = windows.flatMap(({ range, moveBps }) => {
      const size = range?.[at]?.move_bps ?? null;
      return size === null || moveBps === null ? [] : [{ size, isHeld: Math.abs(moveBps) <= size }];
    });
    const sum = sizes.reduce((total, { size }) => total + size, 0);
    return { level, held: share(sizes.filter(({ isHeld }) => isHeld).length, sizes.length), meanBps: sum / sizes.length };
  });
}

function tally(names: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/**
 * Evaluates the answers of a replay: marks against the base rate, probabilities against the baselines of the series.
 *
 * @param wish what the caller wants of marks
 * @param isSeen whether the version was trained on the ticks of a window or of its outcome, by the file; such a window does not count
 */
export function trackRecord(
  windows: readonly ReplayedWindow[],
  horizonUs: number,
  isSeen: (window: ReplayedWindow) => boolean,
  wish?: Wish,
): ReplayRecord {
  const whyNot = (window: ReplayedWindow): string | undefined =>
    typeof window.outcome === 'string' ? window.outcome : window.isSeen || isSeen(window) ? 'trained_on' : undefined;
  const counted = windows.filter((window) => whyNot(window) === undefined);
  const paid = paidWindows(counted);
  const marked = counted.filter(({ mark }) => mark === 1);
  const moved = (some: readonly ReplayedWindow[]): number => some.filter(({ outcome }) => outcome === 1).length;
  return {
    windows: windows.length,
    counted: counted.length,
    ranges: rangesOf(counted),
    left: tally(windows.map(whyNot).filter((why) => why !== undefined)),
    marked: share(marked.length, counted.length),
    hits: share(moved(marked), marked.length),
    baseRate: share(moved(counted), counted.length),
    nulls: tally(counted.flatMap(({ reasons }) => reasons)),
    skill: seriesSkill(
      windows.map((window) => ({
        ...{ timeUs: window.timeUs, probability: window.probability, baselineProbability: window.baselineProbability },
        ...{ moved: typeof window.outcome === 'string' ? null : window.outcome === 1, counts: whyNot(window) === undefined },
      })),
      horizonUs,
    ),
    payoff: paid.length === 0 ? null : payoffTable(paid),
    ...(wish === undefined ? {} : { proposal: proposeCut(paid, wish) }),
  };
}

function paidWindows(counted: readonly ReplayedWindow[]): PaidWindow[] {
  return counted.flatMap(({ timeUs, probability, baselineProbability, mark, moveBps, minMoveBps: costBps }) =>
    probability === null || baselineProbability === null || moveBps === null || costBps === null
      ? []
      : [{ timeUs, probability, baselineProbability, isMarked: mark === 1, moveBps, costBps }],
  );
}
