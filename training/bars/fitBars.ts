import { seededRandom } from '../../src/core/Random.ts';
import type { BarHead, BarLogistic, BarLogistics, BarModel } from '../../src/engine/model/BarModel.ts';
import { fitLogistic } from '../metrics/logistic.ts';
import type { BarRow } from './barRows.ts';

/** Periods and horizons with a head, seconds. */
export const BAR_CELLS = [
  [10, 60],
  [10, 300],
  [10, 1800],
  [60, 300],
  [60, 1800],
  [60, 7200],
  [300, 1800],
  [300, 7200],
] as const;
/** ln(theta / theta*) of the thresholds: a quarter to eight times. */
const LOG_THETA_RATIO = [Math.log(1 / 4), Math.log(8)] as const;
const KNOTS = [0.4, -0.4, -1] as const;
/** Thresholds of each origin next to theta*. */
const DRAWS = 3;
/** The variances have one weight in common, and what they differ by is pulled to 0. */
const L2 = 10;
/** By how much log-odds fall at least when the threshold is multiplied by e. */
const LEAST_SLOPE = 0.1;
/**
 * Not fitted: outcomes count as they do for ticks (`memory` of the base), so no left-out group has an influence on it. The profile of the clock is in
 * the moves.
 */
const MEMORY: BarModel['memory'] = { slope: 1, intercept: 0, weights: { cal: 0.5 } };

type Kind = 'baseline' | 'closes' | 'ranges';
type Sight = 'window' | 'history';

/** The heads of all cells, without their cuts. `rows`: of the training series. */
export function fitBars(rows: readonly BarRow[]): BarModel {
  const heads = BAR_CELLS.map(([periodS, horizonS]): BarHead => {
    const members = rows.filter(({ periodMs, horizonMs }) => periodMs === periodS * 1000 && horizonMs === horizonS * 1000);
    const questions = questionsOf(members);
    const of = (sight: Sight): BarLogistics => ({
      closes: fitLogisticOf(questions, sight, 'closes'),
      ranges: fitLogisticOf(questions, sight, 'ranges'),
    });
    const baseline = fitLogisticOf(questions, 'window', 'baseline');
    return { periodS, horizonS, baseline, window: of('window'), history: of('history'), cut: null };
  });
  return { logThetaRatio: LOG_THETA_RATIO, knots: KNOTS, heads, memory: MEMORY };
}

type Question = { readonly row: BarRow; readonly theta: number };

/** Each origin at theta* and at other thresholds. */
function questionsOf(rows: readonly BarRow[]): Question[] {
  const random = seededRandom(1);
  const [low, high] = LOG_THETA_RATIO;
  return rows.flatMap((row) => {
    const ratios = [0, ...Array.from({ length: DRAWS }, () => low + (high - low) * random.uniform())];
    return ratios.map((ratio) => ({ row, theta: row.theta * Math.exp(ratio) }));
  });
}

/** `history`: with the profile of the series where an earlier day is known, and as the window alone elsewhere. */
function fitLogisticOf(questions: readonly Question[], sight: Sight, kind: Kind): BarLogistic {
  const columns = ({ row, theta }: Question): number[] => {
    const { logMoves, level, ranges } = row[sight];
    const [fast, middle, slow] = logMoves.map((log) => log - Math.log(theta)) as [number, number, number];
    const mean = (fast + middle + slow) / 3;
    const own = kind === 'baseline' ? [] : [level, ...(kind === 'ranges' ? ranges! : [])];
    return [mean, fast - slow, middle - slow, ...KNOTS.map((knot) => Math.min(0, mean - knot)), ...own];
  };
  const width = 3 + KNOTS.length + { baseline: 0, closes: 1, ranges: 3 }[kind];
  const features = new Float64Array(questions.length * width);
  questions.forEach((question, at) => features.set(columns(question), at * width));
  const y = Uint8Array.from(questions, ({ row, theta }) => (Math.abs(row.move) > theta ? 1 : 0));
  const { intercept, weights } = fitLogistic(features, questions.length, width, y, { l2: L2 });
  const digits = (value: number): number => Number(value.toFixed(4));
  const [fast, middle] = [weights[1], weights[2]];
  const own = [...weights.subarray(3 + KNOTS.length)];
  // Few rows can say that the probability rises with the threshold.
  let slope = Math.max(LEAST_SLOPE, weights[0]);
  const common = slope / 3;
  const bends = [...weights.subarray(3, 3 + KNOTS.length)].map((bend) => {
    const before = slope;
    slope = Math.max(LEAST_SLOPE, before + bend);
    return digits(slope - before);
  });
  return {
    intercept: digits(intercept),
    moves: [common + fast, common + middle, common - fast - middle].map(digits),
    bends,
    level: digits(own[0] ?? 0),
    ranges: own.slice(1).map(digits),
  };
}
