import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import type { Cone } from './Scene.ts';

/** Probabilities of the ranges that the chart draws into the future. */
export const CONE_LEVELS = [0.5, 0.8, 0.9] as const;

/** The ranges of an answer that end within what the model knows, widest first. */
export const conesOf = (
  range: NonNullable<ForecastDetail['range']>,
  { fromMs, toMs, price }: Pick<Cone, 'fromMs' | 'toMs' | 'price'>,
): Cone[] =>
  range
    .flatMap(({ level, low, high }) => (low === null || high === null ? [] : [{ level, fromMs, toMs, price, low, high, isHeld: null }]))
    .toSorted((a, b) => b.level - a.level);
