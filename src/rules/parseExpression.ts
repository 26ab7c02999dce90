import { expressionText, type Expression } from './Expression.ts';
import { nearestName } from './nearestName.ts';
import { findPredicate, PREDICATES } from './predicates.ts';
import type { ExpressionJson, LiteralJson } from './ruleSetSchema.ts';

/** A fault of a rule set: its position, its description and a remedy. */
export type Fault = { readonly pointer: string; readonly what: string; readonly hint: string };

/** Maximum nesting of an expression, and maximum of predicates in a rule. */
const MAX_DEPTH = 6;
export const MAX_LITERALS = 16;

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
    const hint = nearest === null ? `docs/rules.md lists the ${names.length} predicates.` : `Did you mean "${nearest}"?`;
    return { pointer, what: `unknown predicate "${name}"`, hint };
  }
  if (seen.has(name)) return { pointer, what: `"${name}" is named twice in one rule`, hint: 'Name each predicate once.' };
  seen.add(name);
  return { kind: 'literal', predicate };
}
