import { replayTicks } from '../../../training/replay/replayTicks.ts';
import { formatDuration } from '../parseOptions.ts';
import { bucketOf } from '../../features/horizonBuckets.ts';
import { US_PER_SECOND } from '../../core/units.ts';
import type { Forecaster } from '../../forecast/Forecaster.ts';
import { markRange } from '../../forecast/thresholdCurve.ts';
import type { ServedModel } from '../../model/ModelManifest.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';

/** Horizons that are tried, seconds: those of the buttons in the console. */
const HORIZONS_S = [10, 60, 300, 1800] as const;
/** Window lengths that are tried, shortest first; the first one is the recommended length. */
const LENGTHS = [500, 1000, 2000, 3000] as const;
const MOST_WINDOWS = 40;

/** What a version can do on a file at one horizon. */
export type Setup = {
  readonly horizonS: number;
  /** Ticks per window; null: even the longest window is too short for this horizon, or the file has too few ticks. */
  readonly ticks: number | null;
  readonly windows: number;
  /** Windows that got a mark at the default threshold. */
  readonly marks: number;
  /** Default threshold, basis points: 10 % quantile, median, 90 % quantile; null: no window has one. */
  readonly thresholdBps: readonly [number, number, number] | null;
  /** Thresholds at which a mark is possible, basis points, at the median default threshold; null: the head never marks. */
  readonly markBps: readonly [number, number] | null;
  /** The most frequent reason for null that the other figures do not show; null: there is none. */
  readonly reason: string | null;
};

/** Reasons that the other figures show. */
const SHOWN_REASONS = ['below_threshold', 'head_abstains'];

/** Forecasts evenly spread windows of a series at each horizon. Throws the errors of a forecast. */
export async function usefulSetups(
  forecaster: Pick<Forecaster, 'forecast'>,
  { id, manifest }: Pick<ServedModel, 'id' | 'manifest'>,
  series: TickSeries,
): Promise<Setup[]> {
  const setups: Setup[] = [];
  for (const horizonS of HORIZONS_S) {
    const minSpanS = horizonS / manifest.trained.horizonToWindow[1];
    const ticks = LENGTHS.find((length) => medianSpanS(series, length) >= minSpanS) ?? null;
    const origins = ticks === null ? new Int32Array() : spreadOrigins(series, ticks);
    const options = { ticks: ticks ?? 0, horizonUs: horizonS * US_PER_SECOND, everyUs: (horizonS + 1) * US_PER_SECOND, modelId: id };
    const windows = [];
    for await (const window of replayTicks(forecaster, series, options, origins)) windows.push(window);
    const thresholds = Float64Array.from(windows.flatMap(({ minMoveBps }) => minMoveBps ?? [])).sort();
    const at = (share: number): number => thresholds[Math.round(share * (thresholds.length - 1))]!;
    const range = markRange(manifest.heads[bucketOf(horizonS)]!, manifest.trained.logThetaRatio);
    setups.push({
      horizonS,
      ticks,
      windows: windows.length,
      marks: windows.filter(({ mark }) => mark === 1).length,
      thresholdBps: thresholds.length === 0 ? null : [at(0.1), at(0.5), at(0.9)],
      markBps: range === null || thresholds.length === 0 ? null : [range[0] * at(0.5), range[1] * at(0.5)],
      reason: mostFrequent(windows.flatMap(({ reasons }) => reasons.filter((code) => !SHOWN_REASONS.includes(code)))),
    });
  }
  return setups;
}

/** Median time from the first to the last tick of evenly spread windows, seconds; NaN if the series is shorter than a window. */
function medianSpanS({ timesUs, prices }: TickSeries, length: number): number {
  const spans = [...spreadOrigins({ timesUs, prices }, length)].map((end) => (timesUs[end]! - timesUs[end + 1 - length]!) / US_PER_SECOND);
  return spans.sort((a, b) => a - b)[Math.floor(spans.length / 2)] ?? NaN;
}

function spreadOrigins({ timesUs }: TickSeries, length: number): Int32Array {
  const possible = timesUs.length - length + 1;
  const count = Math.min(MOST_WINDOWS, Math.max(0, possible));
  return Int32Array.from({ length: count }, (_, i) => length - 1 + Math.floor((i * possible) / count));
}

function mostFrequent(codes: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

const bps = (value: number): string => String(Number(value.toPrecision(3)));

/** A line for each horizon, and what to do. */
export function setupsText(version: string, setups: readonly Setup[]): string {
  const lines = setups.map((setup) => `  ${formatDuration(setup.horizonS * US_PER_SECOND).padEnd(4)} ${setupText(setup)}`);
  return `Set-ups for this file with ${version}, from ${MOST_WINDOWS} windows or fewer at each horizon:\n${lines.join('\n')}\n`;
}

function setupText({ ticks, windows, marks, thresholdBps, markBps, reason }: Setup): string {
  if (ticks === null) return 'not useful: 3000 ticks of this file are too short a time for this horizon';
  if (thresholdBps === null) return `not useful: no window could be used (${reason ?? 'no reason given'})`;
  const [low, median, high] = thresholdBps.map(bps);
  const threshold = `${ticks} ticks; default threshold ${median} bps (${low} to ${high})`;
  if (markBps === null) return `${threshold}; this version never marks at this horizon, it only gives probabilities`;
  const marked = `${marks} of ${windows} windows marked`;
  const range = `marks are possible from ${bps(markBps[0])} to ${bps(markBps[1])} bps`;
  return `${threshold}; ${marked}; ${range}${reason === null ? '' : `; most frequent other reason for null: ${reason}`}`;
}
