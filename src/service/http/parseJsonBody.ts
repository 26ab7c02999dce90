import { isUtf8 } from 'node:buffer';
import { ServiceError, quoteValue } from '../../core/ServiceError.ts';

/** Maximum nesting of a body; a request needs two levels, a batch four. */
export const MAX_DEPTH = 64;
/** Maximum number of keys of a body at all depths; a request needs two, a batch three per item. */
export const MAX_KEYS = 10_000;

const [QUOTE, COLON, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x3a, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d];

export type JsonScan =
  | { readonly fault: 'too_deep' | 'too_many_keys' }
  | {
      /** The first key that occurs twice in one object. */
      readonly duplicate: string | undefined;
    };

/**
 * Scans a text before JSON.parse, which keeps the last of two equal keys and needs a second of CPU time for 200,000 brackets. One pass
 * without recursion; exact for valid JSON, and it terminates on any other text.
 */
export function scanJson(text: string): JsonScan {
  /** For each open object or list: undefined, its only key, or the set of its keys. */
  const frames: (string | Set<string> | undefined)[] = [];
  let keys = 0;
  let duplicate: string | undefined;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === OPEN_OBJECT || c === OPEN_LIST) {
      if (frames.push(undefined) > MAX_DEPTH) return { fault: 'too_deep' };
    } else if (c === CLOSE_OBJECT || c === CLOSE_LIST) frames.pop();
    if (c !== QUOTE) continue;
    const end = stringEnd(text, i);
    if (isBeforeColon(text, end + 1)) {
      if (++keys > MAX_KEYS) return { fault: 'too_many_keys' };
      const key = keyOf(text.slice(i, end + 1));
      const top = frames.length - 1;
      const frame = frames[top];
      if (frame === undefined) frames[top] = key;
      else if (typeof frame === 'string') {
        if (frame === key) duplicate ??= key;
        frames[top] = new Set([frame, key]);
      } else if (frame.has(key)) duplicate ??= key;
      else frame.add(key);
    }
    i = end;
  }
  return { duplicate };
}

/** Index of the quote that ends the string starting at `from`, or the end of the text. */
function stringEnd(text: string, from: number): number {
  let i = from + 1;
  for (let c = text.charCodeAt(i); c !== QUOTE && i < text.length; c = text.charCodeAt(i)) i += c === BACKSLASH ? 2 : 1;
  return i;
}

function isBeforeColon(text: string, from: number): boolean {
  let i = from;
  while (text.charCodeAt(i) <= 0x20) i++;
  return text.charCodeAt(i) === COLON;
}

/** Equal keys may have different escapes. */
function keyOf(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}

const FAULTS = {
  too_deep: `The body nests deeper than ${MAX_DEPTH} levels.`,
  too_many_keys: `The body names more than ${MAX_KEYS} keys.`,
};
const NOT_JSON_NUMBER = /[[:,\s]([+-]?(?:NaN|Infinity))\b/;

/** Reports the position, never the content: the message of V8 quotes the body, which may contain a password. */
function jsonFault(error: unknown, text: string): string {
  if (text.trim() === '') return 'The body is empty; send a JSON object.';
  const constant = NOT_JSON_NUMBER.exec(text)?.[1];
  if (constant !== undefined) return `${constant} is not JSON; send a finite number.`;
  const position = /at position (\d+)/.exec(String(error))?.[1];
  return position === undefined ? 'The body is not valid JSON.' : `The body is not valid JSON at character ${position}.`;
}

/**
 * Parses the bytes of a request as JSON. Throws ServiceError `request.malformed_json` (invalid UTF-8, too deep, too many keys, invalid
 * JSON) or `request.duplicate_key`. `__proto__` stays a normal member, which the schemas then refuse.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ServiceError('request.malformed_json', 'The body is not valid UTF-8.');
  // A body that was a file of a Windows program begins with a byte order mark.
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  const scan = scanJson(text);
  if ('fault' in scan) throw new ServiceError('request.malformed_json', FAULTS[scan.fault]);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new ServiceError('request.malformed_json', jsonFault(error, text));
  }
  if (scan.duplicate === undefined) return parsed;
  throw new ServiceError('request.duplicate_key', `The body names the key ${quoteValue(scan.duplicate)} twice.`);
}
