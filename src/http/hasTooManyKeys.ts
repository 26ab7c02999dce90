import { someOutsideStrings } from './someOutsideStrings.ts';

/** Most keys of a body at all depths; ours need two, a batch three an item. */
export const MAX_KEYS = 10_000;

/** The end of a JSON string that may be a key: a quote, white space, a colon. */
const KEY_END = /"[ \t\n\r]*:/g;

/** Key ends in `text`, those inside strings too, so at least its keys. Stops one past MAX_KEYS. */
export function countKeyEnds(text: string): number {
  let ends = 0;
  KEY_END.lastIndex = 0;
  while (ends <= MAX_KEYS && KEY_END.test(text)) ends++;
  return ends;
}

/**
 * Whether a text (JSON or not) names more than MAX_KEYS keys: colons outside of strings, looked for where `keyEnds` (countKeyEnds) allows so
 * many. Asked before JSON.parse, which with the search for equal keys took 73 ms for 60,000 of them.
 */
export function hasTooManyKeys(text: string, keyEnds: number): boolean {
  if (keyEnds <= MAX_KEYS) return false;
  let keys = 0;
  return someOutsideStrings(text, (code) => code === 0x3a && ++keys > MAX_KEYS);
}
