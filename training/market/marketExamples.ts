import { US_PER_MS, US_PER_SECOND } from '../../src/core/units.ts';
import type { HeadManifest } from '../../src/engine/model/ModelManifest.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { PredictedRows } from '../loop/predictRows.ts';
import type { ClockRows } from './clockRows.ts';

const DAY_US = 86_400 * US_PER_SECOND;
/** 1970-01-01 was a Thursday: days from a Monday to the first day of the epoch. */
const EPOCH_WEEKDAY = 3;

/** Weeks since 1969-12-29, a Monday. */
export const weekOf = (us: number): number => Math.floor((us / DAY_US + EPOCH_WEEKDAY) / 7);
/** ISO date of the first day of a week. */
export const mondayOf = (week: number): string => new Date(((week * 7 - EPOCH_WEEKDAY) * DAY_US) / US_PER_MS).toISOString().slice(0, 10);

/** Examples for the fit of one horizon bucket: a row at one threshold each. */
export type MarketExamples = {
  readonly count: number;
  /** Position of the row in the index of the predictions. */
  readonly at: Int32Array;
  readonly week: Int32Array;
  /** Log-odds of the base, calibrated. */
  readonly base: Float64Array;
  readonly clock: Float64Array;
  /** ln(usual move / theta). */
  readonly level: Float64Array;
  /** The same at the level of the day before the window; NaN where that is unknown. */
  readonly recent: Float64Array;
  readonly label: Uint8Array;
};

/** Median of theta* / sqrt(H) over the rows of each bucket, log price per sqrt(second): times sqrt(H), the fixed threshold of a usual window. */
export function usualThetas(rows: RowSet, heads: number): number[] {
  return Array.from({ length: heads }, (_, head) => {
    const found: number[] = [];
    for (let row = 0; row < rows.count; row++)
      if (rows.head[row] === head) found.push((rows.thetaDefault[row] as number) / Math.sqrt(rows.horizonS[row] as number));
    return found.sort((a, b) => a - b)[found.length >> 1] ?? NaN;
  });
}

/** The examples of a bucket: rows at theta* (`usual` null), or at the fixed threshold `usual` sqrt(H). Rows without a clock are left out. */
export function marketExamples(
  rows: RowSet,
  predicted: PredictedRows,
  { clock, usualMove, recentMove }: ClockRows,
  parent: HeadManifest,
  head: number,
  usual: number | null,
): MarketExamples {
  const { index } = predicted;
  const at = Int32Array.from(index.keys()).filter((i) => rows.head[index[i] as number] === head && Number.isFinite(clock[i] as number));
  const rowOf = (i: number): number => index[i] as number;
  const thetaOf = (row: number): number =>
    usual === null ? (rows.thetaDefault[row] as number) : usual * Math.sqrt(rows.horizonS[row] as number);
  return {
    count: at.length,
    at,
    week: at.map((i) => weekOf(rows.originUs[rowOf(i)] as number)),
    base: Float64Array.from(at, (i) => baseLogit(rows, predicted, i, parent, thetaOf(rowOf(i)))),
    clock: Float64Array.from(at, (i) => clock[i] as number),
    level: Float64Array.from(at, (i) => (usualMove[i] as number) - Math.log(thetaOf(rowOf(i)))),
    recent: Float64Array.from(at, (i) => (recentMove[i] as number) - Math.log(thetaOf(rowOf(i)))),
    label: Uint8Array.from(at, (i) => (Math.abs(rows.move[rowOf(i)] as number) > thetaOf(rowOf(i)) ? 1 : 0)),
  };
}

/**
 * Calibrated log-odds of the base at any threshold: linear in ln(theta) between the thresholds of the row. Outside of them, the baseline
 * continues linearly, and the residual of the network is that of the last threshold.
 */
export function baseLogit(
  rows: RowSet,
  { index, draws, baseline, residual }: PredictedRows,
  at: number,
  { calibration }: HeadManifest,
  theta: number,
): number {
  const row = index[at] as number;
  const wanted = Math.log(theta);
  const logTheta = (draw: number): number => Math.log(rows.theta[row * rows.draws + draw]!);
  let [below, above] = [-1, -1];
  let [lowest, highest] = [0, 0];
  for (let draw = 0; draw < draws; draw++) {
    const of = logTheta(draw);
    if (of <= wanted && (below < 0 || of > logTheta(below))) below = draw;
    if (of >= wanted && (above < 0 || of < logTheta(above))) above = draw;
    if (of < logTheta(lowest)) lowest = draw;
    if (of > logTheta(highest)) highest = draw;
  }
  const between = (values: Float32Array, low: number, high: number): number => {
    const [from, to] = [values[at * draws + low]!, values[at * draws + high]!];
    const span = logTheta(high) - logTheta(low);
    return span > 0 ? from + ((to - from) * (wanted - logTheta(low))) / span : from;
  };
  const isInside = below >= 0 && above >= 0;
  const nearest = below >= 0 ? below : above;
  const logit = isInside
    ? between(baseline, below, above) + between(residual, below, above)
    : between(baseline, lowest, highest) + residual[at * draws + nearest]!;
  return calibration.slope * logit + calibration.intercept;
}

export function joinExamples(parts: readonly MarketExamples[]): MarketExamples {
  const doubles = (pick: (part: MarketExamples) => Float64Array): Float64Array =>
    Float64Array.from(parts.flatMap((part) => [...pick(part)]));
  const wholes = (pick: (part: MarketExamples) => Int32Array): Int32Array => Int32Array.from(parts.flatMap((part) => [...pick(part)]));
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    at: wholes(({ at }) => at),
    week: wholes(({ week }) => week),
    base: doubles(({ base }) => base),
    clock: doubles(({ clock }) => clock),
    level: doubles(({ level }) => level),
    recent: doubles(({ recent }) => recent),
    label: Uint8Array.from(parts.flatMap(({ label }) => [...label])),
  };
}
