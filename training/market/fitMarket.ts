import type { MarketWeights, RecentWeights } from '../../src/engine/model/MarketModel.ts';
import { fitLogistic } from '../metrics/logistic.ts';
import { sigmoid } from '../metrics/logistic.ts';
import type { MarketExamples } from './marketExamples.ts';

/** Penalty on the weights of standardised inputs. */
const RIDGE_L2 = 50;

/** Inputs of the logistic, in order of their columns. */
const FRESH = ['base', 'clock', 'level'] as const;
const AGED = ['base', 'clock'] as const;
const RECENT = [...FRESH, 'recent'] as const;
type Input = (typeof RECENT)[number];

/** Ridge logistic on standardised inputs (McCullagh & Nelder 1989, ch. 4), returned for the inputs as they are. */
function fitRidge(columns: readonly Float64Array[], y: Uint8Array): { intercept: number; weights: number[] } {
  const n = y.length;
  const k = columns.length;
  const means = columns.map((column) => column.reduce((sum, value) => sum + value, 0) / n);
  const scales = columns.map((column, j) => Math.sqrt(column.reduce((sum, value) => sum + (value - means[j]!) ** 2, 0) / n) || 1);
  const standard = new Float64Array(n * k);
  columns.forEach((column, j) => column.forEach((value, i) => (standard[i * k + j] = (value - means[j]!) / scales[j]!)));
  const fit = fitLogistic(standard, n, k, y, { l2: RIDGE_L2 });
  const weights = [...fit.weights].map((weight, j) => weight / scales[j]!);
  return { intercept: weights.reduce((sum, weight, j) => sum - weight * means[j]!, fit.intercept), weights };
}

/**
 * Weights of the inputs. An input whose weight has the wrong sign is left out, with the weight 0: a rising threshold must not raise the
 * log-odds, and a lively hour ahead must not lower them.
 */
function fitInputs(examples: MarketExamples, inputs: readonly Input[]): RecentWeights {
  const { intercept, weights } = fitRidge(
    inputs.map((name) => examples[name]),
    examples.label,
  );
  const wrong = inputs.filter((_, at) => (weights[at] as number) < 0);
  if (wrong.length > 0)
    return fitInputs(
      examples,
      inputs.filter((name) => !wrong.includes(name)),
    );
  const weightOf = (name: Input): number => weights[inputs.indexOf(name)] ?? 0;
  return { intercept, base: weightOf('base'), clock: weightOf('clock'), level: weightOf('level'), recent: weightOf('recent') };
}

function withoutRecent({ recent: _, ...weights }: RecentWeights): MarketWeights {
  return weights;
}

/** The weights while the level is new. */
export const fitMarket = (examples: MarketExamples): MarketWeights => withoutRecent(fitInputs(examples, FRESH));
/** The weights when the level is too old. */
export const fitAged = (examples: MarketExamples): MarketWeights => withoutRecent(fitInputs(examples, AGED));
/** The weights with the recent level. */
export const fitRecent = (examples: MarketExamples): RecentWeights => fitInputs(examples, RECENT);

/** `weights.recent` only for examples that all have a recent level. */
export function marketLogits(
  { base, clock, level, recent, count }: MarketExamples,
  weights: MarketWeights & Partial<RecentWeights>,
): Float64Array {
  const { intercept, recent: ofRecent } = weights;
  return Float64Array.from({ length: count }, (_, i) => {
    const logit = intercept + weights.base * base[i]! + weights.clock * clock[i]! + weights.level * level[i]!;
    return ofRecent === undefined ? logit : logit + ofRecent * recent[i]!;
  });
}

/** Brier skill against the base of weights that are fitted on the other weeks, by leaving out one week at a time. */
export function skillByWeeks(examples: MarketExamples, fit: (examples: MarketExamples) => MarketWeights = fitMarket): number {
  const weeks = [...new Set(examples.week)];
  let model = 0;
  let base = 0;
  for (const week of weeks) {
    const own = selectExamples(examples, (i) => examples.week[i] === week);
    const logits = marketLogits(own, fit(selectExamples(examples, (i) => examples.week[i] !== week)));
    own.label.forEach((label, i) => {
      model += (sigmoid(logits[i]!) - label) ** 2;
      base += (sigmoid(own.base[i]!) - label) ** 2;
    });
  }
  return 1 - model / base;
}

function selectExamples(examples: MarketExamples, use: (i: number) => boolean): MarketExamples {
  const kept = [...examples.label.keys()].filter(use);
  const doubles = (values: Float64Array): Float64Array => Float64Array.from(kept, (i) => values[i]!);
  const wholes = (values: Int32Array): Int32Array => Int32Array.from(kept, (i) => values[i]!);
  return {
    count: kept.length,
    at: wholes(examples.at),
    week: wholes(examples.week),
    base: doubles(examples.base),
    clock: doubles(examples.clock),
    level: doubles(examples.level),
    recent: doubles(examples.recent),
    label: Uint8Array.from(kept, (i) => examples.label[i]!),
  };
}
