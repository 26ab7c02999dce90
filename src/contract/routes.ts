import type { TSchema } from 'typebox';
import type { ErrorCode } from '../core/errorTable.ts';
import { IndexAnswerSchema, LiveAnswerSchema, ReadyAnswerSchema } from './health.ts';
import {
  IssuedKeySchema,
  ISSUED_KEY_EXAMPLE,
  KEY_EXAMPLE,
  KeyListSchema,
  KeyRequestSchema,
  KEY_REQUEST_EXAMPLE,
  KeySchema,
  MessageSchema,
  ACCOUNT_DELETED_EXAMPLE,
  PASSWORD_CHANGED_EXAMPLE,
  PASSWORD_REQUEST_EXAMPLE,
  ROTATED_KEY_EXAMPLE,
  PasswordRequestSchema,
  RotatedKeySchema,
} from './account.ts';
import {
  DETAILED_FORECAST_EXAMPLE,
  INDEX_EXAMPLE,
  ME_EXAMPLE,
  MODEL_EXAMPLE,
  MODEL_LIST_EXAMPLE,
  READY_EXAMPLE,
  RULE_SET_EXAMPLE,
  RULE_SET_LIST_EXAMPLE,
} from './answerExamples.ts';
import { exampleProblem } from './problemExamples.ts';
import { MeAnswerSchema } from './me.ts';
import { ModelAnswerSchema, ModelListAnswerSchema } from './models.ts';
import { RuleSetAnswerSchema, RuleSetListAnswerSchema } from './rules.ts';
import { SIGNUP_ANSWER_EXAMPLE, SIGNUP_REQUEST_EXAMPLE, SignupAnswerSchema, SignupRequestSchema } from './signup.ts';
import { EXAMPLE_MODEL_ID, EXAMPLE_RULE_SET_ID, type QueryName } from './query.ts';
import { exampleTickBatch, TickBatchAnswerSchema, TickBatchRequestSchema } from './tickBatch.ts';
import { exampleTickRequest, TickAnswerSchema, TickRequestSchema } from './tickForecast.ts';

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
    /** Which limit of its bytes holds; absent: that of most routes. */
    readonly limit?: 'batch';
  };
  /** Query parameters that are read; any other is refused. Absent: the query is not looked at. */
  readonly query?: readonly QueryName[];
  readonly answer: {
    readonly status: 200 | 201;
    readonly description: string;
    readonly schema: TSchema;
    readonly example?: unknown;
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

/** Below, compression saves less than a packet. */
const GZIP_FROM_BYTES = 1400;
/** A forecast of 500 ticks, 26 kB, stays as it is: its short path would take half as long again; from some 1200 ticks on the bytes matter more. */
const GZIP_FORECAST_FROM_BYTES = 64 * 1024;
const REVALIDATED = { revalidates: true, gzipFromBytes: GZIP_FROM_BYTES } as const;

/** Codes that any request can meet, whatever its path. */
export const TRANSPORT_CODES = [
  'request.malformed_http',
  'request.timeout',
  'request.headers_too_large',
  'route.not_found',
  'route.method_not_allowed',
  'internal.unexpected',
] as const satisfies readonly ErrorCode[];

const BODY_CODES = [
  'request.malformed_json',
  'request.duplicate_key',
  'request.too_large',
  'request.media_type_unsupported',
  'request.encoding_unsupported',
  'request.invalid',
] as const satisfies readonly ErrorCode[];

const KEY_CODES = ['auth.key_refused', 'limit.exceeded', 'store.unavailable'] as const satisfies readonly ErrorCode[];

const INFERENCE_CODES = ['inference.failed', 'inference.overloaded', 'inference.deadline'] as const satisfies readonly ErrorCode[];

const PASSWORD_CODES = [
  'request.invalid',
  'auth.password_refused',
  'limit.exceeded',
  'account.busy',
  'account.unknown',
  'store.unavailable',
  'service.not_ready',
] as const satisfies readonly ErrorCode[];

/** Every route of the service. The router, the OpenAPI document and the tests are made from this table. */
export const ROUTES = {
  index: {
    method: 'GET',
    path: '/',
    summary: 'What to do next',
    answer: {
      status: 200,
      description: 'Where to go from here; a page to whoever prefers HTML.',
      schema: IndexAnswerSchema,
      example: INDEX_EXAMPLE,
      alsoHtml: true,
    },
    errors: [],
  },
  signUp: {
    method: 'POST',
    path: '/signup',
    summary: 'Create an account and get its API key, once',
    limit: { name: 'signUps', keepsOn4xx: true },
    body: { schema: SignupRequestSchema, example: () => SIGNUP_REQUEST_EXAMPLE },
    query: [],
    answer: {
      status: 201,
      description: 'The account exists; the key is shown in this answer only (Cache-Control: no-store).',
      schema: SignupAnswerSchema,
      example: SIGNUP_ANSWER_EXAMPLE,
    },
    errors: [
      ...BODY_CODES,
      'account.email_taken',
      'account.signup_closed',
      'account.busy',
      'limit.exceeded',
      'store.unavailable',
      'service.not_ready',
    ],
  },
  tickForecast: {
    method: 'POST',
    path: '/auth/ti-tick',
    summary: 'Ask whether a trade opportunity is identified at a future timestamp',
    description:
      'Entries before the last are null. The last is 1 when, from the first price at least 1 s after the last tick sent to the last price at or ' +
      'before the future timestamp, a move larger than the threshold is called; else null. It says nothing of the direction.',
    needsKey: true,
    limit: { name: 'forecasts', keepsOn4xx: false },
    body: { schema: TickRequestSchema, example: exampleTickRequest },
    query: ['detail', 'min_move_bps', 'model', 'timing'],
    answer: {
      status: 200,
      description: 'One key per submitted timestamp, verbatim; equal timestamps share one key.',
      schema: TickAnswerSchema,
      gzipFromBytes: GZIP_FORECAST_FROM_BYTES,
      example: {
        '2024-01-02 09:33:18.000': { trend_identified: null },
        '2024-01-02 09:34:18.000': { trend_identified: 1 },
      },
    },
    errors: [...BODY_CODES, ...KEY_CODES, 'model.unknown', ...INFERENCE_CODES, 'service.not_ready'],
  },
  tickBatch: {
    method: 'POST',
    path: '/auth/ti-tick/batch',
    summary: 'Ask for up to 64 forecasts in one request',
    description:
      'Each item is a body of POST /auth/ti-tick and gets its own result, in order: the same answer byte for byte, or the problem that it would get ' +
      'alone. An item uses forecast quota as a request of its own; one beyond it gets a 429 with retryAfterSeconds, the others are answered.',
    needsKey: true,
    limit: { name: 'forecasts', keepsOn4xx: false },
    body: { schema: TickBatchRequestSchema, example: exampleTickBatch, limit: 'batch' },
    query: ['detail', 'min_move_bps', 'model', 'timing'],
    answer: {
      status: 200,
      description: 'One result for each item; the status of the whole is 200 even where every item has a problem.',
      schema: TickBatchAnswerSchema,
      gzipFromBytes: GZIP_FORECAST_FROM_BYTES,
      example: {
        results: [
          {
            status: 200,
            body: { '2024-01-02 09:33:18.000': { trend_identified: null }, '2024-01-02 09:34:18.000': { trend_identified: 1 } },
          },
          {
            status: 429,
            problem: exampleProblem('limit.exceeded'),
          },
        ],
      },
    },
    errors: [...BODY_CODES, ...KEY_CODES, 'model.unknown', ...INFERENCE_CODES, 'service.not_ready'],
  },
  me: {
    method: 'GET',
    path: '/auth/me',
    summary: 'Whom the key belongs to',
    needsKey: true,
    query: [],
    answer: { status: 200, description: 'The account and the key, without the key itself.', schema: MeAnswerSchema, example: ME_EXAMPLE },
    errors: ['request.invalid', ...KEY_CODES, 'service.not_ready'],
  },
  rotateKey: {
    method: 'POST',
    path: '/auth/keys/rotate',
    summary: 'Replace the key that the request carries',
    description: 'The new key has the name and the expiry of the old one, which works on for a grace time (KEY_ROTATION_GRACE_S).',
    needsKey: true,
    query: [],
    answer: {
      status: 201,
      description: 'The new key, shown in this answer only, and when the old one ends.',
      schema: RotatedKeySchema,
      example: ROTATED_KEY_EXAMPLE,
    },
    errors: ['request.invalid', ...KEY_CODES, 'account.too_many_keys', 'account.unknown', 'key.unknown', 'service.not_ready'],
  },
  keyList: {
    method: 'GET',
    path: '/account/keys',
    summary: 'The keys of the account, without the keys themselves',
    needsPassword: true,
    query: [],
    answer: { status: 200, description: 'Oldest first.', schema: KeyListSchema, example: { keys: [KEY_EXAMPLE] } },
    links: [{ to: 'revokeKey', id: '/keys/0/id' }],
    errors: PASSWORD_CODES,
  },
  issueKey: {
    method: 'POST',
    path: '/account/keys',
    summary: 'Issue one more key: the way back after a lost one',
    needsPassword: true,
    body: { schema: KeyRequestSchema, example: () => KEY_REQUEST_EXAMPLE },
    query: [],
    answer: { status: 201, description: 'The key, shown in this answer only.', schema: IssuedKeySchema, example: ISSUED_KEY_EXAMPLE },
    links: [{ to: 'revokeKey', id: '/id' }],
    errors: [...BODY_CODES, ...PASSWORD_CODES, 'account.too_many_keys'],
  },
  revokeKey: {
    method: 'DELETE',
    path: '/account/keys/{id}',
    idExample: KEY_EXAMPLE.id,
    summary: 'Revoke a key at once',
    description: 'A key that is revoked already stays so. Other processes of the service take it for good for some seconds more.',
    needsPassword: true,
    query: [],
    answer: { status: 200, description: 'The key as it is now.', schema: KeySchema, example: KEY_EXAMPLE },
    errors: [...PASSWORD_CODES, 'key.unknown'],
  },
  changePassword: {
    method: 'POST',
    path: '/account/password',
    summary: 'Change the password',
    needsPassword: true,
    body: { schema: PasswordRequestSchema, example: () => PASSWORD_REQUEST_EXAMPLE },
    query: [],
    answer: { status: 200, description: 'It is changed; keys stay as they are.', schema: MessageSchema, example: PASSWORD_CHANGED_EXAMPLE },
    errors: [...BODY_CODES, ...PASSWORD_CODES],
  },
  deleteAccount: {
    method: 'DELETE',
    path: '/account',
    summary: 'Delete the account and all its keys',
    needsPassword: true,
    query: [],
    answer: {
      status: 200,
      description: 'Nothing of it is left but the lines of the audit log, which name nobody.',
      schema: MessageSchema,
      example: ACCOUNT_DELETED_EXAMPLE,
    },
    errors: PASSWORD_CODES,
  },
  modelList: {
    method: 'GET',
    path: '/models',
    summary: 'The loaded model versions',
    query: [],
    answer: {
      status: 200,
      description: 'Every version that can answer, and which one does by default.',
      schema: ModelListAnswerSchema,
      example: MODEL_LIST_EXAMPLE,
      ...REVALIDATED,
    },
    links: [{ to: 'model', id: '/default' }],
    errors: ['request.invalid', 'service.not_ready'],
  },
  model: {
    method: 'GET',
    path: '/models/{id}',
    idExample: EXAMPLE_MODEL_ID,
    summary: 'One model version with its card',
    query: [],
    answer: { status: 200, description: 'The version and its card.', schema: ModelAnswerSchema, example: MODEL_EXAMPLE, ...REVALIDATED },
    errors: ['request.invalid', 'model.unknown', 'service.not_ready'],
  },
  ruleSetList: {
    method: 'GET',
    path: '/rules',
    summary: 'The rule sets that answers pass through',
    query: [],
    answer: {
      status: 200,
      description: 'Every loaded rule set, and which one is applied.',
      schema: RuleSetListAnswerSchema,
      example: RULE_SET_LIST_EXAMPLE,
      ...REVALIDATED,
    },
    links: [{ to: 'ruleSet', id: '/default' }],
    errors: ['request.invalid', 'service.not_ready'],
  },
  ruleSet: {
    method: 'GET',
    path: '/rules/{id}',
    idExample: EXAMPLE_RULE_SET_ID,
    summary: 'One rule set, rule by rule',
    query: [],
    answer: {
      status: 200,
      description: 'Its rules and the predicates that they name.',
      schema: RuleSetAnswerSchema,
      example: RULE_SET_EXAMPLE,
      ...REVALIDATED,
    },
    errors: ['request.invalid', 'rules.unknown', 'service.not_ready'],
  },
  sample: {
    method: 'GET',
    path: '/sample',
    summary: 'A request body that is ready to post',
    query: [],
    answer: {
      status: 200,
      description: '500 generated ticks and a future timestamp 60 s on.',
      schema: TickRequestSchema,
      example: exampleTickRequest(),
      ...REVALIDATED,
    },
    errors: ['request.invalid', 'service.not_ready'],
  },
  sampleForecast: {
    method: 'GET',
    path: '/sample/forecast',
    summary: 'The full answer to the sample, without a key',
    query: [],
    answer: {
      status: 200,
      description: 'As POST /auth/ti-tick?detail=full answers the sample; computed once.',
      schema: TickAnswerSchema,
      example: DETAILED_FORECAST_EXAMPLE,
      ...REVALIDATED,
    },
    errors: ['request.invalid', ...INFERENCE_CODES, 'service.not_ready'],
  },
  live: {
    method: 'GET',
    path: '/health/live',
    summary: 'Whether the process answers',
    answer: { status: 200, description: 'It does.', schema: LiveAnswerSchema, example: { status: 'live' } },
    errors: [],
  },
  ready: {
    method: 'GET',
    path: '/health/ready',
    summary: 'Whether forecasts are answered, and by what',
    answer: {
      status: 200,
      description: 'Model, backend and device, and why better backends were refused.',
      schema: ReadyAnswerSchema,
      example: READY_EXAMPLE,
    },
    errors: ['service.not_ready'],
  },
  openApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document',
    query: [],
    answer: { status: 200, description: 'OpenAPI 3.1.', schema: { type: 'object' }, ...REVALIDATED },
    errors: ['request.invalid'],
  },
  docs: {
    method: 'GET',
    path: '/docs',
    summary: 'This document as a page',
    description: 'Without scripts and without anything from elsewhere.',
    query: [],
    answer: { status: 200, description: 'HTML.', type: 'text/html; charset=utf-8', schema: { type: 'string' }, ...REVALIDATED },
    errors: ['request.invalid'],
  },
  llms: {
    method: 'GET',
    path: '/llms.txt',
    summary: 'What a language model needs to call the service',
    query: [],
    answer: {
      status: 200,
      description: 'Markdown, as llmstxt.org has it.',
      type: 'text/plain; charset=utf-8',
      schema: { type: 'string' },
      ...REVALIDATED,
    },
    errors: ['request.invalid'],
  },
} as const satisfies Record<string, RouteSpec>;

export type RouteName = keyof typeof ROUTES;
