import type { ForecastDetail } from '../../contract/forecastDetail.ts';

/** Probabilities of the ranges that the chart draws into the future. */
export const CONE_LEVELS = [0.5, 0.8, 0.9] as const;

/** A range that the price is in at the future time with the probability `level`. */
export type ChartRange = { readonly level: number; readonly low: number; readonly high: number };

/** The ranges of an answer that end within what the model knows, widest first. */
export const rangesOf = ({ range = [] }: Pick<ForecastDetail, 'range'>): ChartRange[] =>
  range
    .flatMap(({ level, low, high }) => (low === null || high === null ? [] : [{ level, low, high }]))
    .toSorted((a, b) => b.level - a.level);
