import type { ErrorCode, Problem } from './wire.ts';

/** One broken rule of one field of a request. */
export type FieldProblem = NonNullable<Problem['errors']>[number];

/** Every failed call throws one of these, distinguished by `kind` or class. An aborted call throws the reason of its signal. */
export abstract class TickmarkError extends Error {
  abstract readonly kind: 'api' | 'connection' | 'timeout' | 'unexpected_answer' | 'live_refused';
}

/** The service refused the request, with a reason. `message` is the problem's detail; `code` never changes between releases. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends TickmarkError {
  override readonly name = 'ApiError';
  readonly kind = 'api';
  readonly code: Code;
  /** HTTP status. */
  readonly status: number;
  /** The whole answer, RFC 9457. */
  readonly problem: Problem;
  /** The id to quote to the operator of the service. */
  readonly requestId: string;
  /** How long to wait before another try; undefined: waiting does not help, or the time is not known. */
  readonly retryAfterMs: number | undefined;
  /** The broken rules of `request.invalid`; else empty. */
  readonly fieldErrors: readonly FieldProblem[];

  constructor(problem: Problem, retryAfterMs?: number) {
    super(problem.detail);
    this.code = problem.code as Code;
    this.status = problem.status;
    this.problem = problem;
    this.requestId = problem.requestId;
    this.retryAfterMs = problem.retryAfterSeconds === undefined ? retryAfterMs : problem.retryAfterSeconds * 1000;
    this.fieldErrors = problem.errors ?? [];
  }

  /** Whether it is one of these codes; the type follows. */
  has<Wanted extends ErrorCode>(...codes: readonly Wanted[]): this is ApiError<Wanted> {
    return (codes as readonly ErrorCode[]).includes(this.code);
  }
}

/** No answer arrived: refused, reset, or no such host. `cause` is what fetch threw. */
export class ConnectionError extends TickmarkError {
  override readonly name = 'ConnectionError';
  readonly kind = 'connection';
}

/** The whole call, its retries and waits included, took longer than `timeoutMs`. `cause`: what its last try met, if it met anything. */
export class TimeoutError extends TickmarkError {
  override readonly name = 'TimeoutError';
  readonly kind = 'timeout';
  readonly timeoutMs: number;

  constructor(timeoutMs: number, cause?: unknown) {
    super(`There was no answer within ${timeoutMs} ms.`, cause === undefined ? {} : { cause });
    this.timeoutMs = timeoutMs;
  }
}

/** The response is not from tickmark: most often a proxy's page, or another service at this address. */
export class UnexpectedAnswerError extends TickmarkError {
  override readonly name = 'UnexpectedAnswerError';
  readonly kind = 'unexpected_answer';
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, text: string, retryAfterMs?: number) {
    super(`Status ${status} with a body that is not of tickmark: ${JSON.stringify(text.slice(0, 100))}.`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The service ended a live connection for good: the key was not accepted, was revoked or has ended. */
export class LiveRefusedError extends TickmarkError {
  override readonly name = 'LiveRefusedError';
  readonly kind = 'live_refused';
  /** Close code of the WebSocket. */
  readonly code: number;

  constructor(code: number, reason: string) {
    super(`The service closed the connection with ${code}${reason === '' ? '' : `: ${reason}`}.`);
    this.code = code;
  }
}

/** A tick or a bar that breaks a rule; none of its call was sent. */
export class TickError extends RangeError {
  override readonly name = 'TickError';
  /** Place of the tick in the call, from 0. */
  readonly index: number;
  readonly field: 'time' | 'price' | 'bid' | 'ask' | 'open' | 'high' | 'low' | 'close';

  constructor(index: number, field: TickError['field'], rule: string, value: unknown, what = 'tick') {
    super(`${what} ${index}: ${field} ${rule}; it is ${String(value)}`);
    this.index = index;
    this.field = field;
  }
}

/** `error instanceof ApiError` with one of the codes, or any of them where none is named. */
export function isApiError<Code extends ErrorCode>(error: unknown, ...codes: readonly Code[]): error is ApiError<Code> {
  return error instanceof ApiError && (codes.length === 0 || error.has(...codes));
}
