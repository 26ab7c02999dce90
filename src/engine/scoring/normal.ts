/**
 * Probability that a standard normal number is above `x`, to 1.2e-7 of its value. Source: Press et al., "Numerical Recipes in C", 2nd edition,
 * 6.2, erfcc.
 */
export function normalTail(x: number): number {
  const z = Math.abs(x) / Math.SQRT2;
  const t = 1 / (1 + 0.5 * z);
  const sum = COEFFICIENTS.reduceRight((rest, coefficient) => coefficient + t * rest, 0);
  const tail = 0.5 * t * Math.exp(-z * z + sum);
  return x >= 0 ? tail : 1 - tail;
}

const COEFFICIENTS = [
  ...[-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806],
  ...[0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277],
];

/** The size that a standard normal number exceeds, up or down, with the probability `p`; 0 for 1. */
export function normalSize(p: number): number {
  let [low, high] = [0, MOST_SIZE];
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (2 * normalTail(middle) > p) low = middle;
    else high = middle;
  }
  return p >= 1 ? 0 : (low + high) / 2;
}

/** Beyond it, a probability is 0 as a double. */
const MOST_SIZE = 38;
const STEPS = 60;
