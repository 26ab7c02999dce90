import { normalSize, normalTail } from './normal.ts';

/** Chances that the upper level, the lower one, or neither is reached first. They add up to 1. */
export type FirstReached = { readonly upper: number; readonly lower: number; readonly neither: number };

/** Series end where a term is smaller. */
const LEAST_TERM = 1e-12;
/** Distance of both levels, in standard deviations, from which the series of images is the shorter one. */
const FAR = 1.5;

/** Chance that a driftless price reaches a level at this distance, in standard deviations: as often as it ends beyond it on either side. */
const reached = (distance: number): number => 2 * normalTail(distance);

/**
 * Which of two levels a driftless price reaches first, if it reaches each with these chances: its standard deviation at the end is 1, and the
 * levels are where a price of this deviation reaches them so often. Sources of the two series: Feller, "An Introduction to Probability Theory
 * and Its Applications", vol. 2, X.5; Borodin and Salminen, "Handbook of Brownian Motion", 1.3.0.
 */
export function firstReached(upperChance: number, lowerChance: number): FirstReached {
  const [up, down] = [normalSize(upperChance), normalSize(lowerChance)];
  const width = up + down;
  if (width === 0) return { upper: 0.5, lower: 0.5, neither: 0 };
  const sum = width >= FAR ? byImages : byWaves;
  const upper = Math.min(upperChance, sum(up, width));
  const lower = Math.min(lowerChance, sum(down, width), 1 - upper);
  return { upper, lower, neither: 1 - upper - lower };
}

/** Reflections at both levels in turn. */
function byImages(distance: number, width: number): number {
  let sum = 0;
  for (let turn = 0; ; turn++) {
    const term = reached(distance + 2 * turn * width) - reached(2 * (turn + 1) * width - distance);
    sum += term;
    if (term < LEAST_TERM) return sum;
  }
}

/** The chance without an end, less what is still between the levels at the end. */
function byWaves(distance: number, width: number): number {
  const share = distance / width;
  let sum = 1 - share;
  for (let wave = 1; ; wave++) {
    const decay = Math.exp(-0.5 * (wave * (Math.PI / width)) ** 2);
    sum -= (2 / (Math.PI * wave)) * Math.sin(wave * Math.PI * share) * decay;
    if (decay < LEAST_TERM) return Math.max(0, sum);
  }
}

/** Chance that either of two levels is reached, each of which is with `chance`. */
export const eitherReached = (chance: number): number => 1 - firstReached(chance, chance).neither;

/** The chance of each of two levels, so that either is reached with the chance `either`, below 1. */
export function chanceOfEach(either: number): number {
  let [low, high] = [either / 2, either];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (eitherReached(middle) < either) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
