import { seededRandom } from '../../core/Random.ts';
import { US_PER_SECOND } from '../../core/units.ts';
import { clusterBootstrap, MIN_CLUSTERS } from './clusterBootstrap.ts';

/** Cluster length: windows of one hour depend on each other. */
const CLUSTER_US = 3600 * US_PER_SECOND;
const SEED = 1;

/** Two probabilities of one event. */
export type ComparedForecast = {
  /** Time of the last tick of the window. */
  readonly timeUs: number;
  readonly probability: number;
  readonly baselineProbability: number;
  readonly moved: boolean;
};

export type BrierSkill = {
  readonly windows: number;
  /** Mean squared errors. */
  readonly model: number;
  readonly baseline: number;
  /** Mean squared error of the base rate of these windows, which is only known afterwards. */
  readonly baseRate: number;
  /** 1 − model / baseline, and its 95 % interval over hours; null for fewer than 30 hours, which are too few for a conclusion. */
  readonly skill: number;
  readonly skillInterval95: readonly [number, number] | null;
  readonly hours: number;
};

/** Compares the Brier score of forecasts with that of a baseline (or of another version); null without forecasts. */
export function brierSkill(forecasts: readonly ComparedForecast[]): BrierSkill | null {
  if (forecasts.length === 0) return null;
  // Errors are summed by hour first, so that a draw costs as much as there are hours.
  const hours = new Map<number, { model: number; baseline: number }>();
  let moved = 0;
  for (const { timeUs, probability, baselineProbability, moved: happened } of forecasts) {
    const hour = Math.floor(timeUs / CLUSTER_US);
    const sums = hours.get(hour) ?? { model: 0, baseline: 0 };
    const y = happened ? 1 : 0;
    sums.model += (probability - y) ** 2;
    sums.baseline += (baselineProbability - y) ** 2;
    moved += y;
    hours.set(hour, sums);
  }
  const rows = [...hours.values()];
  const sum = (of: (row: (typeof rows)[number]) => number, weights?: Float64Array): number =>
    rows.reduce((total, row, i) => total + of(row) * (weights?.[i] ?? 1), 0);
  const { estimate, lower95, upper95, clusters } = clusterBootstrap(
    Int32Array.from(rows.keys()),
    (weights) => 1 - sum(({ model }) => model, weights) / sum(({ baseline }) => baseline, weights),
    { random: seededRandom(SEED) },
  );
  const rate = moved / forecasts.length;
  return {
    windows: forecasts.length,
    model: sum(({ model }) => model) / forecasts.length,
    baseline: sum(({ baseline }) => baseline) / forecasts.length,
    baseRate: rate * (1 - rate),
    skill: estimate,
    skillInterval95: clusters < MIN_CLUSTERS ? null : [lower95, upper95],
    hours: clusters,
  };
}
