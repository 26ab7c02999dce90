import { seededRandom } from '../../src/core/Random.ts';
import { US_PER_SECOND } from '../../src/core/units.ts';
import { clusterBootstrap, MIN_CLUSTERS } from '../metrics/clusterBootstrap.ts';
import { wilsonInterval } from '../metrics/decision.ts';
import type { ReplayedWindow } from './replayTicks.ts';

/** Cluster length: windows of one hour depend on each other. */
const CLUSTER_US = 3600 * US_PER_SECOND;
const SEED = 1;

export type Fraction = {
  readonly of: number;
  readonly count: number;
  readonly share: number;
  readonly interval90: readonly [number, number];
};

export type TrackRecord = {
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
  /** Mean squared errors of probabilities on the windows that have one; null without such windows. */
  readonly brier: {
    readonly windows: number;
    readonly model: number;
    /** The version's volatility baseline. */
    readonly baseline: number;
    /** The base rate of these windows, which is only known afterwards. */
    readonly baseRate: number;
    /** 1 − model / baseline, and its 95 % interval over hours; null for fewer than 30 hours, which are too few for a conclusion. */
    readonly skill: number;
    readonly skillInterval95: readonly [number, number] | null;
    readonly hours: number;
  } | null;
};

function share(count: number, of: number): Fraction {
  return { of, count, share: of === 0 ? NaN : count / of, interval90: wilsonInterval(count, of) };
}

function tally(names: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/**
 * Evaluates the answers of a replay: marks against the base rate, probabilities against those of the volatility baseline.
 *
 * @param isSeen whether the version was trained on the ticks of a window or of its outcome; such a window does not count
 */
export function trackRecord(windows: readonly ReplayedWindow[], isSeen: (window: ReplayedWindow) => boolean): TrackRecord {
  const whyNot = (window: ReplayedWindow): string | undefined =>
    typeof window.outcome === 'string' ? window.outcome : isSeen(window) ? 'trained_on' : undefined;
  const counted = windows.filter((window) => whyNot(window) === undefined);
  const marked = counted.filter(({ mark }) => mark === 1);
  const moved = (some: readonly ReplayedWindow[]): number => some.filter(({ outcome }) => outcome === 1).length;
  return {
    windows: windows.length,
    counted: counted.length,
    left: tally(windows.map(whyNot).filter((why) => why !== undefined)),
    marked: share(marked.length, counted.length),
    hits: share(moved(marked), marked.length),
    baseRate: share(moved(counted), counted.length),
    nulls: tally(counted.flatMap(({ reasons }) => reasons)),
    brier: brierOf(counted),
  };
}

function brierOf(counted: readonly ReplayedWindow[]): TrackRecord['brier'] {
  const scored = counted.filter(({ probability, baselineProbability }) => probability !== null && baselineProbability !== null);
  if (scored.length === 0) return null;
  const y = scored.map(({ outcome }) => Number(outcome));
  const rate = y.reduce((sum, label) => sum + label, 0) / y.length;
  const errors = (of: (window: ReplayedWindow) => number): number[] => scored.map((window, i) => (of(window) - y[i]!) ** 2);
  const model = errors(({ probability }) => probability!);
  const baseline = errors(({ baselineProbability }) => baselineProbability!);
  const clusters = Int32Array.from(scored, ({ timeUs }) => Math.floor(timeUs / CLUSTER_US));
  const sum = (values: readonly number[], weights?: Float64Array): number =>
    values.reduce((total, value, i) => total + value * (weights?.[i] ?? 1), 0);
  const {
    estimate,
    lower95,
    upper95,
    clusters: hours,
  } = clusterBootstrap(clusters, (weights) => 1 - sum(model, weights) / sum(baseline, weights), {
    random: seededRandom(SEED),
  });
  return {
    windows: scored.length,
    model: sum(model) / y.length,
    baseline: sum(baseline) / y.length,
    baseRate: rate * (1 - rate),
    skill: estimate,
    skillInterval95: hours < MIN_CLUSTERS ? null : [lower95, upper95],
    hours,
  };
}
