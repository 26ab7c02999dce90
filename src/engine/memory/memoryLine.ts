import { MEMORY_INPUTS, type MemoryInputName, type MemoryReading } from './memoryInputs.ts';

/** Outcomes at which slope and intercept have half of their effect. */
const HALF_OUTCOMES = 10;

/**
 * How the memory of a series changes the log-odds of the base, for all horizons and thresholds. `slope` is above 0, and weights of shares are
 * at most `slope` together: only the base and the shares depend on the threshold, so the result never rises with it.
 */
export type MemoryLine = {
  readonly slope: number;
  readonly intercept: number;
  /** An input without a weight is not used. */
  readonly weights: Readonly<Partial<Record<MemoryInputName, number>>>;
};

/** Fraction of the effect of slope and intercept: a series without outcomes has the answer of the base. */
export const outcomeWeight = (compared: number): number => compared / (compared + HALF_OUTCOMES);

/** The memory's part of the log-odds; 0 without any known input. */
export function memoryPart({ slope, intercept, weights }: MemoryLine, { compared, inputs }: MemoryReading, base: number): number {
  let part = outcomeWeight(compared) * ((slope - 1) * base + intercept);
  for (const name of MEMORY_INPUTS) {
    const input = inputs[name];
    if ('value' in input) part += (weights[name] ?? 0) * input.value;
  }
  return part;
}
