import type { PredicateResult, Predicate } from './Predicate.ts';
import { nearestName } from '../../core/nearestName.ts';
import { findPredicate, PREDICATES } from './predicates.ts';
import type { ExpressionJson, LiteralJson } from './ruleSetSchema.ts';

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
export function truthOf(expression: Expression, resultOf: (predicate: Predicate) => PredicateResult): Truth {
  switch (expression.kind) {
    case 'literal': {
      const { lower, upper } = resultOf(expression.predicate);
      return [lower, upper];
    }
    case 'not': {
      const [lower, upper] = truthOf(expression.of, resultOf);
      return [1 - upper, 1 - lower];
    }
    case 'all':
      return joined(expression.of, resultOf, allOf);
    case 'any':
      return joined(expression.of, resultOf, anyOf);
    case 'at_least':
      return joined(expression.of, resultOf, (truths) => atLeast(expression.count, truths));
  }
}

function joined(
  parts: readonly Expression[],
  resultOf: (predicate: Predicate) => PredicateResult,
  join: (truths: readonly number[]) => number,
): Truth {
  const truths = parts.map((part) => truthOf(part, resultOf));
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
    for (let held = count - 1; held >= 0; held--) fewer[held] = fewer[held] * (1 - truth) + (held > 0 ? fewer[held - 1] * truth : 0);
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

/** Formats an expression as words: `a and not b`, `at least 2 of (a, b, c)`. */
export function expressionWords(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return expression.predicate.name;
    case 'not':
      return `not ${inBrackets(expression.of)}`;
    case 'at_least':
      return `at least ${expression.count} of (${expression.of.map(expressionWords).join(', ')})`;
    case 'all':
      return expression.of.map(inBrackets).join(' and ');
    case 'any':
      return expression.of.map(inBrackets).join(' or ');
  }
}

function inBrackets(expression: Expression): string {
  const isJoin = (expression.kind === 'all' || expression.kind === 'any') && expression.of.length > 1;
  return isJoin ? `(${expressionWords(expression)})` : expressionWords(expression);
}

/** A fault of a rule set: its position, its description and a remedy. */
export type Fault = { readonly pointer: string; readonly what: string; readonly hint: string };

/** Maximum nesting of an expression, and maximum of predicates in a rule. */
const MAX_DEPTH = 6;
const MAX_LITERALS = 16;

/** Parses an expression, or returns its first fault. A rule may name each predicate once, because parts count as independent. */
export function parseExpression(written: ExpressionJson, pointer: string): Expression | Fault {
  const seen = new Set<string>();
  const parse = (json: ExpressionJson, at: string, depth: number): Expression | Fault => {
    if (depth > MAX_DEPTH)
      return { pointer: at, what: `nested more than ${MAX_DEPTH} deep`, hint: 'Use fewer levels, or split the rule in two.' };
    if ('predicate' in json) return literal(json, `${at}/predicate`, seen);
    if ('not' in json) {
      const of = parse(json.not, `${at}/not`, depth + 1);
      return 'pointer' in of ? of : negated(of);
    }
    const kind = 'all' in json ? 'all' : 'any' in json ? 'any' : 'at_least';
    const parts = 'all' in json ? json.all : 'any' in json ? json.any : json.of;
    const of: Expression[] = [];
    for (const [index, part] of parts.entries()) {
      const parsed = parse(part, `${at}/${kind === 'at_least' ? 'of' : kind}/${index}`, depth + 1);
      if ('pointer' in parsed) return parsed;
      of.push(parsed);
    }
    of.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    const [only] = of;
    if (only !== undefined && of.length === 1 && !('at_least' in json && json.at_least > 1)) return only;
    if (!('at_least' in json)) return { kind: kind as 'all' | 'any', of };
    if (json.at_least > of.length)
      return { pointer: `${at}/at_least`, what: `${json.at_least} of ${of.length} parts`, hint: 'Use a number up to the number of parts.' };
    return { kind: 'at_least', count: json.at_least, of };
  };
  const parsed = parse(written, pointer, 1);
  if (!('pointer' in parsed) && seen.size > MAX_LITERALS)
    return { pointer, what: `${seen.size} predicates, more than ${MAX_LITERALS}`, hint: 'Split the rule in two.' };
  return parsed;
}

/** Parses `literals`, the short form for a rule whose literals must all hold. */
export function parseLiterals(written: readonly LiteralJson[], pointer: string): Expression | Fault {
  const seen = new Set<string>();
  const of: Expression[] = [];
  for (const [index, json] of written.entries()) {
    const parsed = literal(json, `${pointer}/${index}/predicate`, seen);
    if ('pointer' in parsed) return parsed;
    of.push(json.not === true ? negated(parsed) : parsed);
  }
  of.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const [only] = of;
  return only !== undefined && of.length === 1 ? only : { kind: 'all', of };
}

/** Sort key of a part: its text without negation. */
function nameOf(expression: Expression): string {
  return expressionText(expression.kind === 'not' ? expression.of : expression);
}

/** Negates an expression; a double negation cancels. */
function negated(of: Expression): Expression {
  return of.kind === 'not' ? of.of : { kind: 'not', of };
}

function literal({ predicate: name }: { predicate: string }, pointer: string, seen: Set<string>): Expression | Fault {
  const predicate = findPredicate(name);
  if (predicate === undefined) {
    const names = PREDICATES.map((known) => known.name);
    const nearest = nearestName(name, names);
    const hint = nearest === null ? `docs/reference/rules.md lists the ${names.length} predicates.` : `Did you mean "${nearest}"?`;
    return { pointer, what: `unknown predicate "${name}"`, hint };
  }
  if (seen.has(name)) return { pointer, what: `"${name}" is named twice in one rule`, hint: 'Name each predicate once.' };
  seen.add(name);
  return { kind: 'literal', predicate };
}
