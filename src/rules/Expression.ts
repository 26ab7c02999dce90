import type { PredicateResult, Predicate } from './Predicate.ts';

/** Truth of a graded predicate: 0 <= lower <= upper <= 1; unknown is [0, 1]. */
export type Truth = readonly [lower: number, upper: number];

/** Condition of a rule: a logical combination of predicates. Parts are sorted, so their order in the file has no effect. */
export type Expression =
  | { readonly kind: 'literal'; readonly predicate: Predicate }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Expression[] }
  | { readonly kind: 'at_least'; readonly count: number; readonly of: readonly Expression[] };

/** A predicate of an expression; negated if an odd number of `not` surrounds it. */
export type RuleLiteral = { readonly predicate: Predicate; readonly negated: boolean };

/**
 * Computes both bounds of the truth of an expression, with its parts as independent. All: the product of the truths, summed as logarithms.
 * Any: 1 - product of (1 - truth). At least k of n: the probability that k or more hold (Poisson binomial). Not: [1 - upper, 1 - lower].
 * Each bound increases with the same bound of every part, so an ordered interval stays ordered.
 */
export function truthOf(expression: Expression, judge: (predicate: Predicate) => PredicateResult): Truth {
  switch (expression.kind) {
    case 'literal': {
      const { lower, upper } = judge(expression.predicate);
      return [lower, upper];
    }
    case 'not': {
      const [lower, upper] = truthOf(expression.of, judge);
      return [1 - upper, 1 - lower];
    }
    case 'all':
      return joined(expression.of, judge, allOf);
    case 'any':
      return joined(expression.of, judge, anyOf);
    case 'at_least':
      return joined(expression.of, judge, (truths) => atLeast(expression.count, truths));
  }
}

function joined(
  parts: readonly Expression[],
  judge: (predicate: Predicate) => PredicateResult,
  join: (truths: readonly number[]) => number,
): Truth {
  const truths = parts.map((part) => truthOf(part, judge));
  const [first] = truths;
  // A single part stays bit-exact.
  if (first !== undefined && truths.length === 1) return first;
  const lower = join(truths.map(([low]) => low));
  return [lower, Math.max(lower, join(truths.map(([, high]) => high)))];
}

function allOf(truths: readonly number[]): number {
  return Math.exp(truths.reduce((sum, truth) => sum + Math.log(truth), 0));
}

function anyOf(truths: readonly number[]): number {
  return -Math.expm1(truths.reduce((sum, truth) => sum + Math.log1p(-truth), 0));
}

/** Probability that `count` or more independent parts hold; `fewer[k]` is the probability that exactly k of the parts so far hold. */
function atLeast(count: number, truths: readonly number[]): number {
  const fewer = new Float64Array(count);
  fewer[0] = 1;
  for (const truth of truths)
    for (let held = count - 1; held >= 0; held--)
      fewer[held] = (fewer[held] as number) * (1 - truth) + (held > 0 ? (fewer[held - 1] as number) * truth : 0);
  return Math.min(1, Math.max(0, 1 - fewer.reduce((sum, chance) => sum + chance, 0)));
}

/** The predicates of an expression, in order; each occurs once. */
export function literalsOf(expression: Expression, negated = false): readonly RuleLiteral[] {
  switch (expression.kind) {
    case 'literal':
      return [{ predicate: expression.predicate, negated }];
    case 'not':
      return literalsOf(expression.of, !negated);
    case 'all':
    case 'any':
    case 'at_least':
      return expression.of.flatMap((part) => literalsOf(part, negated));
  }
}

/** Canonical text: equal for expressions with the same meaning. */
export function expressionText(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return expression.predicate.name;
    case 'not':
      return `not(${expressionText(expression.of)})`;
    case 'at_least':
      return `at_least_${expression.count}(${expression.of.map(expressionText).join(',')})`;
    case 'all':
    case 'any':
      return `${expression.kind}(${expression.of.map(expressionText).join(',')})`;
  }
}
