import { wilsonInterval } from './wilsonInterval.ts';

/**
 * Wilson interval of the fraction of outcomes of which some share a part of their horizons: they count as outcomes / mean overlap. `overlapSum`: sum over
 * the outcomes of the number that are one piece of evidence, this one included; below `of`: unknown for some, which count as one.
 */
export function overlapInterval(count: number, of: number, overlapSum: number, z?: number): [number, number] {
  const perOutcome = of === 0 ? 0 : of / Math.max(of, overlapSum);
  return wilsonInterval(count * perOutcome, of * perOutcome, z);
}
