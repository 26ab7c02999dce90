import type { Expression } from './Expression.ts';

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
