/** Standard normal quantile of 0.95: two sides of 90 %. */
const Z_95 = 1.6448536269514722;

/** Two-sided interval of a fraction by Wilson's score (Wilson 1927), 90 % unless `z` says otherwise; [0, 1] without trials. */
export function wilsonInterval(successes: number, trials: number, z = Z_95): [number, number] {
  if (trials === 0) return [0, 1];
  const fraction = successes / trials;
  const z2 = z * z;
  const spread = z * Math.sqrt((fraction * (1 - fraction)) / trials + z2 / (4 * trials * trials));
  const scale = 1 + z2 / trials;
  return [Math.max(0, (fraction + z2 / (2 * trials) - spread) / scale), Math.min(1, (fraction + z2 / (2 * trials) + spread) / scale)];
}

/**
 * Wilson interval of the fraction of outcomes of which some share a part of their horizons: they count as outcomes / mean overlap. `overlapSum`: sum over
 * the outcomes of the number that are one piece of evidence, this one included; below `of`: unknown for some, which count as one.
 */
export function overlapInterval(count: number, of: number, overlapSum: number, z?: number): [number, number] {
  const perOutcome = of === 0 ? 0 : of / Math.max(of, overlapSum);
  return wilsonInterval(count * perOutcome, of * perOutcome, z);
}
