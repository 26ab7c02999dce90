import { ApiError, UnexpectedAnswerError } from './errors.ts';
import type { Problem } from './wire.ts';

/** Body of an answer of 2xx. @throws ApiError, UnexpectedAnswerError */
export async function readAnswer<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  const value = parsed(text);
  const waitMs = response.ok ? undefined : retryAfterMs(response.headers);
  if (!response.ok && isProblem(value)) throw new ApiError(value, waitMs);
  if (!response.ok || value === undefined) throw new UnexpectedAnswerError(response.status, text, waitMs);
  return value as Body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value && 'requestId' in value;
}

/** Seconds or a date, as RFC 9110 has it. A browser shows the header only where the service lets it: problems repeat it. */
function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const waitMs = Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
