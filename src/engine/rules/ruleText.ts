import { roundTo } from '../../core/roundTo.ts';
import type { Predicate, PredicateResult } from './Predicate.ts';

/** A rule's sentence with placeholders: `{predicate}` is its value, `{predicate.number}` one of its numbers. */
export type RuleText = { readonly source: string; readonly parts: readonly (string | Placeholder)[] };
type Placeholder = { readonly predicate: Predicate; readonly number: string | null };

const PLACEHOLDER = /\{([a-z_]+)(?:\.([a-z_]+))?\}/g;

/** Splits a text at its placeholders. Returns an error message if a placeholder names nothing in `predicates`. */
export function parseRuleText(source: string, predicates: readonly Predicate[]): RuleText | string {
  const parts: (string | Placeholder)[] = [];
  let from = 0;
  for (const match of source.matchAll(PLACEHOLDER)) {
    const [whole, name = '', number = null] = match;
    const predicate = predicates.find((each) => each.name === name);
    if (predicate === undefined) {
      const names = predicates.map((each) => each.name).join(', ');
      return `${whole} does not name a predicate of this rule (${names})`;
    }
    const known = predicate.numbers ?? [];
    if (number !== null && !known.includes(number)) return `${whole}: ${name} has ${known.join(', ') || 'no further numbers'}`;
    parts.push(source.slice(from, match.index), { predicate, number });
    from = match.index + whole.length;
  }
  parts.push(source.slice(from));
  if (parts.some((part) => typeof part === 'string' && /[{}]/.test(part)))
    return 'a brace outside of a placeholder; write {predicate} or {predicate.number}';
  return { source, parts };
}

/** A price in a sentence, with the digits that a caller may have sent; other numbers are only for reading. */
export const quotedPrice = (price: number): string => String(roundTo(price, 8));

/** The sentence with its numbers, and `unknown` for a number that cannot be computed. */
export function fillRuleText(text: RuleText, resultOf: (predicate: Predicate) => PredicateResult): string {
  let filled = '';
  let isOnce = false;
  for (const part of text.parts) {
    if (typeof part === 'string') {
      // A count, unlike a factor: `touched 1 time`, but `1 times the window's volatility`.
      filled += isOnce ? part.replace(/^ times\b/, ' time') : part;
      isOnce = false;
      continue;
    }
    const result = resultOf(part.predicate);
    const value = part.number === null ? result.value : result.numbers?.[part.number];
    if (value === undefined || value === null || !Number.isFinite(value)) filled += 'unknown';
    else filled += part.number === 'price' ? quotedPrice(value) : String(roundTo(value, 3));
    isOnce = part.number === 'touches' && value === 1;
  }
  return filled;
}
