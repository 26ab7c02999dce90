import { flag, oneOf, text, whole, wholeOrAuto, type SettingRow } from './SettingRow.ts';

/** The account store, keys, passwords, rate limits and track records. */
export const ACCOUNT_SETTINGS = {
  DATA_DIR: text('data', 'Folder for the account store and your own model versions.'),
  MONGODB_URI: { ...text('', 'URI of the MongoDB that stores the accounts; empty: a file in DATA_DIR.'), secret: true },
  MONGODB_POOL_SIZE: whole(20, [1, 1000], 'Maximum number of connections to MongoDB.'),
  STORE_TIMEOUT_MS: whole(2500, [100, 60_000], 'Maximum time for one call of the account store; after that, the answer is 503.'),
  LOCAL_KEY: oneOf(
    ['auto', 'off'],
    'auto',
    'Print a link that opens the console with a key already set: only on a terminal, with a loopback HOST, no proxy, and accounts in DATA_DIR; off: never.',
  ),
  SIGNUP: oneOf(['open', 'closed'], 'open', 'open: everyone who can reach the service may sign up; closed: sign-ups are refused.'),
  LIMIT_FORECASTS_PER_MINUTE: whole(6000, [0, 100_000_000], 'Forecasts per minute for one key; 0: no limit.'),
  LIMIT_FORECASTS_PER_MINUTE_PER_ACCOUNT: wholeOrAuto(
    [0, 400_000_000],
    'Forecasts per minute for all keys of one account together; auto: four times the limit of a key; 0: no limit.',
  ),
  LIMIT_SIGNUPS_PER_HOUR: whole(20, [0, 1_000_000], 'Sign-ups per hour from one address, refused ones included; 0: no limit.'),
  LIMIT_LOGINS_PER_MINUTE: whole(30, [0, 1_000_000], 'Requests with e-mail and password per minute from one address; 0: no limit.'),
  LIMIT_FAILED_LOGINS_PER_HOUR: whole(
    20,
    [0, 1_000_000],
    'Wrong passwords per hour from one address; five times as many for one account from all addresses together; 0: no limit.',
  ),
  LIMIT_FAILED_KEYS_PER_MINUTE: whole(60, [0, 1_000_000], 'Bad keys per minute from one address; 0: no limit.'),
  LIMITS_SHARED: flag(
    false,
    'Count limits in MongoDB, for all processes together. Up to half of a quota, counts are reported in the background; beyond, each request waits for one more round trip. Needs MONGODB_URI.',
  ),
  KEY_CACHE_MS: whole(
    5000,
    [0, 60_000],
    'How long a good key is cached; a key that another process revoked keeps working for up to this long.',
  ),
  KEY_OUTAGE_MS: whole(
    600_000,
    [0, 600_000],
    'How long keys work on while the account store does not answer, if they were valid within that time before; 0: until KEY_CACHE_MS. A key that another process revoked just before the outage works for that much longer.',
  ),
  KEY_ROTATION_GRACE_S: whole(86_400, [0, 2_592_000], 'Seconds that the old key keeps working after a rotation.'),
  AUDIT_RETENTION_DAYS: whole(365, [0, 36_500], 'Days that audit log entries are kept; 0: forever.'),
  TRACK_RECORD: flag(
    true,
    'Keep how right the forecasts of each account were: counts and sums by day and series, no ticks; false: keep nothing.',
  ),
  TRACK_RECORD_RETENTION_DAYS: whole(400, [1, 36_500], 'Days that the rows of track records are kept.'),
  TRACK_RECORD_SEALED_LINES: whole(
    50_000,
    [0, 500_000],
    'Forecasts and outcomes of its series that an account keeps as a sealed record, each about 120 bytes; the oldest go first. 0: forecasts are not sealed.',
  ),
  SERIES_MEMORY: flag(
    true,
    'Keep what the ticks of each named series said, at most 24 kB a series and 256 series an account, so that its forecasts learn from it: sizes of moves and outcomes, no ticks; false: keep nothing.',
  ),
  WEBHOOK_PRIVATE_ADDRESSES: flag(
    false,
    'Whether alerts may go to private and loopback addresses, and there over http. Everyone with an account can then send requests within your network.',
  ),
  WEBHOOK_TIMEOUT_MS: whole(10_000, [500, 60_000], 'Maximum time for one attempt to deliver an alert.'),
  WEBHOOK_ATTEMPTS: whole(
    8,
    [1, 20],
    'Attempts to deliver an alert before it is given up, after 5 s, 20 s, 80 s and so on, at most two hours apart.',
  ),
  PASSWORD_HASH_MEMORY_KIB: whole(19_456, [19_456, 1_048_576], 'Memory of one argon2id hash.'),
  PASSWORD_HASH_PASSES: whole(2, [2, 16], 'Passes of one argon2id hash.'),
  PASSWORD_HASH_CONCURRENCY: whole(
    0,
    [0, 16],
    'Password hashes computed at the same time, fewer than UV_THREADPOOL_SIZE; 0: one less than the number of processors or UV_THREADPOOL_SIZE, whichever is smaller, but at least 1.',
  ),
  PASSWORD_HASH_QUEUE: whole(64, [1, 10_000], 'Password hashes that may be queued; further ones get 503.'),
} satisfies Record<string, SettingRow>;
