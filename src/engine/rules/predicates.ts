import type { Predicate } from './Predicate.ts';
import * as registered from './predicates/index.ts';

/** Every predicate that a rule set may name, by name. */
export const PREDICATES: readonly Predicate[] = Object.values(registered).sort((a, b) => (a.name < b.name ? -1 : 1));

export function findPredicate(name: string): Predicate | undefined {
  return PREDICATES.find((predicate) => predicate.name === name);
}
