import { STATUS_CODES } from 'node:http';
import { problemOf, retryAfterSeconds, type Told } from '../contract/problem.ts';
import { ROUTES, TRANSPORT_CODES, type RouteName } from '../contract/routes.ts';
import { type ErrorCode } from '../core/errorTable.ts';
import { ServiceError } from '../core/ServiceError.ts';

/** Header fields of every answer: nothing here is a page, may be framed, sniffed or stored on the way. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Added where the caller came by TLS. */
export const TLS_FIELD = 'Strict-Transport-Security';
export const TLS_VALUE = 'max-age=31536000';

const PROBLEM_TYPE = 'application/problem+json';

/** One challenge for every 401 of a kind. */
const KEY_CHALLENGE = 'ApiKey realm="tickmark", header="Api-Key"';
const PASSWORD_CHALLENGE = 'Basic realm="tickmark", charset="UTF-8"';

export function keyRefused(): ServiceError {
  return new ServiceError('auth.key_refused', 'The Api-Key header is missing or its key is not valid.', {
    headers: { 'WWW-Authenticate': KEY_CHALLENGE },
  });
}

export function passwordRefused(): ServiceError {
  return new ServiceError('auth.password_refused', 'The e-mail and password of HTTP Basic are missing or not those of an account.', {
    headers: { 'WWW-Authenticate': PASSWORD_CHALLENGE },
  });
}

/**
 * What the caller is told of a thrown value. Codes that the route does not list (an operator's codes, whose messages name files of this
 * machine) and everything that is no ServiceError become `internal.unexpected` without a word of the cause.
 */
export function asServiceError(thrown: unknown, route: RouteName | undefined): ServiceError {
  const known: readonly ErrorCode[] = route === undefined ? TRANSPORT_CODES : [...TRANSPORT_CODES, ...ROUTES[route].errors];
  if (thrown instanceof ServiceError && known.includes(thrown.code)) return thrown;
  return new ServiceError('internal.unexpected', 'Something unexpected went wrong; the log has the cause under the request id.', {
    cause: thrown,
  });
}

/** A problem as an answer; `fields` are added to those of every answer. Every 503 says when to try again. */
export function problemAnswer(
  error: Told,
  requestId: string,
): { readonly fields: Readonly<Record<string, string>>; readonly body: string } {
  const body = JSON.stringify(problemOf(error, requestId));
  const seconds = retryAfterSeconds(error);
  const retry = seconds === undefined ? {} : { 'Retry-After': String(seconds) };
  const content = { 'Content-Type': PROBLEM_TYPE, 'Content-Length': String(Buffer.byteLength(body)), 'X-Request-Id': requestId };
  return { fields: { ...retry, ...error.headers, ...content }, body };
}

/** A whole HTTP answer as text, for connections whose request could not be parsed. */
export function rawProblem(error: ServiceError, requestId: string, date: string): string {
  const answer = problemAnswer(error, requestId);
  const { body } = answer;
  const { status } = error;
  const fields: Record<string, string> = { ...COMMON_HEADERS, ...answer.fields, Date: date, Connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
