import { MAX_KEYS } from './hasTooManyKeys.ts';

/** Members of all objects of a parsed value, at every depth, without recursion. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const children: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (children !== next) members += children.length;
    // forEach: an iterator's results were garbage of 370 ms of processor time for 500,000 elements.
    children.forEach((child) => {
      if (typeof child === 'object' && child !== null) open.push(child);
    });
  }
  return members;
}

/** Index of the quote that ends the string which starts at `from`. */
function stringEnd(text: string, from: number): number {
  let i = from + 1;
  for (let c = text.charCodeAt(i); c !== 0x22; c = text.charCodeAt(i)) i += c === 0x5c ? 2 : 1;
  return i;
}

function afterSpace(text: string, from: number): number {
  let i = from;
  while (text.charCodeAt(i) <= 0x20) i++;
  return i;
}

/** Reads every key of `text` (valid JSON), with one frame an open object: nothing, its only key, or the set of its keys. */
function scan(text: string): string | undefined {
  const frames: (string | Set<string> | null)[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x7b) frames.push(null);
    else if (c === 0x7d) frames.pop();
    if (c !== 0x22) continue;
    const end = stringEnd(text, i);
    const isKey = text.charCodeAt(afterSpace(text, end + 1)) === 0x3a;
    if (isKey) {
      const raw = text.slice(i + 1, end);
      const key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
      const top = frames.length - 1;
      const frame = frames[top];
      if (frame === null || frame === undefined) frames[top] = key;
      else if (typeof frame === 'string') {
        if (frame === key) return key;
        frames[top] = new Set([frame, key]);
      } else if (frame.has(key)) return key;
      else frame.add(key);
    }
    i = end;
  }
  return undefined;
}

/**
 * The first key that one object of `text` names twice, or undefined. `text` is valid JSON, `parsed` what JSON.parse made of it, `keyEnds` what
 * countKeyEnds did. Exact at every depth. The quick way: a key end occurs elsewhere only inside strings, so their count is at least the members
 * of the text, and those are at least the members that JSON.parse kept. Where count and kept members are equal, no key was dropped.
 * Only where they differ is the text scanned.
 */
export function findDuplicateKey(text: string, parsed: unknown, keyEnds: number): string | undefined {
  return keyEnds <= MAX_KEYS && keyEnds === countMembers(parsed) ? undefined : scan(text);
}
