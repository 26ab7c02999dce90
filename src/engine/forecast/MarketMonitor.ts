import { US_PER_SECOND } from '../../core/units.ts';
import type { WindowMeasures } from '../features/WindowMeasures.ts';
import type { ServedModel } from '../model/ModelManifest.ts';
import { FEWEST_FORECASTS, RECENT_FORECASTS } from './InputMonitor.ts';

const SECONDS_PER_DAY = 86_400;
const HOURS = 24;
/** An hour of the day with fewer forecasts says nothing about the profile. */
const LEAST_OF_HOUR = 20;

export type MarketDrift = {
  /** Mean of ln(volatility of a window / that which the profile and its level expect); 0: as in training. */
  readonly level: number;
  /** Standard deviation over hours of the day of that mean; null: forecasts of fewer than two hours. */
  readonly profile: number | null;
};

/** Measures how far the recent windows of each served version with a market are from its profile. Reloading a version resets it. */
export class MarketMonitor {
  readonly #recent = new WeakMap<ServedModel, { readonly hours: Uint8Array; readonly drifts: Float32Array; count: number }>();

  /** `originUs`: the last tick of the window, microseconds. Skips windows in hours in which the market was closed. */
  add(model: ServedModel, originUs: number, { windowS, sigmas }: Pick<WindowMeasures, 'windowS' | 'sigmas'>): void {
    const drift = model.market?.driftAt(originUs, windowS, sigmas[2]) ?? NaN;
    if (!Number.isFinite(drift)) return;
    let recent = this.#recent.get(model);
    if (recent === undefined) {
      recent = { hours: new Uint8Array(RECENT_FORECASTS), drifts: new Float32Array(RECENT_FORECASTS), count: 0 };
      this.#recent.set(model, recent);
    }
    const at = recent.count++ % RECENT_FORECASTS;
    recent.hours[at] = Math.floor(((originUs / US_PER_SECOND) % SECONDS_PER_DAY) / 3600);
    recent.drifts[at] = drift;
  }

  /** Null without a market, or with too few forecasts. */
  read(model: ServedModel): MarketDrift | null {
    const recent = this.#recent.get(model);
    const count = Math.min(recent?.count ?? 0, RECENT_FORECASTS);
    if (recent === undefined || count < FEWEST_FORECASTS) return null;
    const sums = new Float64Array(HOURS);
    const counts = new Float64Array(HOURS);
    for (let i = 0; i < count; i++) {
      sums[recent.hours[i]!]! += recent.drifts[i]!;
      counts[recent.hours[i]!]! += 1;
    }
    const means = [...sums].map((sum, hour) => sum / counts[hour]!).filter((_, hour) => counts[hour]! >= LEAST_OF_HOUR);
    const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
    const variance = means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (means.length - 1);
    return { level: sums.reduce((sum, value) => sum + value, 0) / count, profile: means.length < 2 ? null : Math.sqrt(variance) };
  }
}
