import type { Random } from '../../core/Random.ts';

/** A figure of the rows under row weights (multiplicities). `weights` is reused: do not keep a reference. */
export type WeightedStatistic = (weights: Float64Array) => number;

export type BootstrapOptions = {
  /** Default 400. */
  readonly draws?: number;
  readonly random: Random;
};

export type Interval = {
  /** The statistic on the original rows. */
  readonly estimate: number;
  /** One-sided: the 10 % quantile of the draws. */
  readonly lower90OneSided: number;
  /** Two-sided: the 2.5 % and 97.5 % quantiles. */
  readonly lower95: number;
  readonly upper95: number;
  /** Standard deviation of the draws. */
  readonly se: number;
  /** Number of distinct clusters. Below 30, the interval is too narrow for a decision. */
  readonly clusters: number;
};

/** Fewest clusters for a decision (docs/explanation/evaluation.md, "The promotion gate"). */
export const MIN_CLUSTERS = 30;
/** Fewest days for an interval by day. */
export const MIN_DAYS = 10;

const DEFAULT_DRAWS = 400;

/**
 * Interval of a statistic of rows that depend on each other within a cluster: whole clusters are drawn with replacement; percentile
 * intervals (Efron & Tibshirani 1993, ch. 13; Cameron, Gelbach & Miller 2008). A paired difference is one statistic that subtracts.
 *
 * @param clusters cluster id of each row
 */
export function clusterBootstrap(clusters: Int32Array, statistic: WeightedStatistic, options: BootstrapOptions): Interval {
  return clusterBootstrapAll(clusters, (weights) => ({ statistic: statistic(weights) }), options).statistic;
}

/**
 * The same for several statistics on the same draws; without draws, the estimates alone. Draws in which a statistic is not finite (a class is
 * missing) are excluded from its interval; if more than half are excluded, the interval is NaN.
 */
export function clusterBootstrapAll<Name extends string>(
  clusters: Int32Array,
  statistics: (weights: Float64Array) => Readonly<Record<Name, number>>,
  { draws = DEFAULT_DRAWS, random }: BootstrapOptions,
): Record<Name, Interval> {
  const { dense, count } = denseIds(clusters);
  const weights = new Float64Array(clusters.length).fill(1);
  const estimates = statistics(weights);
  const names = Object.keys(estimates) as Name[];
  const values = names.map(() => [] as number[]);
  const multiplicity = new Float64Array(count);
  for (let draw = 0; draw < draws && count > 0; draw++) {
    multiplicity.fill(0);
    for (let i = 0; i < count; i++) multiplicity[random.integer(count)]++;
    for (let row = 0; row < weights.length; row++) weights[row] = multiplicity[dense[row]];
    const drawn = statistics(weights);
    names.forEach((name, s) => {
      if (Number.isFinite(drawn[name])) values[s].push(drawn[name]);
    });
  }
  const intervals = names.map((name, s) => [name, intervalOf(estimates[name], Float64Array.from(values[s]).sort(), draws, count)] as const);
  return Object.fromEntries(intervals) as Record<Name, Interval>;
}

function intervalOf(estimate: number, sorted: Float64Array, draws: number, clusters: number): Interval {
  if (sorted.length < 2 || sorted.length < draws / 2) {
    return { estimate, lower90OneSided: NaN, lower95: NaN, upper95: NaN, se: NaN, clusters };
  }
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  const squares = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    estimate,
    lower90OneSided: quantile(sorted, 0.1),
    lower95: quantile(sorted, 0.025),
    upper95: quantile(sorted, 0.975),
    se: Math.sqrt(squares / (sorted.length - 1)),
    clusters,
  };
}

/** Linear quantile of ascending values (type 7 of Hyndman & Fan); NaN of no values. */
function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

/** Ids renumbered 0, 1, … in order of first row. */
function denseIds(ids: Int32Array): { dense: Int32Array; count: number } {
  const numbers = new Map<number, number>();
  const dense = ids.map((id) => {
    let number = numbers.get(id);
    if (number === undefined) numbers.set(id, (number = numbers.size));
    return number;
  });
  return { dense, count: numbers.size };
}
