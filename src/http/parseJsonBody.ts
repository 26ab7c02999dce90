import { isUtf8 } from 'node:buffer';
import { ServiceError, quoteValue } from '../core/ServiceError.ts';
import { MAX_DEPTH, MAX_KEYS, scanJson } from './scanJson.ts';

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
  const text = bytes.toString('utf8');
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
