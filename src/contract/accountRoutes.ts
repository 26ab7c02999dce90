import * as account from './account.ts';
import { TRACK_RECORD_EXAMPLE, TrackRecordSchema } from './trackRecord.ts';
import { ME_EXAMPLE } from './answerExamples.ts';
import { BODY_CODES, GZIP_FROM_BYTES, KEY_CODES, PASSWORD_CODES, type RouteSpec, created, ok } from './routeSpec.ts';

const BY_KEY = { tag: 'Accounts', needsKey: true, query: [] } as const;
const BY_PASSWORD = { tag: 'Accounts', needsPassword: true, query: [] } as const;
const BY_SESSION = { tag: 'Accounts', needsPassword: true, takesSession: true, query: [] } as const;
const OPEN = { tag: 'Accounts', query: [] } as const;

/** Accounts and their keys. */
export const ACCOUNT_ROUTES = {
  signUp: {
    ...OPEN,
    method: 'POST',
    path: '/signup',
    summary: 'Create an account and get its API key, once',
    limit: { name: 'signUps', keepsOn4xx: true },
    body: {
      schema: account.SignupRequestSchema,
      example: () => ({
        company_id: 'example-fund',
        email: 'trader@example.com',
        password: 'correct horse 42',
        confirm_password: 'correct horse 42',
      }),
      limit: 'account',
    },
    answer: created('The account exists; the key is shown only in this answer (Cache-Control: no-store).', account.SignupAnswerSchema, {
      message: account.SIGNUP_MESSAGE,
      email: 'trader@example.com',
      api_key: 'tkm_live_<shown once>',
    }),
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
  me: {
    ...BY_KEY,
    method: 'GET',
    path: '/auth/me',
    summary: 'Get the account of the key',
    showsLimit: true,
    answer: ok('The account and the key, without the key itself.', account.MeAnswerSchema, ME_EXAMPLE),
    errors: ['request.invalid', ...KEY_CODES, 'service.not_ready'],
  },
  trackRecord: {
    method: 'GET',
    path: '/auth/track-record',
    tag: 'Accounts',
    summary: 'Get how right the forecasts of the account were',
    description:
      'Counts and sums by UTC day, series, version, horizon bucket and kind of threshold, of live series and requests with `?series=`; their sum, and whether the ' +
      'forecasts beat the volatility baseline. Kept for TRACK_RECORD_RETENTION_DAYS; at most 10,000 rows, the oldest days go first.',
    needsKey: true,
    isHeavy: true,
    query: ['series', 'model', 'from', 'to'],
    answer: { ...ok('The rows, their sum and the conclusion.', TrackRecordSchema, TRACK_RECORD_EXAMPLE), gzipFromBytes: GZIP_FROM_BYTES },
    errors: ['request.invalid', ...KEY_CODES, 'service.not_ready'],
  },
  sealedRecord: {
    ...BY_KEY,
    method: 'GET',
    path: '/auth/track-record/sealed',
    summary: 'Get the sealed forecasts of the account',
    description: 'Lines of JSON for `tickmark record verify`.',
    isHeavy: true,
    answer: { ...ok('The record, sealed now.', { type: 'string' }), type: 'text/plain; charset=utf-8', gzipFromBytes: GZIP_FROM_BYTES },
    errors: ['request.invalid', ...KEY_CODES, 'service.not_ready'],
  },
  rotateKey: {
    ...BY_KEY,
    method: 'POST',
    path: '/auth/keys/rotate',
    summary: 'Replace the key of this request',
    description: 'The new key has the name and the expiry of the old key. The old key still works for a grace time (KEY_ROTATION_GRACE_S).',
    answer: created(
      'The new key, shown only in this answer, and the time when the old key ends.',
      account.RotatedKeySchema,
      account.ROTATED_KEY_EXAMPLE,
    ),
    errors: ['request.invalid', ...KEY_CODES, 'account.too_many_keys', 'account.unknown', 'key.unknown', 'service.not_ready'],
  },
  keyList: {
    ...BY_SESSION,
    method: 'GET',
    path: '/account/keys',
    summary: 'List the keys of the account, without the keys themselves',
    answer: ok('Oldest first.', account.KeyListSchema, { keys: [account.KEY_EXAMPLE] }),
    links: [{ to: 'revokeKey', id: '/keys/0/id' }],
    errors: PASSWORD_CODES,
  },
  issueKey: {
    ...BY_SESSION,
    method: 'POST',
    path: '/account/keys',
    summary: 'Issue another key, for example after a key was lost',
    body: { schema: account.KeyRequestSchema, example: () => ({ name: 'laptop' }), limit: 'account' },
    answer: created('The key, shown only in this answer.', account.IssuedKeySchema, account.ISSUED_KEY_EXAMPLE),
    links: [{ to: 'revokeKey', id: '/id' }],
    errors: [...BODY_CODES, ...PASSWORD_CODES, 'account.too_many_keys'],
  },
  revokeKey: {
    ...BY_SESSION,
    method: 'DELETE',
    path: '/account/keys/{id}',
    idExample: account.KEY_EXAMPLE.id,
    summary: 'Revoke a key at once',
    description:
      'Revoking a key again changes nothing. Other processes of the service may accept the key for some seconds more (KEY_CACHE_MS).',
    answer: ok('The key as it is now.', account.KeySchema, account.KEY_EXAMPLE),
    errors: [...PASSWORD_CODES, 'key.unknown'],
  },
  changePassword: {
    ...BY_PASSWORD,
    method: 'POST',
    path: '/account/password',
    summary: 'Change the password',
    body: {
      schema: account.PasswordRequestSchema,
      example: () => ({ password: 'battery staple 43', confirm_password: 'battery staple 43' }),
      limit: 'account',
    },
    answer: ok('The password was changed and the sessions ended; the keys are unchanged.', account.MessageSchema, {
      message: account.PASSWORD_CHANGED_MESSAGE,
      email: 'trader@example.com',
    }),
    errors: [...BODY_CODES, ...PASSWORD_CODES],
  },
  deleteAccount: {
    ...BY_PASSWORD,
    method: 'DELETE',
    path: '/account',
    summary: 'Delete the account and all its keys',
    answer: ok('The account was deleted. Only its audit log entries remain, without personal data.', account.MessageSchema, {
      message: 'The account and all its keys were deleted.',
      email: 'trader@example.com',
    }),
    errors: PASSWORD_CODES,
  },
} as const satisfies Record<string, RouteSpec>;
