import { fitLogistic, logisticLogits } from './logistic.ts';

/** calibrated logit = slope · logit + intercept. */
export type PlattScale = { readonly slope: number; readonly intercept: number };

const MIN_ROWS = 100;
const MIN_OF_EACH_CLASS = 20;
/** Least slope: a slope at or below 0 would reverse the order of the probabilities, so a useless head is flattened instead. */
const MIN_SLOPE = 0.05;
/** Prior of the slope: normal with mean 1 and variance 1. It has little weight against a few hundred rows. */
const SLOPE_L2 = 1;

/**
 * Slope and intercept that calibrate logits (Platt 1999), fitted by maximum likelihood with a weak prior of the slope around 1. The slope
 * is at least 0.05. With fewer than 100 rows, or 20 of a class, the result is 1 and 0.
 *
 * @param logits length n, finite, of rows that the model was not trained on
 */
export function fitPlatt(logits: Float64Array, y: Uint8Array): PlattScale {
  const n = logits.length;
  const positives = y.reduce((sum, label) => sum + label, 0);
  if (n < MIN_ROWS || Math.min(positives, n - positives) < MIN_OF_EACH_CLASS) return { slope: 1, intercept: 0 };
  // slope = 1 + weight, so that the penalty on the weight pulls the slope to 1.
  const free = fitLogistic(logits, n, 1, y, { l2: SLOPE_L2, offset: logits });
  const slope = 1 + free.weights[0]!;
  if (slope >= MIN_SLOPE) return { slope, intercept: free.intercept };
  const offset = logisticLogits({ intercept: 0, weights: Float64Array.of(MIN_SLOPE) }, logits, n);
  return { slope: MIN_SLOPE, intercept: fitLogistic(new Float64Array(0), n, 0, y, { offset }).intercept };
}
