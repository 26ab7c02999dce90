import type { WindowMeasures } from '../features/WindowMeasures.ts';
import { UNKNOWN, type Judgement, type Predicate, type RuleContext } from './Predicate.ts';
import { truthOf } from './Expression.ts';
import { ruleContext } from './ruleContext.ts';
import type { Rule, RuleSet } from './RuleSet.ts';
import { fillRuleText } from './ruleText.ts';
import type { LiteralTrace, PriceLevel, RuleEvaluation, RuleTraceEntry, Truth } from './RuleTrace.ts';
import type { SwingLevels } from './swingLevels.ts';

/** What the rules judge: the window at its origin, the threshold of the question (log price), and the horizon bucket that is asked. */
export type RuleFacts = { readonly measures: WindowMeasures; readonly theta: number; readonly bucket: number };

/**
 * Evaluates every rule of a set on one window. Pure; never throws: a predicate whose numbers break counts as unknown.
 * Each predicate is judged at most once, each rule of the bucket once; nothing loops beyond the ticks and the set.
 */
export function evaluateRules(ruleSet: RuleSet, { measures, theta, bucket }: RuleFacts): RuleEvaluation {
  return evaluateInContext(ruleSet, ruleContext(measures, theta), bucket);
}

/** The same on a context at hand, which may be no window's own: placebos move its levels. */
export function evaluateInContext(ruleSet: RuleSet, context: RuleContext, bucket: number): RuleEvaluation {
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
  const rules: RuleTraceEntry[] = [];
  for (const rule of ruleSet.rules) {
    if (rule.applies[bucket] !== true) continue;
    const entry = traceRule(rule, bucket, judge);
    total += entry.contribution;
    if (entry.fired) vetoedBy.push(rule.id);
    rules.push(entry);
  }
  return { rules, levels: priceLevels(context.levels, context.measures.lastPrice), total, vetoedBy };
}

/** Keeps a truth interval a truth interval, whatever arithmetic made of a strange window. */
function guarded(judgement: Judgement): Judgement {
  const { lower, upper, value } = judgement;
  if (!(lower >= 0 && lower <= upper && upper <= 1)) return UNKNOWN;
  return value === null || Number.isFinite(value) ? judgement : { lower, upper, value: null };
}

function traceRule(rule: Rule, bucket: number, judge: (predicate: Predicate) => Judgement): RuleTraceEntry {
  const literals: LiteralTrace[] = rule.literals.map(({ predicate, negated }) => {
    const { lower, upper, value } = judge(predicate);
    return { predicate: predicate.name, negated, truth: negated ? [1 - upper, 1 - lower] : [lower, upper], value };
  });
  const truth = truthOf(rule.when, judge);
  const text = fillRuleText(rule.text, (name) => {
    const literal = rule.literals.find(({ predicate }) => predicate.name === name);
    return literal && judge(literal.predicate);
  });
  const { id, kind } = rule;
  if (rule.kind === 'evidence') {
    const weight = rule.weights[bucket] ?? 0;
    return { id, text, kind, truth, ...evidence(weight, rule.neutral, truth), fired: false, literals };
  }
  const fired = truth[kind === 'veto' ? 0 : 1] >= rule.threshold;
  return { id, text, kind, truth, contribution: 0, evidence: [0, 0], fired, literals };
}

/**
 * weight * (expected truth - neutral), where what is unknown between the bounds is taken at its usual value:
 * expected = lower + (upper - lower) * neutral. Unknown contributes 0, and no contribution passes |weight|.
 */
function evidence(weight: number, neutral: number, [lower, upper]: Truth): Pick<RuleTraceEntry, 'contribution' | 'evidence'> {
  const expected = lower + (upper - lower) * neutral;
  // Adding 0 turns the -0 of a zero weight into 0.
  const contribution = weight * (expected - neutral) + 0;
  const ends = [weight * (lower - neutral) + 0, weight * (upper - neutral) + 0] as const;
  return { contribution, evidence: weight < 0 ? [ends[1], ends[0]] : ends };
}

function priceLevels({ supports, resistances }: SwingLevels, lastPrice: number): PriceLevel[] {
  const levels: PriceLevel[] = [];
  for (const { logPrice, touches } of supports) levels.push({ price: lastPrice * Math.exp(logPrice), kind: 'support', touches });
  for (const { logPrice, touches } of resistances) levels.push({ price: lastPrice * Math.exp(logPrice), kind: 'resistance', touches });
  return levels;
}
