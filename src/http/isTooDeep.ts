import { someOutsideStrings } from './someOutsideStrings.ts';

/** Deepest nesting of a body; ours need two levels, a batch four. */
export const MAX_DEPTH = 64;

function countOpenings(text: string): number {
  let openings = 0;
  for (const bracket of ['[', '{']) {
    for (let i = text.indexOf(bracket); i >= 0 && openings <= MAX_DEPTH; i = text.indexOf(bracket, i + 1)) openings++;
  }
  return openings;
}

/**
 * Whether a text (JSON or not) nests deeper than MAX_DEPTH outside of strings. Asked before JSON.parse, which took 0.6 to 1.1 s of processor
 * time for 200,000 brackets. A text with few brackets, as every good body is, costs two searches.
 */
export function isTooDeep(text: string): boolean {
  if (countOpenings(text) <= MAX_DEPTH) return false;
  let depth = 0;
  return someOutsideStrings(text, (code) => {
    if (code === 0x5b || code === 0x7b) depth++;
    else if (code === 0x5d || code === 0x7d) depth--;
    return depth > MAX_DEPTH;
  });
}
