import { STATUS_CODES } from 'node:http';
import { problemOf, retryAfterSeconds, type PublicError } from '../../contract/problem.ts';
import { ROUTES, TRANSPORT_CODES, type RouteName } from '../../contract/routes.ts';
import type { ErrorCode } from '../../core/errorTable.ts';
import { ServiceError } from '../../core/ServiceError.ts';

/** Header fields of every answer: not a page, not to be framed, sniffed or cached by proxies. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Added if the caller used TLS. */
export const TLS_FIELD = 'Strict-Transport-Security';
export const TLS_VALUE = 'max-age=31536000';

const PROBLEM_TYPE = 'application/problem+json';

/** One challenge for all 401 answers of a kind. */
export const KEY_CHALLENGE = 'ApiKey realm="tickmark", header="Api-Key"';
const BEARER_CHALLENGE = 'Bearer realm="tickmark"';
const PASSWORD_CHALLENGE = 'Basic realm="tickmark", charset="UTF-8"';

/** `byBearer`: the caller sent its key as Authorization: Bearer. */
export function keyRefused(byBearer = false): ServiceError {
  return new ServiceError('auth.key_refused', 'The Api-Key header is missing or its key is not valid.', {
    headers: { 'WWW-Authenticate': byBearer ? BEARER_CHALLENGE : KEY_CHALLENGE },
  });
}

export function passwordRefused(challenge = PASSWORD_CHALLENGE): ServiceError {
  return new ServiceError('auth.password_refused', 'The e-mail and password are missing or not those of an account.', {
    headers: { 'WWW-Authenticate': challenge },
  });
}

/**
 * Converts a thrown value to the error for the caller. Codes that the route does not list (operator codes, whose messages name files of
 * this machine) and values that are not ServiceErrors become `internal.unexpected`, without the cause.
 */
export function asServiceError(thrown: unknown, route: RouteName | undefined): ServiceError {
  return publicError(thrown, route === undefined ? TRANSPORT_CODES : [...TRANSPORT_CODES, ...ROUTES[route].errors]);
}

/** The same for a caller who may get these codes. */
export function publicError(thrown: unknown, known: readonly ErrorCode[]): ServiceError {
  if (thrown instanceof ServiceError && known.includes(thrown.code)) return thrown;
  return new ServiceError('internal.unexpected', 'An unexpected error occurred; the log contains the cause under the request id.', {
    cause: thrown,
  });
}

/** A problem as an answer; `fields` are added to the common ones. Every 503 says when to retry. */
export function problemAnswer(
  error: PublicError,
  requestId: string,
): { readonly fields: Readonly<Record<string, string>>; readonly body: string } {
  const body = JSON.stringify(problemOf(error, requestId));
  const seconds = retryAfterSeconds(error);
  const retry: Record<string, string> = seconds === undefined ? {} : { 'Retry-After': String(seconds) };
  const content = { 'Content-Type': PROBLEM_TYPE, 'Content-Length': String(Buffer.byteLength(body)), 'X-Request-Id': requestId };
  return { fields: { ...retry, ...error.headers, ...content }, body };
}

/** A complete HTTP answer as text, for connections whose request could not be parsed. */
export function rawProblem(error: ServiceError, requestId: string, date: string): string {
  const answer = problemAnswer(error, requestId);
  const { body } = answer;
  const { status } = error;
  const fields: Record<string, string> = { ...COMMON_HEADERS, ...answer.fields, Date: date, Connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
