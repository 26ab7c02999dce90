import { UNKNOWN, type Predicate } from '../Predicate.ts';
import { nearExtreme } from './nearExtreme.ts';

/** Length of the sub-window in horizons. */
const HORIZONS = 5;

/** The last price is near the high or low of the last 5 H seconds; formula in `nearExtreme`. Unknown if the window is shorter than 10 H. */
export const recentExtremeNear: Predicate = {
  name: 'recent_extreme_near',
  about: 'The highest or lowest price of the last five horizons is within an expected move.',
  unit: 'expected moves',
  numbers: ['price'],
  evaluate(context) {
    const spanS = HORIZONS * context.measures.horizonS;
    return spanS < context.measures.windowS / 2 ? nearExtreme(context, spanS) : UNKNOWN;
  },
};
