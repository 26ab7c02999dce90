import { US_PER_SECOND } from '../../core/units.ts';
import { barHorizonFault } from './barPeriod.ts';

/** Horizons that are tried, seconds: those of the buttons on the page. */
export const SETUP_HORIZONS_S = [10, 60, 300, 1800] as const;
/** Window lengths that are tried after the one that suits the horizon. */
const LENGTHS = [1000, 2000, 3000] as const;
/** Windows that are forecast at each horizon. */
export const SETUP_WINDOWS = 40;

/** What a version can do on a file at one horizon. */
export type Setup = {
  readonly horizonS: number;
  /** Ticks per window; null: `noWindow` says why. */
  readonly ticks: number | null;
  readonly noWindow: string | null;
  readonly windows: number;
  /** Windows that got a mark at the default threshold. */
  readonly marks: number;
  /** Default threshold, basis points: 10 % quantile, median, 90 % quantile; null: no window has one. */
  readonly thresholdBps: readonly [number, number, number] | null;
  /** Smallest probability that is marked; null: the head never marks. */
  readonly cut: number | null;
  /** The most frequent reason for null that the other figures do not show; null: there is none. */
  readonly reason: string | null;
  /** Median size of the move within the horizon, basis points; null: no window has an outcome. */
  readonly medianMoveBps: number | null;
  /** Of the marks with an outcome, how many came true. */
  readonly hits: number;
  readonly scored: number;
  /** The version was trained on the ticks of a window. */
  readonly isSeen: boolean;
};

/** One window of a set-up. */
export type SetupWindow = {
  readonly isMarked: boolean;
  readonly minMoveBps: number | null;
  readonly reasons: readonly string[];
  /** Null: not known. */
  readonly moveBps: number | null;
  /** The version was trained on its ticks. */
  readonly isSeen: boolean;
};

/** Reasons that the other figures show. */
const SHOWN_REASONS = ['below_threshold', 'head_abstains'];

/** The length that suits the horizon, or a longer one if its windows span too little time for the horizon; null: there is none in this file. */
export function setupLength(timesUs: Float64Array, horizonS: number, mostHorizonToWindow: number, suited: number): number | null {
  const minSpanS = horizonS / mostHorizonToWindow;
  return [suited, ...LENGTHS.filter((length) => length > suited)].find((length) => medianSpanS(timesUs, length) >= minSpanS) ?? null;
}

/** Why there is no length in a file of so many ticks. */
export function noWindowText(rows: number, suited: number): string {
  if (rows < suited) return `the file has ${rows} ticks; a window takes ${suited}`;
  const longest = Math.max(suited, ...LENGTHS.filter((length) => length <= rows));
  return `even ${longest} ticks of this file are too short a time for this horizon`;
}

/** The length of the windows of a horizon; null, with the reason, if the series has no useful one. */
export function setupWindow(
  timesUs: Float64Array,
  horizonS: number,
  mostHorizonToWindow: number,
  suited: number,
): Pick<Setup, 'ticks' | 'noWindow'> {
  const fault = barHorizonFault(timesUs, horizonS * US_PER_SECOND);
  const ticks = fault === null ? setupLength(timesUs, horizonS, mostHorizonToWindow, suited) : null;
  return { ticks, noWindow: ticks === null ? (fault ?? noWindowText(timesUs.length, suited)) : null };
}

/** Last ticks of evenly spread windows; none if the series is shorter than a window. */
export function setupOrigins(timesUs: Float64Array, length: number): Int32Array {
  const possible = timesUs.length - length + 1;
  const count = Math.min(SETUP_WINDOWS, Math.max(0, possible));
  return Int32Array.from({ length: count }, (_, i) => length - 1 + Math.floor((i * possible) / count));
}

export function setupOf(
  { horizonS, ticks, noWindow, cut }: Pick<Setup, 'horizonS' | 'ticks' | 'noWindow' | 'cut'>,
  windows: readonly SetupWindow[],
): Setup {
  const thresholds = Float64Array.from(windows.flatMap(({ minMoveBps }) => minMoveBps ?? [])).sort();
  const at = (share: number): number => thresholds[Math.round(share * (thresholds.length - 1))];
  const moves = Float64Array.from(windows.flatMap(({ moveBps }) => (moveBps === null ? [] : Math.abs(moveBps)))).sort();
  const scored = windows.filter(({ isMarked, moveBps, minMoveBps }) => isMarked && moveBps !== null && minMoveBps !== null);
  return {
    horizonS,
    ticks,
    noWindow,
    windows: windows.length,
    marks: windows.filter(({ isMarked }) => isMarked).length,
    thresholdBps: thresholds.length === 0 ? null : [at(0.1), at(0.5), at(0.9)],
    cut,
    reason: mostFrequent(windows.flatMap(({ reasons }) => reasons.filter((code) => !SHOWN_REASONS.includes(code)))),
    medianMoveBps: moves[moves.length >> 1] ?? null,
    hits: scored.filter(({ moveBps, minMoveBps }) => Math.abs(moveBps!) > minMoveBps!).length,
    scored: scored.length,
    isSeen: windows.some(({ isSeen }) => isSeen),
  };
}

/** The horizons whose median move is larger than a cost, seconds. */
export function clearingHorizonsS(setups: readonly Pick<Setup, 'horizonS' | 'medianMoveBps'>[], costBps: number): number[] {
  return setups.filter(({ medianMoveBps }) => medianMoveBps !== null && medianMoveBps > costBps).map(({ horizonS }) => horizonS);
}

/** Median time from the first to the last tick of evenly spread windows, seconds; NaN if the series is shorter than a window. */
function medianSpanS(timesUs: Float64Array, length: number): number {
  const spans = [...setupOrigins(timesUs, length)].map((end) => (timesUs[end] - timesUs[end + 1 - length]) / US_PER_SECOND);
  return spans.sort((a, b) => a - b)[Math.floor(spans.length / 2)] ?? NaN;
}

function mostFrequent(codes: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}
