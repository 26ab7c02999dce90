import { checkSchema, object } from '../../core/checkSchema.ts';
import type { BarMeasures } from '../features/measureBars.ts';
import { type MemoryLine, readMemoryLine } from '../memory/memoryLine.ts';

export const BARS_FORMAT = 'tickmark-bars/1';

/**
 * A logistic of z_k = ln(expected move by the k-th variance / theta). Their mean z bends the curve: below a knot, the log-odds fall faster or
 * slower.
 */
export type BarLogistic = {
  readonly intercept: number;
  /** Of the three variances. */
  readonly moves: readonly number[];
  /** Of min(0, z - knot). */
  readonly bends: readonly number[];
  /** Of `level`. */
  readonly level: number;
  /** Of the last true ranges; empty for closes alone. */
  readonly ranges: readonly number[];
};

/** What a logistic reads of a window. */
export type BarInputs = Pick<BarMeasures, 'logMoves' | 'ranges' | 'level'>;

export type BarLogistics = {
  /** Of closes alone. */
  readonly closes: BarLogistic;
  /** With highs and lows. */
  readonly ranges: BarLogistic;
};

/** One period and horizon. */
export type BarHead = {
  readonly periodS: number;
  readonly horizonS: number;
  /** Three variances and nothing else: what the others are compared with. */
  readonly baseline: BarLogistic;
  /** For windows alone. */
  readonly window: BarLogistics;
  /** For series whose profile of the clock is known: their moves are divided by it. */
  readonly history: BarLogistics;
  /** Smallest probability that is marked; null: none met the precision rule, so the head abstains. */
  readonly cut: number | null;
};

/** Forecasts from bars. */
export type BarModel = {
  /** ln(theta / theta*) of the training rows. */
  readonly logThetaRatio: readonly [number, number];
  /** Of z, descending. */
  readonly knots: readonly number[];
  readonly heads: readonly BarHead[];
  /** What the memory of the series adds besides the profile of the clock. */
  readonly memory: MemoryLine;
};

/** Periods and horizons with heads. */
export const BAR_PERIODS_MS = [10_000, 300_000] as const;
export const LEAST_BAR_PERIODS = 5;
export const MOST_BAR_HORIZON_MS = 7_200_000;

const number = { type: 'number', minimum: -100, maximum: 100 } as const;
const list = (most: number) => ({ type: 'array', items: number, minItems: 0, maxItems: most }) as const;
const LOGISTIC = object({ intercept: number, moves: { ...list(3), minItems: 3 }, bends: list(8), level: number, ranges: list(2) });
const LOGISTICS = object({ closes: LOGISTIC, ranges: LOGISTIC });
const positive = { type: 'number', minimum: 1, maximum: 1e5 } as const;
const SCHEMA = object({
  format: { const: BARS_FORMAT },
  logThetaRatio: { ...list(2), minItems: 2 },
  knots: list(8),
  heads: {
    type: 'array',
    minItems: 1,
    maxItems: 64,
    items: object({
      ...{ periodS: positive, horizonS: positive, baseline: LOGISTIC, window: LOGISTICS, history: LOGISTICS },
      cut: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    }),
  },
  memory: { type: 'object', properties: {}, required: [], additionalProperties: true },
});

/** `userDefinedMetadata.bars` of `model.json`, or why this program cannot use it. */
export function readBarModel(value: unknown): BarModel | { readonly fault: string } {
  const broken = checkSchema(SCHEMA, value);
  if (broken !== null) return { fault: `${broken.path} ${broken.message}` };
  const { logThetaRatio, knots, heads, memory } = value as BarModel;
  if (!(logThetaRatio[0] < 0 && logThetaRatio[1] > 0)) return { fault: '/logThetaRatio does not contain 0' };
  for (const [at, { baseline, window, history }] of heads.entries()) {
    const faults = [window, history].flatMap(({ closes, ranges }) => [faultOf(closes, knots, 0), faultOf(ranges, knots, 2)]);
    const fault = [faultOf(baseline, knots, 0), ...faults].find((one) => one !== null);
    if (fault !== undefined) return { fault: `/heads/${at} ${fault}` };
  }
  const line = readMemoryLine(memory);
  if ('fault' in line) return { fault: `/memory${line.fault}` };
  return { logThetaRatio, knots, heads, memory: line };
}

function faultOf({ moves, bends, ranges }: BarLogistic, knots: readonly number[], columns: number): string | null {
  if (bends.length !== knots.length || ranges.length !== columns) return 'has a wrong number of weights';
  let slope = moves.reduce((sum, weight) => sum + weight, 0);
  const slopes = [slope, ...bends.map((bend) => (slope += bend))];
  // Otherwise the probability could rise with the threshold.
  return slopes.every((one) => one > 0) ? null : 'has a slope that is not above 0';
}

/** The logistic for what is known. */
export const barLogisticOf = ({ window, history }: BarHead, hasHistory: boolean, { ranges }: BarInputs): BarLogistic =>
  (hasHistory ? history : window)[ranges === null ? 'closes' : 'ranges'];

/** The head of the nearest period, and of its horizons the nearest one. */
export function barHeadOf({ heads }: BarModel, periodMs: number, horizonMs: number): BarHead {
  const distance = (a: number, b: number): number => Math.abs(Math.log(a / b));
  const nearest = (some: readonly BarHead[], of: (head: BarHead) => number): BarHead =>
    some.reduce((best, head) => (of(head) < of(best) ? head : best));
  const { periodS } = nearest(heads, (head) => distance(head.periodS * 1000, periodMs));
  return nearest(
    heads.filter((head) => head.periodS === periodS),
    (head) => distance(head.horizonS * 1000, horizonMs),
  );
}

/** 5m/30m. */
export function barHeadName({ periodS, horizonS }: Pick<BarHead, 'periodS' | 'horizonS'>): string {
  const text = (seconds: number): string =>
    seconds % 3600 === 0 ? `${seconds / 3600}h` : seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
  return `${text(periodS)}/${text(horizonS)}`;
}

/** Log-odds of a move above theta. Falls with theta. */
export function barLogit(
  { intercept, moves, bends, level, ranges }: BarLogistic,
  knots: readonly number[],
  measures: BarInputs,
  theta: number,
): number {
  const logTheta = Math.log(theta);
  let logit = intercept + level * measures.level;
  let mean = 0;
  for (let k = 0; k < moves.length; k++) {
    const z = measures.logMoves[k] - logTheta;
    mean += z / moves.length;
    logit += moves[k] * z;
  }
  for (let j = 0; j < bends.length; j++) logit += bends[j] * Math.min(0, mean - knots[j]);
  if (measures.ranges !== null) for (let k = 0; k < ranges.length; k++) logit += ranges[k] * measures.ranges[k];
  return logit;
}
