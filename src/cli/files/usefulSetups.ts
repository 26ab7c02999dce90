import { replayTicks } from '../../../training/replay/replayTicks.ts';
import { formatDuration } from '../parseOptions.ts';
import { bucketOf } from '../../features/horizonBuckets.ts';
import { US_PER_SECOND } from '../../core/units.ts';
import type { Forecaster } from '../../forecast/Forecaster.ts';
import type { ServedModel } from '../../model/ModelManifest.ts';
import { suitableTicksOfFile } from '../../model/suitableTicks.ts';
import { SETUP_HORIZONS_S, SETUP_WINDOWS, setupOf, setupOrigins, setupWindow, type Setup } from '../../scoring/usefulSetup.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';

/** Forecasts evenly spread windows of a series at each horizon. Throws the errors of a forecast. */
export async function usefulSetups(
  forecaster: Pick<Forecaster, 'forecast'>,
  { id, manifest }: Pick<ServedModel, 'id' | 'manifest'>,
  series: TickSeries,
): Promise<Setup[]> {
  const setups: Setup[] = [];
  for (const horizonS of SETUP_HORIZONS_S) {
    const rows = series.timesUs.length;
    const suited = suitableTicksOfFile(manifest, horizonS, rows);
    const { ticks, noWindow } = setupWindow(series.timesUs, horizonS, manifest.trained.horizonToWindow[1], suited);
    const origins = ticks === null ? new Int32Array() : setupOrigins(series.timesUs, ticks);
    const options = { ticks: ticks ?? 0, horizonUs: horizonS * US_PER_SECOND, everyUs: (horizonS + 1) * US_PER_SECOND, modelId: id };
    const windows = [];
    for await (const { mark, minMoveBps, reasons } of replayTicks(forecaster, series, options, origins))
      windows.push({ isMarked: mark === 1, minMoveBps, reasons });
    const { cut } = manifest.heads[bucketOf(horizonS)]!;
    setups.push(setupOf({ horizonS, ticks, noWindow, cut }, windows));
  }
  return setups;
}

const bps = (value: number): string => String(Number(value.toPrecision(3)));

/** A line for each horizon, and what to do. */
export function setupsText(version: string, setups: readonly Setup[]): string {
  const lines = setups.map((setup) => `  ${formatDuration(setup.horizonS * US_PER_SECOND).padEnd(4)} ${setupText(setup)}`);
  return `Set-ups for this file with ${version}, from ${SETUP_WINDOWS} windows or fewer at each horizon:\n${lines.join('\n')}\n`;
}

function setupText({ ticks, noWindow, windows, marks, thresholdBps, cut, reason }: Setup): string {
  if (noWindow !== null) return `not useful: ${noWindow}`;
  if (thresholdBps === null) return `not useful: no window could be used (${reason ?? 'no reason given'})`;
  const [low, median, high] = thresholdBps.map(bps);
  const threshold = `${ticks} ticks; default threshold ${median} bps (${low} to ${high})`;
  if (cut === null) return `${threshold}; this version never marks at this horizon, it only gives probabilities`;
  const marked = `${marks} of ${windows} windows marked`;
  return `${threshold}; ${marked}, from a probability of ${bps(cut)}${reason === null ? '' : `; most frequent other reason for null: ${reason}`}`;
}
