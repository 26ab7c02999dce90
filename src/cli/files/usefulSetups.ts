import { usesMemory } from '../../engine/forecast/memoryAt.ts';
import { replayTicks } from '../../engine/forecast/replayTicks.ts';
import { formatDuration } from '../parseOptions.ts';
import { bucketOf } from '../../engine/features/horizonBuckets.ts';
import { US_PER_SECOND } from '../../core/units.ts';
import type { Forecaster } from '../../engine/forecast/Forecaster.ts';
import type { ServedModel } from '../../engine/model/ModelManifest.ts';
import { suitableBarsOfFile, suitableTicksOfFile } from '../../engine/model/suitableTicks.ts';
import {
  clearingHorizonsS,
  SETUP_HORIZONS_S,
  SETUP_WINDOWS,
  setupOf,
  setupOrigins,
  setupWindow,
  type Setup,
} from '../../engine/scoring/usefulSetup.ts';
import { wilsonInterval } from '../../engine/scoring/wilsonInterval.ts';
import { barHeadOf } from '../../engine/model/BarModel.ts';
import type { BarWindow } from '../../ticks/BarWindow.ts';
import type { TickFile } from '../../ticks/import/streamTickFile.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';

type Version = Pick<ServedModel, 'id' | 'manifest' | 'bars' | 'memory'>;
type Planned = Pick<Setup, 'horizonS' | 'ticks' | 'noWindow' | 'cut'>;

/** Forecasts evenly spread windows of a file at each horizon. Throws the errors of a forecast. */
export async function usefulSetups(
  forecaster: Pick<Forecaster, 'forecast'>,
  version: Version,
  { series, bars }: Pick<TickFile, 'series' | 'bars'>,
): Promise<Setup[]> {
  const setups: Setup[] = [];
  const plans = bars === undefined ? tickPlans(version, series) : barPlans(version, series, bars);
  for (const planned of plans) {
    const { horizonS, ticks } = planned;
    const origins = ticks === null ? new Int32Array() : setupOrigins(series.timesUs, ticks);
    const options = {
      ...{
        ticks: ticks ?? 0,
        horizonUs: horizonS * US_PER_SECOND,
        everyUs: (horizonS + 1) * US_PER_SECOND,
        options: { model: version.id },
      },
      bars,
    };
    const windows = [];
    for await (const { mark, ...rest } of replayTicks(forecaster, series, options, origins))
      windows.push({ ...rest, isMarked: mark === 1 });
    setups.push(setupOf(planned, windows));
  }
  return setups;
}

function tickPlans(version: Version, { timesUs }: TickSeries): Planned[] {
  const { manifest } = version;
  return SETUP_HORIZONS_S.map((horizonS) => {
    const suited = suitableTicksOfFile(manifest, horizonS, timesUs.length, usesMemory(version));
    const window = setupWindow(timesUs, horizonS, manifest.trained.horizonToWindow[1], suited);
    return { horizonS, ...window, cut: manifest.heads[bucketOf(horizonS)].cut };
  });
}

/** The horizons of the heads for the nearest period; none of a version that cannot read bars. */
function barPlans({ bars: model }: Version, { timesUs }: TickSeries, { periodMs }: BarWindow): Planned[] {
  if (model === undefined) return [];
  const { periodS } = barHeadOf(model, periodMs, 0);
  const heads = model.heads.filter((head) => head.periodS === periodS);
  return heads.map(({ horizonS, cut }) => ({ horizonS, cut, ticks: suitableBarsOfFile(timesUs.length), noWindow: null }));
}

const bps = (value: number): string => String(Number(value.toPrecision(3)));

/** A line for each horizon, and what to do. `spreadBps`: of bid and ask; undefined for a file without. */
export function setupsText(
  version: string,
  setups: readonly Setup[],
  seen: boolean,
  spreadBps?: number,
  unit: 'tick' | 'bar' = 'tick',
): string {
  const lines = setups.map((setup) => `  ${formatDuration(setup.horizonS * US_PER_SECOND).padEnd(4)} ${setupText(setup, unit)}`);
  const ends = [
    ...(spreadBps === undefined ? [] : [costText(setups, spreadBps)]),
    ...(seen ? [`${version} was trained on ticks of this file: on other ticks its forecasts are less good.`] : []),
  ];
  return `${[`Set-ups for this file with ${version}, from ${SETUP_WINDOWS} windows or fewer at each horizon:`, ...lines, ...ends].join('\n')}\n`;
}

function costText(setups: readonly Setup[], spreadBps: number): string {
  const clear = clearingHorizonsS(setups, spreadBps);
  const names = clear.map((horizonS) => formatDuration(horizonS * US_PER_SECOND)).join(', ');
  return `Spread: ${bps(spreadBps)} bps. ${clear.length === 0 ? 'At none of these horizons does the median move exceed it' : `The median move exceeds it at ${names}`}; --min-move-bps cost asks for a move beyond it.`;
}

function setupText(
  { ticks, noWindow, windows, marks, thresholdBps, cut, reason, medianMoveBps, hits, scored }: Setup,
  unit: 'tick' | 'bar',
): string {
  if (noWindow !== null) return `not useful: ${noWindow}`;
  if (thresholdBps === null) return `not useful: no window could be used (${reason ?? 'no reason given'})`;
  const [low, median, high] = thresholdBps.map(bps);
  const moved = medianMoveBps === null ? '' : `; median move ${bps(medianMoveBps)} bps`;
  const threshold = `${ticks} ${unit}s; default threshold ${median} bps (${low} to ${high})${moved}`;
  if (cut === null) return `${threshold}; this version never marks at this horizon, it only gives probabilities`;
  const [least, most] = wilsonInterval(hits, scored).map((share) => Math.round(100 * share));
  const came = scored === 0 ? '' : `, ${hits} of ${scored} came true (90 % interval ${least} to ${most} %)`;
  const marked = `${marks} of ${windows} windows marked${came}`;
  return `${threshold}; ${marked}, from a probability of ${bps(cut)}${reason === null ? '' : `; most frequent other reason for null: ${reason}`}`;
}
