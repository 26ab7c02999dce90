import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../core/errorTable.ts';
import type { QueryName } from './queryParameters.ts';

/** The groups of routes, as the OpenAPI document describes them. */
export const TAGS = {
  Forecasts: 'Forecasts for ticks that the request contains, and the sample.',
  Accounts: 'Accounts, their keys and their track record.',
  Alerts: 'Targets to which the service posts marks, outcomes and a worse record.',
  Markets: 'Markets that the service watches: forecasts with no client connected.',
  Models: 'The loaded model versions and rule sets.',
  Service: 'Health and descriptions of the service.',
} as const;

type TagName = keyof typeof TAGS;

export type RouteSpec = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `{name}` for a parameter, as in OpenAPI. */
  readonly path: string;
  readonly idExample?: string;
  readonly summary: string;
  readonly tag: TagName;
  readonly description?: string;
  readonly needsKey?: true;
  /** HTTP Basic with the e-mail and the password of an account. */
  readonly needsPassword?: true;
  /** With `needsPassword`: a session counts too. Routes that need a key accept one always. */
  readonly takesSession?: true;
  /** Waits in a serial executor, so that many of its requests at once do not delay forecasts. */
  readonly isHeavy?: true;
  /** The limit of which a valid request takes a permit; `keepsOn4xx`: the permit is kept even if the request is refused later. */
  readonly limit?: { readonly name: 'forecasts' | 'signUps'; readonly keepsOn4xx: boolean };
  /** The answer says what the limit of forecasts leaves, without taking a permit. */
  readonly showsLimit?: true;
  readonly body?: {
    readonly schema: TSchema;
    readonly example: () => unknown;
    /** Which size limit applies; absent: that of a forecast. */
    readonly limit?: 'batch' | 'account';
  };
  /** Query parameters of the route; any other one is refused. Absent: the query is ignored. */
  readonly query?: readonly QueryName[];
  readonly answer: {
    readonly status: 200 | 201;
    readonly description: string;
    readonly schema: TSchema;
    readonly example?: unknown;
    /** Replaces `example` if the answer has several forms; by name. */
    readonly examples?: Readonly<Record<string, unknown>>;
    /** Callers that prefer HTML get a page instead, if the service was built. */
    readonly alsoHtml?: true;
    /** Absent: application/json. */
    readonly type?: 'text/html; charset=utf-8' | 'text/plain; charset=utf-8';
    /** Has an ETag; answered with 304 if If-None-Match contains it. */
    readonly revalidates?: true;
    /** Answers of at least this size are compressed for callers that accept gzip; absent: none. */
    readonly gzipFromBytes?: number;
  };
  /** Operations that take an id from this answer, and the JSON Pointer to it. */
  readonly links?: readonly { readonly to: string; readonly id: string }[];
  /** Codes of this route, in addition to TRANSPORT_CODES. */
  readonly errors: readonly ErrorCode[];
};

type Answer<Status, S> = { readonly status: Status; readonly description: string; readonly schema: S; readonly example?: unknown };

type ExampleOf<S> = S extends TSchema ? Static<S> : unknown;

/** What a route answers if nothing fails, and what it answers if it made something. */
export const ok = <const S>(description: string, schema: S, example?: ExampleOf<S>): Answer<200, S> => ({
  ...{ status: 200, description, schema },
  ...(example === undefined ? {} : { example }),
});
export const created = <const S>(description: string, schema: S, example?: ExampleOf<S>): Answer<201, S> => ({
  ...ok(description, schema, example),
  status: 201,
});

/**
 * Largest body of an account route: the longest valid sign-up has 15,607 bytes, with every character of company (128), e-mail (254),
 * password (1,024), its confirmation and the four names written as an escape.
 */
export const ACCOUNT_BODY_LIMIT_BYTES = 16 * 1024;

/** Below this, compression saves less than one packet. */
export const GZIP_FROM_BYTES = 1400;
/**
 * A forecast of 500 ticks, 26 kB, is not compressed: that would add half to the time of its fast path. From about 1200 ticks on, the saved
 * bytes matter more.
 */
export const GZIP_FORECAST_FROM_BYTES = 64 * 1024;
export const REVALIDATED = { revalidates: true, gzipFromBytes: GZIP_FROM_BYTES } as const;

/** Codes that any request can get, on every path. */
export const TRANSPORT_CODES = [
  'request.malformed_http',
  'request.timeout',
  'request.headers_too_large',
  'request.too_large',
  'request.media_type_unsupported',
  'request.encoding_unsupported',
  'request.host_refused',
  'route.not_found',
  'route.method_not_allowed',
  'cors.origin_refused',
  'internal.unexpected',
] as const satisfies readonly ErrorCode[];

export const BODY_CODES = ['request.malformed_json', 'request.duplicate_key', 'request.invalid'] as const satisfies readonly ErrorCode[];

export const KEY_CODES = [
  'auth.key_refused',
  'session.origin_refused',
  'limit.exceeded',
  'store.unavailable',
] as const satisfies readonly ErrorCode[];

export const INFERENCE_CODES = ['inference.failed', 'inference.overloaded', 'inference.deadline'] as const satisfies readonly ErrorCode[];

export const PASSWORD_CODES = [
  'request.invalid',
  'auth.password_refused',
  'session.origin_refused',
  'limit.exceeded',
  'account.busy',
  'account.unknown',
  'store.unavailable',
  'service.not_ready',
] as const satisfies readonly ErrorCode[];
