import type { SettingRow } from './SettingRow.ts';

/** The account store, keys, passwords, rate limits and track records. */
export const ACCOUNT_SETTINGS = {
  DATA_DIR: { kind: 'text', default: 'data', about: 'Folder for the account store and your own model versions.' },
  MONGODB_URI: {
    kind: 'text',
    default: '',
    about: 'URI of the MongoDB that stores the accounts; empty: a file in DATA_DIR.',
    secret: true,
  },
  MONGODB_POOL_SIZE: { kind: 'integer', default: '20', min: 1, max: 1000, about: 'Maximum number of connections to MongoDB.' },
  STORE_TIMEOUT_MS: {
    kind: 'integer',
    default: '2500',
    min: 100,
    max: 60000,
    about: 'Maximum time for one call of the account store; after that, the answer is 503.',
  },
  LOCAL_KEY: {
    kind: { oneOf: ['auto', 'off'] },
    default: 'auto',
    about:
      'Print a link that opens the console with a key already set: only on a terminal, with a loopback HOST, no proxy, and accounts in DATA_DIR; off: never.',
  },
  SIGNUP: {
    kind: { oneOf: ['open', 'closed'] },
    default: 'open',
    about: 'open: everyone who can reach the service may sign up; closed: sign-ups are refused.',
  },
  LIMIT_FORECASTS_PER_MINUTE: {
    kind: 'integer',
    default: '6000',
    min: 0,
    max: 100000000,
    about: 'Forecasts per minute for one key; 0: no limit.',
  },
  LIMIT_FORECASTS_PER_MINUTE_PER_ACCOUNT: {
    kind: 'integer',
    also: 'auto',
    default: 'auto',
    min: 0,
    max: 400000000,
    about: 'Forecasts per minute for all keys of one account together; auto: four times the limit of a key; 0: no limit.',
  },
  LIMIT_SIGNUPS_PER_HOUR: {
    kind: 'integer',
    default: '20',
    min: 0,
    max: 1000000,
    about: 'Sign-ups per hour from one address, refused ones included; 0: no limit.',
  },
  LIMIT_LOGINS_PER_MINUTE: {
    kind: 'integer',
    default: '30',
    min: 0,
    max: 1000000,
    about: 'Requests with e-mail and password per minute from one address; 0: no limit.',
  },
  LIMIT_FAILED_LOGINS_PER_HOUR: {
    kind: 'integer',
    default: '20',
    min: 0,
    max: 1000000,
    about: 'Wrong passwords per hour from one address; five times as many for one account from all addresses together; 0: no limit.',
  },
  LIMIT_FAILED_KEYS_PER_MINUTE: {
    kind: 'integer',
    default: '60',
    min: 0,
    max: 1000000,
    about: 'Bad keys per minute from one address; 0: no limit.',
  },
  LIMITS_SHARED: {
    kind: 'boolean',
    default: 'false',
    about:
      'Count limits in MongoDB, for all processes together. Up to half of a quota, counts are reported in the background; beyond, each request waits for one more round trip. Needs MONGODB_URI.',
  },
  KEY_CACHE_MS: {
    kind: 'integer',
    default: '5000',
    min: 0,
    max: 60000,
    about: 'How long a good key is cached; a key that another process revoked keeps working for up to this long.',
  },
  KEY_OUTAGE_MS: {
    kind: 'integer',
    default: '600000',
    min: 0,
    max: 600000,
    about:
      'How long keys work on while the account store does not answer, if they were valid within that time before; 0: until KEY_CACHE_MS. A key that another process revoked just before the outage works for that much longer.',
  },
  KEY_ROTATION_GRACE_S: {
    kind: 'integer',
    default: '86400',
    min: 0,
    max: 2592000,
    about: 'Seconds that the old key keeps working after a rotation.',
  },
  AUDIT_RETENTION_DAYS: {
    kind: 'integer',
    default: '365',
    min: 0,
    max: 36500,
    about: 'Days that audit log entries are kept; 0: forever.',
  },
  TRACK_RECORD: {
    kind: 'boolean',
    default: 'true',
    about: 'Keep how right the forecasts of each account were: counts and sums by day and series, no ticks; false: keep nothing.',
  },
  TRACK_RECORD_RETENTION_DAYS: {
    kind: 'integer',
    default: '400',
    min: 1,
    max: 36500,
    about: 'Days that the rows of track records are kept.',
  },
  TRACK_RECORD_SEALED_LINES: {
    kind: 'integer',
    default: '50000',
    min: 0,
    max: 500000,
    about:
      'Forecasts and outcomes of its series that an account keeps as a sealed record, each about 120 bytes; the oldest go first. 0: forecasts are not sealed.',
  },
  SERIES_MEMORY: {
    kind: 'boolean',
    default: 'true',
    about:
      'Keep what the ticks of each named series said, at most 24 kB a series and 256 series an account, so that its forecasts learn from it: sizes of moves and outcomes, no ticks; false: keep nothing.',
  },
  WEBHOOK_PRIVATE_ADDRESSES: {
    kind: 'boolean',
    default: 'false',
    about:
      'Whether alerts may go to private and loopback addresses, and there over http. Everyone with an account can then send requests within your network.',
  },
  WEBHOOK_TIMEOUT_MS: {
    kind: 'integer',
    default: '10000',
    min: 500,
    max: 60000,
    about: 'Maximum time for one attempt to deliver an alert.',
  },
  WEBHOOK_ATTEMPTS: {
    kind: 'integer',
    default: '8',
    min: 1,
    max: 20,
    about: 'Attempts to deliver an alert before it is given up, after 5 s, 20 s, 80 s and so on, at most two hours apart.',
  },
  PASSWORD_HASH_MEMORY_KIB: { kind: 'integer', default: '19456', min: 19456, max: 1048576, about: 'Memory of one argon2id hash.' },
  PASSWORD_HASH_PASSES: { kind: 'integer', default: '2', min: 2, max: 16, about: 'Passes of one argon2id hash.' },
  PASSWORD_HASH_CONCURRENCY: {
    kind: 'integer',
    default: '0',
    min: 0,
    max: 16,
    about:
      'Password hashes computed at the same time, fewer than UV_THREADPOOL_SIZE; 0: one less than the number of processors or UV_THREADPOOL_SIZE, whichever is smaller, but at least 1.',
  },
  PASSWORD_HASH_QUEUE: {
    kind: 'integer',
    default: '64',
    min: 1,
    max: 10000,
    about: 'Password hashes that may be queued; further ones get 503.',
  },
} as const satisfies Record<string, SettingRow>;
