import { Type, type Static } from 'typebox';
import { ERROR_TABLE, type ErrorCode } from '../core/errorTable.ts';
import { FIELD_CODES } from '../core/fieldCodes.ts';
import type { FieldProblem, ServiceError } from '../core/ServiceError.ts';

export const FieldProblemSchema = Type.Object(
  {
    pointer: Type.String({ description: 'JSON Pointer into the body, or ?name for a query parameter.' }),
    code: Type.Enum(Object.keys(FIELD_CODES)),
    detail: Type.String({ description: 'Names the field, the rule and the value.' }),
    hint: Type.String({ description: 'How to fix it.' }),
  },
  { additionalProperties: false },
);

/** Body of every 4xx and 5xx answer: application/problem+json, RFC 9457. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'URN that identifies the kind of error; not a link.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.Enum(Object.keys(ERROR_TABLE)),
    requestId: Type.String({ description: 'Equal to the X-Request-Id header; quote it to the operator.' }),
    retryAfterSeconds: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Equal to the Retry-After header, which the items of a batch cannot have.' }),
    ),
    errors: Type.Optional(Type.Array(FieldProblemSchema, { description: 'The broken rules, for request.invalid.' })),
  },
  { additionalProperties: false },
);

export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly requestId: string;
  readonly retryAfterSeconds?: number;
  readonly errors?: readonly FieldProblem[];
};

export type ProblemType = Static<typeof ProblemSchema>['type'];

/**
 * A URN instead of a link: it is equal on every installation, and RFC 9457 warns that relative references resolve differently on each path.
 * `docs/errors.md` explains each one.
 */
export function problemType(code: ErrorCode): ProblemType {
  return `urn:tickmark:error:${code}`;
}

/** The parts of an error that the caller gets. */
export type PublicError = Pick<ServiceError, 'code' | 'title' | 'status' | 'message' | 'errors' | 'headers'>;

/** Seconds until the next attempt; set for every 503. undefined: waiting does not help, or the time is unknown. */
export function retryAfterSeconds(error: PublicError): number | undefined {
  const given = error.headers['Retry-After'];
  if (given !== undefined) return Number(given);
  return error.status === 503 ? 1 : undefined;
}

export function problemOf(error: PublicError, requestId: string): Problem {
  const seconds = retryAfterSeconds(error);
  return {
    type: problemType(error.code),
    title: error.title,
    status: error.status,
    detail: error.message,
    code: error.code,
    requestId,
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
    ...(error.errors.length > 0 ? { errors: error.errors } : {}),
  };
}
