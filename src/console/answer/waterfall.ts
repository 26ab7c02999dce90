import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import { probabilityOf } from './describeAnswer.ts';
import { ownWeightsText } from '../../engine/forecast/ownWeightsText.ts';

export type Step = {
  readonly kind: 'baseline' | 'network' | 'memory' | 'rule' | 'total';
  readonly name: string;
  readonly text: string;
  /** Log-odds before and after. */
  readonly from: number;
  readonly to: number;
  readonly contribution: number;
  /** Of all up to here. */
  readonly probability: number;
};

export type Waterfall = {
  readonly steps: readonly Step[];
  /** Rules that were checked and added nothing. */
  readonly quiet: readonly { readonly name: string; readonly text: string; readonly truth: readonly [number, number] }[];
  /** Log-odds that the bars span, zero within. */
  readonly span: readonly [number, number];
  /** Log-odds from which on a window is marked; null where the head abstains. */
  readonly decision: number | null;
};

/** `momentum_slope` as `momentum slope`. */
const nameOf = (id: string): string => id.replaceAll('_', ' ');

const BASELINE_TEXT = 'The probability of such a move from recent volatility alone.';
const NETWORK_TEXT = 'The contribution of the network on top of the volatility.';
const MEMORY_TEXT = 'The contribution of what earlier ticks and outcomes of this series say.';
const TOTAL_TEXT = 'The sum of all steps, and its probability.';

/** The steps from the baseline to the final log-odds; null if the network did not run. */
export function waterfallOf({ logit, rules, opportunity, memory }: ForecastDetail): Waterfall | null {
  if (logit === null) return null;
  const steps: Step[] = [];
  let at = 0;
  const add = (kind: Step['kind'], name: string, text: string, contribution: number): void => {
    const to = at + contribution;
    steps.push({ kind, name, text, from: at, to, contribution, probability: probabilityOf(to) });
    at = to;
  };
  add('baseline', 'volatility baseline', BASELINE_TEXT, logit.baseline);
  add('network', 'network', NETWORK_TEXT, logit.network);
  const own = memory?.own;
  if (logit.memory !== undefined) add('memory', 'memory of the series', MEMORY_TEXT, logit.memory - (own?.part ?? 0));
  if (own !== undefined) add('memory', 'weights of the series', ownWeightsText(own), own.part);
  const speaking = rules.filter(({ contribution }) => contribution !== 0);
  for (const { id, text, contribution } of speaking.toSorted((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution)))
    add('rule', nameOf(id), text, contribution);
  steps.push({
    kind: 'total',
    name: 'total',
    text: TOTAL_TEXT,
    from: 0,
    to: logit.total,
    contribution: logit.total,
    probability: probabilityOf(logit.total),
  });
  const { decision_threshold: marked } = opportunity;
  const decision = marked === null || marked <= 0 || marked >= 1 ? null : Math.log(marked / (1 - marked));
  const ends = [0, ...steps.flatMap(({ from, to }) => [from, to]), ...(decision === null ? [] : [decision])];
  return {
    steps,
    quiet: rules.filter(({ contribution }) => contribution === 0).map(({ id, text, truth }) => ({ name: nameOf(id), text, truth })),
    span: [Math.min(...ends), Math.max(...ends)],
    decision,
  };
}
