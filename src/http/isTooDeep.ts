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
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (isInString) {
      if (c === 0x5c) i++;
      else if (c === 0x22) isInString = false;
    } else if (c === 0x22) isInString = true;
    else if (c === 0x5b || c === 0x7b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (c === 0x5d || c === 0x7d) depth--;
  }
  return false;
}
