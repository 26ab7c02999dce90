import type { TSchema } from 'typebox';
import type { ErrorCode } from '../core/errorTable.ts';
import type { QueryName } from './query.ts';

export type RouteSpec = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `{name}` for a parameter, as in OpenAPI. */
  readonly path: string;
  readonly idExample?: string;
  readonly summary: string;
  readonly description?: string;
  readonly needsKey?: true;
  /** HTTP Basic with the e-mail and the password of an account. */
  readonly needsPassword?: true;
  /** What a request uses up once its body is in order; `keepsOn4xx`: also where it is refused after that. */
  readonly limit?: { readonly name: 'forecasts' | 'signUps'; readonly keepsOn4xx: boolean };
  readonly body?: {
    readonly schema: TSchema;
    readonly example: () => unknown;
    /** Which limit of its bytes holds; absent: that of a forecast. */
    readonly limit?: 'batch' | 'account';
  };
  /** Query parameters that are read; any other is refused. Absent: the query is not looked at. */
  readonly query?: readonly QueryName[];
  readonly answer: {
    readonly status: 200 | 201;
    readonly description: string;
    readonly schema: TSchema;
    readonly example?: unknown;
    /** In place of `example` where the answer has several forms, by name. */
    readonly examples?: Readonly<Record<string, unknown>>;
    /** A page is answered instead to whoever prefers HTML, where the service has been built. */
    readonly alsoHtml?: true;
    /** Absent: application/json. */
    readonly type?: 'text/html; charset=utf-8' | 'text/plain; charset=utf-8';
    /** Carries an ETag, and is answered 304 where If-None-Match names it. */
    readonly revalidates?: true;
    /** Answers of at least so many bytes are compressed for callers that take gzip; absent: none. */
    readonly gzipFromBytes?: number;
  };
  /** Operations that take an id from this answer, and the JSON Pointer to it. */
  readonly links?: readonly { readonly to: string; readonly id: string }[];
  /** Codes of its own, beside TRANSPORT_CODES. */
  readonly errors: readonly ErrorCode[];
};

/**
 * Largest body of an account route: the longest legal sign-up is 15,607 bytes, with every character of company (128), e-mail (254), password (1,024),
 * its confirmation and the four names written as an escape.
 */
export const ACCOUNT_BODY_LIMIT_BYTES = 16 * 1024;

/** Below, compression saves less than a packet. */
export const GZIP_FROM_BYTES = 1400;
/** A forecast of 500 ticks, 26 kB, stays as it is: its short path would take half as long again; from some 1200 ticks on the bytes matter more. */
export const GZIP_FORECAST_FROM_BYTES = 64 * 1024;
export const REVALIDATED = { revalidates: true, gzipFromBytes: GZIP_FROM_BYTES } as const;

/** Codes that any request can meet, whatever its path. */
export const TRANSPORT_CODES = [
  'request.malformed_http',
  'request.timeout',
  'request.headers_too_large',
  'route.not_found',
  'route.method_not_allowed',
  'internal.unexpected',
] as const satisfies readonly ErrorCode[];

export const BODY_CODES = [
  'request.malformed_json',
  'request.duplicate_key',
  'request.too_large',
  'request.media_type_unsupported',
  'request.encoding_unsupported',
  'request.invalid',
] as const satisfies readonly ErrorCode[];

export const KEY_CODES = ['auth.key_refused', 'limit.exceeded', 'store.unavailable'] as const satisfies readonly ErrorCode[];

export const INFERENCE_CODES = ['inference.failed', 'inference.overloaded', 'inference.deadline'] as const satisfies readonly ErrorCode[];

export const PASSWORD_CODES = [
  'request.invalid',
  'auth.password_refused',
  'limit.exceeded',
  'account.busy',
  'account.unknown',
  'store.unavailable',
  'service.not_ready',
] as const satisfies readonly ErrorCode[];
