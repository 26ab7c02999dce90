import { ThresholdCurve } from '../../src/engine/forecast/thresholdCurve.ts';
import { logOdds, sigmoid } from '../../training/metrics/logistic.ts';
import type { LogitOf } from './figures.ts';
import type { ScoredRows } from './ScoredRows.ts';

export const LEVELS = [0.5, 0.8, 0.9] as const;
/** How far an outcome moves the logarithm of a range. */
export const STEP = 0.05;
const SLOPES = [0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.05, 1.2] as const;
const NEAR_SLOPES = [-0.1, -0.05, 0.05, 0.1] as const;

/** An origin with its curve; `size` and the ranges are in units of theta*. */
export type RangeOrigin = {
  readonly series: number;
  readonly group: string;
  readonly originUs: number;
  readonly horizonS: number;
  /** Move from entry to exit. */
  readonly move: number;
  readonly size: number;
  /** sigma(600) over the horizon. */
  readonly ewma: number;
  /** Log-odds of a move above theta*. */
  readonly logit: number;
  /** Log-odds at a threshold, as ln(theta / theta*). */
  readonly low: ThresholdCurve;
  readonly high: ThresholdCurve;
};

/** The thresholds of each origin; it begins with draw 0, that at theta*. `logit`: log-odds of a row. */
export function originsOf(rows: ScoredRows, logit: LogitOf): RangeOrigin[] {
  const starts = [...rows.of.keys()].filter((row) => rows.draw[row] === 0);
  return starts.map((start, at) => {
    const draws = Array.from({ length: (starts[at + 1] ?? rows.of.length) - start }, (_, i) => start + i);
    const theta = rows.theta[start]!;
    const ratio = (row: number): number => Math.log(rows.theta[row]! / theta);
    const curve = (side: number): ThresholdCurve => {
      // A threshold that was below the cost is the cost: several draws may have it.
      const seen = new Map(draws.map((row) => [ratio(row), row]));
      const outward = [...seen.values()].filter((row) => side * ratio(row) >= 0).sort((a, b) => side * (ratio(a) - ratio(b)));
      return new ThresholdCurve(outward.map(ratio), outward.map(logit));
    };
    const series = rows.of[start]!;
    return {
      ...{ series, group: rows.series[series]!.group, originUs: rows.originUs[start]!, horizonS: rows.horizonS[start]! },
      ...{ move: rows.move[start]! / theta, size: Math.abs(rows.move[start]!) / theta, logit: logit(start) },
      ewma: (rows.sigma[start]! * Math.sqrt(rows.horizonS[start]!)) / theta,
      ...{ low: curve(-1), high: curve(1) },
    };
  });
}

/** A range for each origin and each of LEVELS, NaN where there is none. */
export type Ranges = readonly Float64Array[];

/** Where the curve crosses 1 - level, within its thresholds. */
export const curveRanges = (origins: readonly RangeOrigin[]): Ranges =>
  LEVELS.map((level) =>
    Float64Array.from(origins, ({ low, high, logit }) => {
      const target = logOdds(1 - level);
      const crossing = (logit >= target ? high : low).crossing(target);
      return crossing === null ? NaN : Math.exp(crossing);
    }),
  );

/** c x unit^k by least pinball loss for each level and horizon, c and k from the other groups; `slopes`: the k to choose from. */
function fittedRanges(origins: readonly RangeOrigin[], logUnit: (of: RangeOrigin) => number, slopes: readonly number[]): Ranges {
  const cells = membersBy(origins, ({ group, horizonS }) => `${group} ${horizonS}`);
  return LEVELS.map((level) => {
    const ranges = new Float64Array(origins.length);
    for (const members of cells) {
      const { group, horizonS } = origins[members[0]!]!;
      const others = origins.filter((one) => one.group !== group && one.horizonS === horizonS);
      const { c, k } = fitScale(others.length === 0 ? origins : others, logUnit, slopes, level);
      for (const at of members) ranges[at] = c * Math.exp(k * logUnit(origins[at]!));
    }
    return ranges;
  });
}

/** For a given k, the best c is a weighted quantile. */
function fitScale(
  of: readonly RangeOrigin[],
  logUnit: (of: RangeOrigin) => number,
  slopes: readonly number[],
  level: number,
): { c: number; k: number } {
  let best = { c: NaN, k: NaN, loss: Infinity };
  const attempt = (k: number): void => {
    const units = Float64Array.from(of, (one) => Math.exp(k * logUnit(one)));
    const scaled = Float64Array.from(of, ({ size }, i) => (units[i]! > 0 ? size / units[i]! : Infinity));
    const order = Int32Array.from(of.keys()).sort((a, b) => scaled[a]! - scaled[b]!);
    let left = level * units.reduce((sum, unit) => sum + unit, 0);
    const c = scaled[order.find((i) => (left -= units[i]!) <= 0) ?? order.at(-1)!]!;
    const loss = of.reduce((sum, { size }, i) => sum + pinball(size, c * units[i]!, level), 0);
    if (loss < best.loss) best = { c, k, loss };
  };
  slopes.forEach(attempt);
  const { k } = best;
  if (slopes.length > 1) for (const near of NEAR_SLOPES) attempt(k + near);
  return best;
}

function membersBy(origins: readonly RangeOrigin[], keyOf: (of: RangeOrigin) => string): number[][] {
  const members = new Map<string, number[]>();
  origins.forEach((of, at) => {
    const list = members.get(keyOf(of));
    if (list === undefined) members.set(keyOf(of), [at]);
    else list.push(at);
  });
  return [...members.values()];
}

/** c x theta* x exp(k x log-odds). */
export const scaleRanges = (origins: readonly RangeOrigin[]): Ranges => fittedRanges(origins, ({ logit }) => logit, SLOPES);
/** c x sigma x sqrt(H). */
export const ewmaRanges = (origins: readonly RangeOrigin[]): Ranges => fittedRanges(origins, ({ ewma }) => Math.log(ewma), [1]);

/**
 * Each range times exp(l), where l of its series, horizon and level moves by step x (missed - (1 - level)) when an outcome is due. An outcome
 * that overlaps the last counted one does not count, and those after an origin are not used for it.
 */
export function corrected(origins: readonly RangeOrigin[], ranges: Ranges, step = STEP): Ranges {
  const made = ranges.map((of) => of.slice());
  for (const members of cellsOf(origins)) {
    members.sort((a, b) => origins[a]!.originUs - origins[b]!.originUs);
    LEVELS.forEach((level, column) => {
      let shift = 0;
      let open = -1;
      for (const at of members) {
        const isFree = open < 0 || origins[open]!.originUs + origins[open]!.horizonS * 1e6 <= origins[at]!.originUs;
        if (isFree && open >= 0) shift += step * ((origins[open]!.size > made[column]![open]! ? 1 : 0) - (1 - level));
        const range = ranges[column]![at]! * Math.exp(shift);
        made[column]![at] = range;
        if (isFree) open = Number.isNaN(range) ? -1 : at;
      }
    });
  }
  return made;
}

/** Origins of one series and horizon. */
export const cellsOf = (origins: readonly RangeOrigin[]): number[][] =>
  membersBy(origins, ({ series, horizonS }) => `${series} ${horizonS}`);

export const pinball = (size: number, range: number, level: number): number =>
  size > range ? level * (size - range) : (1 - level) * (range - size);

/** P(move > distance), distance in units of theta*, either sign; NaN beyond the thresholds of the curve. */
export function chanceAbove({ low, high }: RangeOrigin, distance: number): number {
  const logRatio = Math.log(Math.abs(distance));
  const beyond = sigmoid((logRatio < 0 ? low : high).at(logRatio)) / 2;
  return distance > 0 ? beyond : 1 - beyond;
}
