import { checkSchema, object } from '../../core/checkSchema.ts';
import { MEMORY_INPUTS, type MemoryInput, type MemoryInputName, type MemoryQuestion, type MemoryReading } from './memoryInputs.ts';
import { learnedPart } from '../scoring/LearnedWeights.ts';
import { sigmoid } from '../scoring/logOdds.ts';
import type { Answered } from './Outcomes.ts';
import { ownInputs, type OwnQuestion, type OwnWeights } from './OwnWeights.ts';

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

export const MEMORY_FORMAT = 'tickmark-memory/1';
const weight = { type: 'number', minimum: 0, maximum: 10 } as const;
const SHARES = ['share_30', 'share_100', 'share_400'] as const satisfies readonly MemoryInputName[];

/** `userDefinedMetadata.memory` in the `model.json` of a version, where earlier programs leave it alone. */
const SCHEMA = object({
  format: { const: MEMORY_FORMAT },
  slope: { type: 'number', minimum: 0.1, maximum: 10 },
  intercept: { type: 'number', minimum: -10, maximum: 10 },
  weights: object({}, Object.fromEntries(MEMORY_INPUTS.map((name) => [name, weight]))),
});

/** The line in a parsed file, or why this program cannot use it. */
export function readMemoryLine(value: unknown): MemoryLine | { readonly fault: string } {
  const broken = checkSchema(SCHEMA, value);
  if (broken !== null) return { fault: `${broken.path} ${broken.message}` };
  const { slope, intercept, weights } = value as MemoryLine;
  const shares = SHARES.reduce((sum, name) => sum + (weights[name] ?? 0), 0);
  // Otherwise the probability could rise with the threshold.
  if (shares > Math.min(1, slope)) return { fault: `/weights has shares that sum to ${shares}, above the slope or 1` };
  return { slope, intercept, weights };
}

/** Fraction of the effect of slope and intercept: a series without outcomes has the answer of the base. */
const outcomeWeight = (compared: number): number => compared / (compared + HALF_OUTCOMES);

/** What the memory adds to the log-odds of the base, and what the weights of the series add of it; null: they are not used. */
export type MemoryAnswer = { readonly part: number; readonly own: { readonly part: number; readonly question: OwnQuestion } | null };

/** The weights and their part of the log-odds. */
export type OwnAnswer = { readonly weights: OwnWeights; readonly part: number };

/** The weights of the series correct the line of the version from the second day on. `weights`: null if they are not used. */
export function memoryAnswer(line: MemoryLine, weights: OwnWeights | null, reading: MemoryReading, base: number): MemoryAnswer {
  const ofLine = memoryPart(line, reading, base);
  const { days, inputs: known, clockInputs, midMs } = reading;
  if (weights === null || days === 0) return { part: ofLine, own: null };
  const logOdds = base + ofLine;
  const inputs = ownInputs(logOdds, days, [known.prof, known.prof_day, clockInputs.hours, clockInputs.week].map(valueOf), midMs);
  const part = learnedPart(weights, inputs);
  return { part: ofLine + part, own: { part, question: { logOdds, inputs } } };
}

/** What a memory remembers of a forecast. `base`: log-odds without memory. */
export const rememberedOf = (
  { theta, base, version }: Pick<MemoryQuestion, 'theta' | 'base' | 'version'>,
  { levels }: MemoryReading,
  own: MemoryAnswer['own'],
  asked: Pick<Answered, 'ranges' | 'touches'> = {},
) => ({ theta, probability: sigmoid(base), version, ...levels, ...(own === null ? {} : { own: own.question }), ...asked });

const valueOf = (input: MemoryInput): number => ('value' in input ? input.value : 0);

/** The part of the line of the version; 0 without any known input. */
export function memoryPart({ slope, intercept, weights }: MemoryLine, { compared, inputs }: MemoryReading, base: number): number {
  let part = outcomeWeight(compared) * ((slope - 1) * base + intercept);
  for (const name of MEMORY_INPUTS) {
    const input = inputs[name];
    if ('value' in input) part += (weights[name] ?? 0) * input.value;
  }
  return part;
}
