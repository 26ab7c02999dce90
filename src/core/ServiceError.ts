import { ERROR_TABLE, type ErrorCode, FIELD_CODES, type FieldCode } from './errorTable.ts';

/** One broken rule of one field. `pointer` is a JSON Pointer into the body, or `?name` for a query parameter. */
export type FieldProblem = {
  readonly pointer: string;
  readonly code: FieldCode;
  /** Names the field, the rule and the value. */
  readonly detail: string;
  readonly hint: string;
};

export function fieldProblem(pointer: string, code: FieldCode, detail: string): FieldProblem {
  return { pointer, code, detail, hint: FIELD_CODES[code] };
}

export type ServiceErrorExtra = {
  readonly errors?: readonly FieldProblem[];
  readonly cause?: unknown;
  /** What to do in this case; default: the remedy of the code. */
  readonly remedy?: string;
  /** Header fields that the answer must have, such as `Retry-After` or `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** Marks the instances of every copy of this module: a loader can create two copies of a module that is imported in two ways. */
const BRAND = Symbol.for('tickmark.ServiceError');

/** Codes of load shedding. Their errors have no stack trace: it is half of their cost, and the origin is known. */
const SHED: ReadonlySet<ErrorCode> = new Set(['inference.overloaded', 'inference.deadline', 'limit.exceeded']);

/** The only error that crosses folders. `message` is sent to the caller: it never contains a secret or a stack trace. */
export class ServiceError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  readonly code: ErrorCode;
  readonly errors: readonly FieldProblem[];
  readonly headers: Readonly<Record<string, string>>;
  readonly remedy: string;

  constructor(code: ErrorCode, detail: string, extra: ServiceErrorExtra = {}) {
    const frames = Error.stackTraceLimit;
    if (SHED.has(code)) Error.stackTraceLimit = 0;
    super(detail, extra.cause === undefined ? {} : { cause: extra.cause });
    Error.stackTraceLimit = frames;
    this.name = 'ServiceError';
    Object.defineProperty(this, BRAND, { value: true });
    this.code = code;
    this.errors = extra.errors ?? [];
    this.headers = extra.headers ?? {};
    this.remedy = extra.remedy ?? ERROR_TABLE[code].remedy;
  }

  get status(): number {
    return ERROR_TABLE[this.code].status;
  }

  get title(): string {
    return ERROR_TABLE[this.code].title;
  }
}

/** A 422 with the broken rules; the detail repeats the first one for logs and terminals. */
export function invalidRequest(errors: readonly FieldProblem[]): ServiceError {
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new ServiceError('request.invalid', `${errors[0]?.detail ?? 'A rule is broken.'}${more}`, { errors });
}

/** A value for a message: on one line, truncated to `limit` characters. */
export function quoteValue(value: unknown, limit = 60): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, limit + 1)) : String(JSON.stringify(value) ?? value);
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
