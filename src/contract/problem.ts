import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';
import { type FieldProblem, type ServiceError, fieldProblem } from '../core/ServiceError.ts';
import { ERROR_TABLE, type ErrorCode, type ErrorRow, type FieldCode, FIELD_CODES } from '../core/errorTable.ts';

const FieldProblemSchema = Type.Object({
  pointer: Type.String({ description: 'JSON Pointer into the body, or ?name for a query parameter.' }),
  code: Type.Unsafe<FieldCode>(Type.Enum(Object.keys(FIELD_CODES))),
  detail: Type.String({ description: 'Names the field, the rule and the value.' }),
  hint: Type.String({ description: 'How to fix it.' }),
});

/** Body of every 4xx and 5xx answer: application/problem+json, RFC 9457. */
export const ProblemSchema = Type.Object({
  type: Type.String({ description: 'URN that identifies the kind of error; not a link.' }),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.Unsafe<ErrorCode>(Type.Enum(Object.keys(ERROR_TABLE))),
  requestId: Type.String({ description: 'Equal to the X-Request-Id header; quote it to the operator.' }),
  retryAfterSeconds: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Equal to the Retry-After header, which the items of a batch cannot have.' }),
  ),
  errors: Type.Optional(Type.Array(FieldProblemSchema, { description: 'The broken rules, for request.invalid.' })),
});

export type Problem = Readonly<Omit<Static<typeof ProblemSchema>, 'errors'>> & { readonly errors?: readonly FieldProblem[] };

/**
 * A URN instead of a link: it is equal on every installation, and RFC 9457 warns that relative references resolve differently on each path.
 * `docs/reference/errors.md` explains each one.
 */
const problemType = (code: ErrorCode): string => `urn:tickmark:error:${code}`;

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

type Sample = { readonly detail: string; readonly errors?: readonly FieldProblem[]; readonly retryAfterSeconds?: number };

const UNKNOWN_FIELD = '"Prices" is not a field of this request.';

/** The answer of the service to one request each; test/e2e/openApi.test.ts checks those that can be reproduced from outside. */
const SAMPLES: Partial<Record<ErrorCode, Sample>> = {
  'request.malformed_http': { detail: 'The bytes received are not a valid HTTP/1.1 request.' },
  'request.malformed_json': { detail: 'NaN is not JSON; send a finite number.' },
  'request.duplicate_key': { detail: 'The body names the key "Price" twice.' },
  'request.timeout': { detail: 'The whole request must arrive within the time limit.' },
  'request.too_large': { detail: 'The body must be at most 1048576 bytes, decompressed; it is larger.' },
  'request.media_type_unsupported': { detail: 'Content-Type must be application/json in UTF-8; it is "text/plain".' },
  'request.encoding_unsupported': { detail: 'Content-Encoding must be gzip or absent; it is "br".' },
  'request.invalid': { detail: UNKNOWN_FIELD, errors: [fieldProblem('/Prices', 'field.unknown', UNKNOWN_FIELD)] },
  'request.headers_too_large': { detail: 'The headers are larger than the limit.' },
  'request.host_refused': {
    detail:
      'Host is "desk.example"; this service listens on a loopback address and answers as localhost, 127.0.0.1 and [::1]. If a proxy sends this name, HOST_NAMES must list it.',
  },
  'route.not_found': { detail: 'There is nothing at "/nothing".' },
  'route.method_not_allowed': { detail: '/signup supports POST; the method is GET.' },
  'cors.origin_refused': {
    detail: 'Pages of "https://desk.example" may not call this service: CORS_ORIGINS must list the origin; it lists none.',
  },
  'auth.key_refused': { detail: 'The Api-Key header is missing or its key is not valid.' },
  'auth.password_refused': { detail: 'The e-mail and password are missing or not those of an account.' },
  'limit.exceeded': { detail: 'The limit of 6000 forecasts in 60 s is used up; try again in 12 s.', retryAfterSeconds: 12 },
  'account.email_taken': { detail: 'An account with this e-mail exists.' },
  'account.signup_closed': { detail: 'Sign-up is closed on this service.' },
  'account.too_many_webhooks': { detail: 'The account has 5 webhooks; at most 5 are allowed.' },
  'webhook.unknown': { detail: 'The account has no webhook with this id.' },
  'key.unknown': { detail: 'The account has no key with this id.' },
  'model.unknown': { detail: 'No model "nothing" is loaded.' },
  'rules.unknown': { detail: 'No rule set "nothing" is loaded.' },
  'service.not_ready': { detail: 'The service is starting.', retryAfterSeconds: 1 },
  'account.busy': { detail: ERROR_TABLE['account.busy'].title, retryAfterSeconds: 1 },
  'store.unavailable': { detail: ERROR_TABLE['store.unavailable'].title, retryAfterSeconds: 1 },
  'inference.overloaded': { detail: 'The service is busy: 512 forecasts are queued already.', retryAfterSeconds: 1 },
  'inference.deadline': { detail: 'The time limit passed while the request was queued.' },
  'internal.unexpected': { detail: 'An unexpected error occurred; the log contains the cause under the request id.' },
};

/** A problem document as the service answers it, for the OpenAPI document. */
export function exampleProblem(code: ErrorCode): Problem {
  const { title, status }: ErrorRow = ERROR_TABLE[code];
  const { detail = title, retryAfterSeconds, errors }: Partial<Sample> = SAMPLES[code] ?? {};
  return {
    type: problemType(code),
    title,
    status,
    detail,
    code,
    requestId: '5f0c3a52',
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(errors === undefined ? {} : { errors }),
  };
}
