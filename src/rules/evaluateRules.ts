import type { WindowMeasures } from '../features/WindowMeasures.ts';
import { UNKNOWN, type Judgement, type Predicate } from './Predicate.ts';
import { ruleContext } from './ruleContext.ts';
import type { Rule, RuleSet } from './RuleSet.ts';
import { fillRuleText } from './ruleText.ts';
import type { LiteralTrace, PriceLevel, RuleEvaluation, RuleTraceEntry, Truth } from './RuleTrace.ts';
import type { SwingLevels } from './swingLevels.ts';

/** What the rules judge: the window at its origin and the threshold of the question, log price. */
export type RuleFacts = { readonly measures: WindowMeasures; readonly theta: number };

/**
 * Evaluates every rule of a set on one window. Pure; never throws: a predicate whose numbers break counts as unknown.
 * Each predicate is judged once, each rule once; nothing loops beyond the ticks and the set.
 */
export function evaluateRules(ruleSet: RuleSet, facts: RuleFacts): RuleEvaluation {
  const context = ruleContext(facts.measures, facts.theta);
  const judged = new Map<Predicate, Judgement>();
  const judge = (predicate: Predicate): Judgement => {
    let judgement = judged.get(predicate);
    if (judgement === undefined) {
      judgement = guarded(predicate.judge(context));
      judged.set(predicate, judgement);
    }
    return judgement;
  };
  let total = 0;
  const vetoedBy: string[] = [];
  const rules = ruleSet.rules.map((rule) => {
    const entry = traceRule(rule, judge);
    total += entry.contribution;
    if (entry.fired) vetoedBy.push(rule.id);
    return entry;
  });
  return { rules, levels: priceLevels(context.levels, facts.measures.lastPrice), total, vetoedBy };
}

/** Keeps a truth interval a truth interval, whatever arithmetic made of a strange window. */
function guarded(judgement: Judgement): Judgement {
  const { lower, upper, value } = judgement;
  if (!(lower >= 0 && lower <= upper && upper <= 1)) return UNKNOWN;
  return value === null || Number.isFinite(value) ? judgement : { lower, upper, value: null };
}

function traceRule(rule: Rule, judge: (predicate: Predicate) => Judgement): RuleTraceEntry {
  const literals: LiteralTrace[] = rule.literals.map(({ predicate, negated }) => {
    const { lower, upper, value } = judge(predicate);
    return { predicate: predicate.name, negated, truth: negated ? [1 - upper, 1 - lower] : [lower, upper], value };
  });
  const truth = conjunction(literals);
  const fired = rule.kind === 'veto' && truth[0] >= rule.threshold;
  const text = fillRuleText(rule.text, (name) => {
    const literal = rule.literals.find(({ predicate }) => predicate.name === name);
    return literal && judge(literal.predicate);
  });
  return { id: rule.id, text, kind: rule.kind, truth, contribution: rule.kind === 'veto' ? 0 : evidence(rule, truth), fired, literals };
}

/** The product of independent truths, summed as logarithms; one literal passes through unchanged. */
function conjunction(literals: readonly LiteralTrace[]): Truth {
  const [first] = literals;
  if (first !== undefined && literals.length === 1) return first.truth;
  let lower = 0;
  let upper = 0;
  for (const { truth } of literals) {
    lower += Math.log(truth[0]);
    upper += Math.log(truth[1]);
  }
  return [Math.exp(lower), Math.exp(upper)];
}

/**
 * weight * (expected truth - neutral), where what is unknown between the bounds is taken at its usual value:
 * expected = lower + (upper - lower) * neutral. Unknown contributes 0, and no contribution passes |weight|.
 */
function evidence(rule: Extract<Rule, { kind: 'evidence' }>, [lower, upper]: Truth): number {
  const expected = lower + (upper - lower) * rule.neutral;
  // Adding 0 turns the -0 of a zero weight into 0.
  return rule.weight * (expected - rule.neutral) + 0;
}

function priceLevels({ supports, resistances }: SwingLevels, lastPrice: number): PriceLevel[] {
  const levels: PriceLevel[] = [];
  for (const { logPrice, touches } of supports) levels.push({ price: lastPrice * Math.exp(logPrice), kind: 'support', touches });
  for (const { logPrice, touches } of resistances) levels.push({ price: lastPrice * Math.exp(logPrice), kind: 'resistance', touches });
  return levels;
}
