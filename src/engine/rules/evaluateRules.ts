import type { WindowMeasures } from '../features/WindowMeasures.ts';
import { truthOf, type Truth } from './Expression.ts';
import { UNKNOWN, type PredicateResult, type Predicate, type RuleContext, ruleContext } from './Predicate.ts';
import type { Rule, RuleSet } from './RuleSet.ts';
import { fillRuleText } from './ruleText.ts';
import type { SwingLevels } from './swingLevels.ts';

/** Input of the rules: the window at its origin, the requested threshold (log price) and the horizon bucket. */
export type RuleInput = { readonly measures: WindowMeasures; readonly theta: number; readonly bucket: number };

/**
 * Evaluates every rule of a set on one window. Pure; never throws: a predicate with invalid numbers counts as unknown.
 * Each predicate is evaluated at most once and each rule of the bucket once, so the time is bounded by the ticks and the set.
 */
export function evaluateRules(ruleSet: RuleSet, { measures, theta, bucket }: RuleInput): RuleEvaluation {
  const context = ruleContext(measures, theta);
  return { levels: priceLevels(context.levels, measures.lastPrice), ...evaluate(ruleSet.rules, context, bucket) };
}

/**
 * The same sum and the same vetoes as `evaluateRules`, but skips what changes neither: evidence of weight 0, and levels. This is faster,
 * because most responses show no rules, and most rules have weight 0.
 */
export function decideByRules(ruleSet: RuleSet, { measures, theta, bucket }: RuleInput): RuleEvaluation {
  return { levels: [], ...evaluate(decidingRules(ruleSet), ruleContext(measures, theta), bucket) };
}

/** Only the sum of `evaluateRules`: vetoes are no part of it. */
export function sumRules(ruleSet: RuleSet, { measures, theta, bucket }: RuleInput): number {
  const weighed = weighedRules(ruleSet);
  return weighed.length === 0 ? 0 : evaluate(weighed, ruleContext(measures, theta), bucket).total;
}

/** Keeps the rules of each set; a rule set is immutable. */
function keptRules(isKept: (rule: Rule) => boolean): (ruleSet: RuleSet) => readonly Rule[] {
  const kept = new WeakMap<RuleSet, readonly Rule[]>();
  return (ruleSet) => {
    const rules = kept.get(ruleSet) ?? ruleSet.rules.filter(isKept);
    kept.set(ruleSet, rules);
    return rules;
  };
}

const isWeighed = (rule: Rule): boolean => rule.kind === 'evidence' && rule.weight !== 0;
const weighedRules = keptRules(isWeighed);
const decidingRules = keptRules((rule) => rule.kind !== 'evidence' || isWeighed(rule));

function evaluate(candidates: readonly Rule[], context: RuleContext, bucket: number): Omit<RuleEvaluation, 'levels'> {
  const results = new Map<Predicate, PredicateResult>();
  const resultOf = (predicate: Predicate): PredicateResult => {
    let result = results.get(predicate);
    if (result === undefined) {
      result = guarded(predicate.evaluate(context));
      results.set(predicate, result);
    }
    return result;
  };
  let total = 0;
  const vetoedBy: string[] = [];
  const rules: RuleTraceEntry[] = [];
  for (const rule of candidates) {
    if (rule.applies[bucket] !== true) continue;
    const entry = new TracedRule(rule, resultOf);
    total += entry.contribution;
    if (entry.fired) vetoedBy.push(rule.id);
    rules.push(entry);
  }
  return { rules, total, vetoedBy };
}

/** Returns UNKNOWN for an invalid truth interval, which arithmetic on an extreme window can produce. */
function guarded(result: PredicateResult): PredicateResult {
  const { lower, upper, value } = result;
  if (!(lower >= 0 && lower <= upper && upper <= 1)) return UNKNOWN;
  return value === null || Number.isFinite(value) ? result : { lower, upper, value: null };
}

/** One rule on one window. A class with on-demand methods, because a closure per rule would cost more than the evaluation. */
class TracedRule implements RuleTraceEntry {
  readonly id: string;
  readonly kind: Rule['kind'];
  readonly truth: Truth;
  readonly contribution: number;
  readonly fired: boolean;
  readonly #rule: Rule;
  readonly #resultOf: Evaluate;

  constructor(rule: Rule, resultOf: Evaluate) {
    this.#rule = rule;
    this.#resultOf = resultOf;
    this.id = rule.id;
    this.kind = rule.kind;
    this.truth = truthOf(rule.when, resultOf);
    const isEvidence = rule.kind === 'evidence';
    this.contribution = isEvidence ? contributionOf(rule.weight, rule.neutral, this.truth) : 0;
    this.fired = !isEvidence && this.truth[rule.kind === 'veto' ? 0 : 1] >= rule.threshold;
  }

  literals(): LiteralTrace[] {
    return this.#rule.literals.map(({ predicate, negated }) => {
      const { lower, upper, value } = this.#resultOf(predicate);
      return { predicate: predicate.name, negated, truth: negated ? [1 - upper, 1 - lower] : [lower, upper], value };
    });
  }

  text(): string {
    return fillRuleText(this.#rule.text, this.#resultOf);
  }
}

type Evaluate = (predicate: Predicate) => PredicateResult;

/**
 * weight * (expected truth - neutral), with expected truth = lower + (upper - lower) * neutral. An unknown truth contributes 0, and no
 * contribution exceeds |weight|.
 */
function contributionOf(weight: number, neutral: number, truth: Truth): number {
  // Without a pattern: it would make objects of its own for each rule.
  const expected = truth[0] + (truth[1] - truth[0]) * neutral;
  // Adding 0 turns the -0 of a zero weight into 0.
  return weight * (expected - neutral) + 0;
}

function priceLevels({ supports, resistances }: SwingLevels, lastPrice: number): PriceLevel[] {
  const levels: PriceLevel[] = [];
  for (const { logPrice, touches } of supports) levels.push({ price: lastPrice * Math.exp(logPrice), kind: 'support', touches });
  for (const { logPrice, touches } of resistances) levels.push({ price: lastPrice * Math.exp(logPrice), kind: 'resistance', touches });
  return levels;
}

type LiteralTrace = { readonly predicate: string; readonly negated: boolean; readonly truth: Truth; readonly value: number | null };

type RuleTraceEntry = {
  readonly id: string;
  /** The rule's sentence with its numbers. Built on demand, because most responses do not show it. */
  text(): string;
  readonly kind: Rule['kind'];
  readonly truth: Truth;
  /** Log-odds added to the logit; 0 for a veto or an abstention. */
  readonly contribution: number;
  /** True for a veto or an abstention whose truth reached its threshold. */
  readonly fired: boolean;
  /** Each predicate with its truth; built on demand. */
  literals(): LiteralTrace[];
};

type PriceLevel = { readonly price: number; readonly kind: 'support' | 'resistance'; readonly touches: number };

export type RuleEvaluation = {
  /** The rules that were evaluated. */
  readonly rules: readonly RuleTraceEntry[];
  /** Empty if only the decision was requested. */
  readonly levels: readonly PriceLevel[];
  /** Sum of the contributions, in the order of `rules`. */
  readonly total: number;
  /** Vetoes and abstentions that fired. */
  readonly vetoedBy: readonly string[];
};
