import { replayTicks } from '../../../training/replay/replayTicks.ts';
import { formatDuration } from '../parseOptions.ts';
import { bucketOf } from '../../engine/features/horizonBuckets.ts';
import { US_PER_SECOND } from '../../core/units.ts';
import type { Forecaster } from '../../engine/forecast/Forecaster.ts';
import type { ServedModel } from '../../engine/model/ModelManifest.ts';
import { suitableTicksOfFile } from '../../engine/model/suitableTicks.ts';
import { SETUP_HORIZONS_S, SETUP_WINDOWS, setupOf, setupOrigins, setupWindow, type Setup } from '../../engine/scoring/usefulSetup.ts';
import { wilsonInterval } from '../../engine/scoring/wilsonInterval.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';

/** With what came of its windows, as far as it is known. */
export type FileSetup = Setup & {
  /** Median size of the move within the horizon, basis points; null: no window has an outcome. */
  readonly medianMoveBps: number | null;
  /** Of the marks with an outcome, how many came true. */
  readonly hits: number;
  readonly scored: number;
};

/** Forecasts evenly spread windows of a series at each horizon. Throws the errors of a forecast. */
export async function usefulSetups(
  forecaster: Pick<Forecaster, 'forecast'>,
  { id, manifest }: Pick<ServedModel, 'id' | 'manifest'>,
  series: TickSeries,
): Promise<FileSetup[]> {
  const setups: FileSetup[] = [];
  for (const horizonS of SETUP_HORIZONS_S) {
    const rows = series.timesUs.length;
    const suited = suitableTicksOfFile(manifest, horizonS, rows);
    const { ticks, noWindow } = setupWindow(series.timesUs, horizonS, manifest.trained.horizonToWindow[1], suited);
    const origins = ticks === null ? new Int32Array() : setupOrigins(series.timesUs, ticks);
    const options = { ticks: ticks ?? 0, horizonUs: horizonS * US_PER_SECOND, everyUs: (horizonS + 1) * US_PER_SECOND, modelId: id };
    const windows = [];
    const moves: number[] = [];
    const outcomes: number[] = [];
    for await (const { mark, minMoveBps, reasons, moveBps, outcome } of replayTicks(forecaster, series, options, origins)) {
      windows.push({ isMarked: mark === 1, minMoveBps, reasons });
      if (moveBps !== null) moves.push(Math.abs(moveBps));
      if (mark === 1 && typeof outcome === 'number') outcomes.push(outcome);
    }
    const { cut } = manifest.heads[bucketOf(horizonS)]!;
    setups.push({
      ...setupOf({ horizonS, ticks, noWindow, cut }, windows),
      medianMoveBps: moves.sort((a, b) => a - b)[moves.length >> 1] ?? null,
      hits: outcomes.filter((outcome) => outcome === 1).length,
      scored: outcomes.length,
    });
  }
  return setups;
}

const bps = (value: number): string => String(Number(value.toPrecision(3)));

/** A line for each horizon, and what to do. `spreadBps`: of bid and ask; undefined for a file without. */
export function setupsText(version: string, setups: readonly FileSetup[], seen: boolean, spreadBps?: number): string {
  const lines = setups.map((setup) => `  ${formatDuration(setup.horizonS * US_PER_SECOND).padEnd(4)} ${setupText(setup)}`);
  const ends = [
    ...(spreadBps === undefined ? [] : [costText(setups, spreadBps)]),
    ...(seen ? [`${version} was trained on ticks of this file: on other ticks its forecasts are less good.`] : []),
  ];
  return `${[`Set-ups for this file with ${version}, from ${SETUP_WINDOWS} windows or fewer at each horizon:`, ...lines, ...ends].join('\n')}\n`;
}

function costText(setups: readonly FileSetup[], spreadBps: number): string {
  const clear = setups.filter(({ medianMoveBps }) => medianMoveBps !== null && medianMoveBps > spreadBps);
  const names = clear.map(({ horizonS }) => formatDuration(horizonS * US_PER_SECOND)).join(', ');
  return `Spread: ${bps(spreadBps)} bps. ${clear.length === 0 ? 'At none of these horizons does the median move exceed it' : `The median move exceeds it at ${names}`}; --min-move-bps cost asks for a move beyond it.`;
}

function setupText({ ticks, noWindow, windows, marks, thresholdBps, cut, reason, medianMoveBps, hits, scored }: FileSetup): string {
  if (noWindow !== null) return `not useful: ${noWindow}`;
  if (thresholdBps === null) return `not useful: no window could be used (${reason ?? 'no reason given'})`;
  const [low, median, high] = thresholdBps.map(bps);
  const moved = medianMoveBps === null ? '' : `; median move ${bps(medianMoveBps)} bps`;
  const threshold = `${ticks} ticks; default threshold ${median} bps (${low} to ${high})${moved}`;
  if (cut === null) return `${threshold}; this version never marks at this horizon, it only gives probabilities`;
  const [least, most] = wilsonInterval(hits, scored).map((share) => Math.round(100 * share));
  const came = scored === 0 ? '' : `, ${hits} of ${scored} came true (90 % interval ${least} to ${most} %)`;
  const marked = `${marks} of ${windows} windows marked${came}`;
  return `${threshold}; ${marked}, from a probability of ${bps(cut)}${reason === null ? '' : `; most frequent other reason for null: ${reason}`}`;
}
