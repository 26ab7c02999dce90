import { seededRandom } from '../../core/Random.ts';
import { US_PER_MS, US_PER_SECOND } from '../../core/units.ts';
import { clusterBootstrap, MIN_CLUSTERS, MIN_DAYS } from './clusterBootstrap.ts';
import { seriesBaselines } from './SeriesBaselines.ts';
import { intervalText, type Rival, strongestOf, type Concluded, concludedOf, concludedSentence } from './conclusions.ts';

/** Windows of one hour depend on each other, and those of a day less so. */
const HOUR_US = 3600 * US_PER_SECOND;
const DAY_US = 24 * HOUR_US;
const SEED = 1;

/** Two probabilities of one event. */
export type ComparedForecast = {
  /** Time of the last tick of the window. */
  readonly timeUs: number;
  readonly probability: number;
  readonly rivalProbability: number;
  readonly moved: boolean;
};

export type BrierSkill = {
  readonly windows: number;
  /** Mean squared errors. */
  readonly model: number;
  readonly rival: number;
  /** 1 − model / rival, and its 95 % interval over days, or over hours for fewer than 10 days; null for fewer than 30 hours, which are too few for a conclusion. */
  readonly skill: number;
  readonly skillInterval95: readonly [number, number] | null;
  readonly clusters: number;
  readonly by: 'day' | 'hour';
};

/** Compares the Brier score of forecasts with that of a baseline (or of another version); null without forecasts. */
export function brierSkill(forecasts: readonly ComparedForecast[]): BrierSkill | null {
  if (forecasts.length === 0) return null;
  const days = new Set(forecasts.map(({ timeUs }) => Math.floor(timeUs / DAY_US))).size;
  const by = days >= MIN_DAYS ? 'day' : 'hour';
  // Errors are summed by cluster first, so that a draw costs as much as there are clusters.
  const sums = new Map<number, { model: number; rival: number }>();
  for (const { timeUs, probability, rivalProbability, moved } of forecasts) {
    const cluster = Math.floor(timeUs / (by === 'day' ? DAY_US : HOUR_US));
    const sum = sums.get(cluster) ?? { model: 0, rival: 0 };
    const y = moved ? 1 : 0;
    sum.model += (probability - y) ** 2;
    sum.rival += (rivalProbability - y) ** 2;
    sums.set(cluster, sum);
  }
  const rows = [...sums.values()];
  const sumOf = (name: 'model' | 'rival', weights?: Float64Array): number =>
    rows.reduce((total, row, i) => total + row[name] * (weights?.[i] ?? 1), 0);
  const { estimate, lower95, upper95, clusters } = clusterBootstrap(
    Int32Array.from(rows.keys()),
    (weights) => 1 - sumOf('model', weights) / sumOf('rival', weights),
    { random: seededRandom(SEED) },
  );
  return {
    windows: forecasts.length,
    model: sumOf('model') / forecasts.length,
    rival: sumOf('rival') / forecasts.length,
    skill: estimate,
    skillInterval95: by === 'hour' && clusters < MIN_CLUSTERS ? null : [lower95, upper95],
    clusters,
    by,
  };
}

/** One forecast of a series, in order of time. */
export type SeriesForecast = {
  readonly timeUs: number;
  readonly probability: number | null;
  /** By the volatility baseline of the version. */
  readonly baselineProbability: number | null;
  /** Null: not known. */
  readonly moved: boolean | null;
  /** Default true; false: it teaches the baselines only. */
  readonly counts?: boolean;
};

/** Against what needs no network and has learned from the same outcomes. The conclusion refers to the better of both. */
export type SeriesSkill = Readonly<Record<Rival, BrierSkill>> & { readonly rival: Rival; readonly conclusion: Concluded };

/** Null: no forecast with an outcome counts. */
export function seriesSkill(forecasts: readonly SeriesForecast[], horizonUs: number): SeriesSkill | null {
  const asked = forecasts.flatMap((one) => (one.baselineProbability === null ? [] : [{ ...one, version: one.baselineProbability }]));
  const found = seriesBaselines(
    asked.map(({ timeUs, version, moved }) => ({ atMs: timeUs / US_PER_MS, endMs: (timeUs + horizonUs) / US_PER_MS, version, moved })),
  );
  const skillOver = (of: 'baseline' | 'baseRate'): BrierSkill | null =>
    brierSkill(
      asked.flatMap(({ timeUs, probability, moved, counts = true }, at) =>
        !counts || probability === null || moved === null ? [] : [{ timeUs, probability, moved, rivalProbability: found[at][of] }],
      ),
    );
  const [baseline, baseRate] = [skillOver('baseline'), skillOver('baseRate')];
  if (baseline === null || baseRate === null) return null;
  const both = { baseline, base_rate: baseRate };
  const rival = strongestOf<BrierSkill>(both, ({ skill }) => skill)!;
  return { ...both, rival, conclusion: concludedOf(both[rival].skillInterval95) };
}

/** What a series says of its probabilities, in a sentence. */
export const skillSentence = (found: SeriesSkill): string =>
  concludedSentence(found.conclusion, found.rival, `Brier skill ${skillText(found[found.rival])}`);

/** The skill with its interval. */
export const skillText = ({ skill, skillInterval95, clusters, by }: BrierSkill): string =>
  skillInterval95 === null
    ? `${intervalText(skill, null, 95)}, ${clusters} of ${MIN_CLUSTERS} hours`
    : `${intervalText(skill, skillInterval95, 95)} by ${by}`;
