import { ERROR_TABLE, type ErrorCode, type ErrorRow } from '../core/errorTable.ts';
import { fieldProblem, type FieldProblem } from '../core/ServiceError.ts';
import { problemType, type Problem } from './problem.ts';

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
  'route.not_found': { detail: 'There is nothing at "/nothing".' },
  'route.method_not_allowed': { detail: '/signup supports POST; the method is GET.' },
  'auth.key_refused': { detail: 'The Api-Key header is missing or its key is not valid.' },
  'auth.password_refused': { detail: 'The e-mail and password of HTTP Basic are missing or not those of an account.' },
  'limit.exceeded': { detail: 'The limit of 6000 forecasts in 60 s is used up; try again in 12 s.', retryAfterSeconds: 12 },
  'account.email_taken': { detail: 'An account with this e-mail exists.' },
  'account.signup_closed': { detail: 'Sign-up is closed on this service.' },
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
    requestId: '5f0c3a52-6d6e-4b0e-9a55-1f3f0a3f7d11',
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(errors === undefined ? {} : { errors }),
  };
}
