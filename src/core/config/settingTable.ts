type Kind = 'text' | 'integer' | 'boolean' | { readonly oneOf: readonly string[] };

export type SettingRow = {
  readonly kind: Kind;
  readonly default: string;
  /** Bounds of an integer, both inclusive. */
  readonly min?: number;
  readonly max?: number;
  /** A word that is also allowed. */
  readonly also?: string;
  /** One sentence for docs and --help. */
  readonly about: string;
  /** Never logged or shown. */
  readonly secret?: true;
};

const text = (preset: string, about: string) => ({ kind: 'text', default: preset, about }) as const;
const flag = (preset: boolean, about: string) => ({ kind: 'boolean', default: String(preset), about }) as const;
const oneOf = <const Words extends readonly string[]>(words: Words, preset: Words[number], about: string) => ({
  ...{ kind: { oneOf: words }, default: preset as string, about },
});
/** `range`: least and most, both allowed. */
const whole = (preset: number, [min, max]: readonly [number, number], about: string) =>
  ({ kind: 'integer', default: String(preset), min, max, about }) as const;
const wholeOrAuto = (range: readonly [number, number], about: string) =>
  ({ ...whole(0, range, about), default: 'auto', also: 'auto' }) as const;

/** What RUNTIME_BACKEND and `--device` accept: `auto`, or a backend by name (BackendName), best first. */
export const BACKEND_CHOICES = ['auto', 'cuda', 'tensorflow-cuda', 'native', 'wasm', 'cpu'] as const;
export type BackendChoice = (typeof BACKEND_CHOICES)[number];

/** Processes, addresses, log and stop. */
const SERVICE_SETTINGS = {
  HOST: text('127.0.0.1', 'Address to listen on; 0.0.0.0 means all addresses.'),
  HOST_NAMES: text(
    '',
    'Comma-separated host names under which the service answers while HOST is a loopback address, besides localhost and loopback addresses; needed for a proxy on this machine that passes on the name of the caller; *: any name.',
  ),
  PORT: whole(8080, [0, 65_535], 'Port to listen on; 0 picks a free port.'),
  WORKERS: wholeOrAuto(
    [1, 64],
    'Number of worker processes that serve the port together, each with its own network or all with one inference process; auto: one per processor (of the CPU quota in a container), as far as half of the memory allows, and only one if the network needs an inference process.',
  ),
  METRICS_HOST: text('127.0.0.1', 'Address that /metrics listens on; everyone who can reach it sees all metrics.'),
  METRICS_PORT: whole(0, [0, 65_535], 'Port of /metrics, for Prometheus; 0 turns it off.'),
  START_TIMEOUT_MS: whole(
    480_000,
    [1000, 3_600_000],
    'Maximum time to start or restart a process of the service; the probe of one backend may take 3/8 of it. The first use of a GPU can take minutes.',
  ),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'silent'], 'info', 'Lowest severity that is logged.'),
  LOG_FORMAT: oneOf(
    ['auto', 'json', 'text'],
    'auto',
    'Form of the log on standard error: json, one value a line; text, lines for people; auto: text on a terminal, json elsewhere.',
  ),
  LOG_ADDRESSES: flag(
    true,
    "Whether a request line of the log has the caller's address (TRUST_PROXY says which); without it, the operator cannot tell whose requests fail or flood.",
  ),
  TRUST_PROXY: flag(false, "Read the caller's address from X-Forwarded-For; set it only behind your own proxy."),
  CORS_ORIGINS: text('', 'Comma-separated origins whose pages may call the service from a browser; *: all; empty: none.'),
  SHUTDOWN_DELAY_MS: whole(
    0,
    [0, 60_000],
    'Time after SIGTERM or Ctrl-C in which /health/ready answers 503 and requests are still accepted, so that a proxy stops sending them before connections are refused; SHUTDOWN_GRACE_MS starts after it.',
  ),
  SHUTDOWN_GRACE_MS: whole(10_000, [0, 300_000], 'Maximum time to finish requests after SIGTERM or Ctrl-C.'),
  UV_THREADPOOL_SIZE: whole(
    4,
    [2, 128],
    'Threads that hash passwords, decompress bodies and read files; Node.js itself reads this variable. One thread is always kept free of hashing.',
  ),
} satisfies Record<string, SettingRow>;

/** Limits of requests, of the admission queue and of live connections. */
const REQUEST_SETTINGS = {
  BODY_LIMIT_BYTES: whole(1_048_576, [65_536, 16_777_216], 'Maximum body of a forecast request, after decompression.'),
  BATCH_BODY_LIMIT_BYTES: whole(8_388_608, [65_536, 67_108_864], 'Maximum body of a batch request, after decompression.'),
  HEADER_LIMIT_BYTES: whole(8192, [4096, 65_536], 'Maximum total size of the request headers.'),
  REQUEST_TIMEOUT_MS: whole(30_000, [1000, 300_000], 'Maximum time to receive a whole request.'),
  FORECAST_DEADLINE_MS: whole(
    2000,
    [10, 60_000],
    'Maximum time from the arrival of a request to its forecast; a request that would take longer gets 503 at once.',
  ),
  FORECAST_QUEUE: whole(
    512,
    [1, 100_000],
    'Forecasts that may be queued in addition to those in flight, about 100 kB each with their bodies; further ones get 503.',
  ),
  LIVE_CONNECTIONS_PER_ACCOUNT: whole(
    16,
    [1, 10_000],
    'Live connections of all keys of an account in each worker; a further one gets 429.',
  ),
  LIVE_SERIES_PER_CONNECTION: whole(64, [1, 1024], 'Open series of one live connection.'),
  LIVE_MEMORY_MB: whole(
    512,
    [1, 100_000],
    'Memory in each worker for open live series, MB; an account may use as much as is free, and a further series gets 429.',
  ),
  LIVE_FORECASTS_PER_SERIES: whole(8, [1, 64], 'Forecasts that one live series may repeat.'),
  LIVE_PENDING_OUTCOMES: whole(
    4096,
    [0, 1_000_000],
    'Forecasts of one live connection that may wait for their outcome; the outcomes of further ones stay unknown.',
  ),
} satisfies Record<string, SettingRow>;

/** The account store, keys, passwords, rate limits and track records. */
const ACCOUNT_SETTINGS = {
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
  TRACK_RECORD_RETENTION_DAYS: whole(400, [1, 36_500], 'Days that the rows of track records are kept after they were last added to.'),
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

/** Markets that the service watches. */
const MARKET_SETTINGS = {
  FEEDS: oneOf(
    ['on', 'off'],
    'on',
    'on: the service connects to the exchanges of the markets that accounts watch; off: it opens no connection to an exchange.',
  ),
  FEED_HOSTS: text(
    '',
    'Hosts of exchanges that the service may connect to, with commas between them, such as stream.binance.com,api.binance.com; for ccxt:NAME that name itself; empty: all of its table and of ccxt.',
  ),
  MARKETS_PER_ACCOUNT: whole(20, [0, 200], 'Markets that an account may have the service watch.'),
  MARKETS_MAX: whole(200, [0, 5000], 'Markets that the service watches for all accounts together.'),
  MARKET_FORECASTS: whole(10_000, [100, 1_000_000], 'Last forecasts that are kept of each watched market, about 0.5 kB each.'),
} satisfies Record<string, SettingRow>;

/** The model version, the rules, and the backend that runs the network. */
const MODEL_SETTINGS = {
  MODELS_DIR: text('', 'Folder for your own model versions, which several machines may share; empty: DATA_DIR/models.'),
  MODEL: text(
    '',
    'Id of the default model version, whatever is promoted; empty: the promoted version, otherwise the newest one that ships with tickmark.',
  ),
  RULES_FILE: text('', 'Rule set to evaluate; empty: the one that ships with tickmark.'),
  RUNTIME_BACKEND: oneOf(
    BACKEND_CHOICES,
    'auto',
    'TensorFlow.js backend; auto uses the first of tensorflow-cuda, wasm and cpu that works, training before them cuda. native trains networks faster that are larger than the shipped one. cuda computes large batches and training on an NVIDIA GPU through its driver, the rest with wasm.',
  ),
  INFERENCE_PROCESS: oneOf(
    ['auto', 'true', 'false'],
    'auto',
    'true runs the network in one child process for all workers, which is restarted if it ends; false runs it in the worker that received the request; auto uses a child process for tensorflow-cuda and native only, because native code can crash.',
  ),
  TF_NUM_INTRAOP_THREADS: whole(1, [0, 256], 'Threads inside one TensorFlow operation; 0: one per processor.'),
  TF_NUM_INTEROP_THREADS: whole(1, [0, 256], 'TensorFlow operations that run at the same time; 0: one per processor.'),
  TF_ENABLE_ONEDNN_OPTS: oneOf(
    ['0', '1'],
    '0',
    '1 turns on the oneDNN kernels of TensorFlow; they are slower for small networks, and their sums differ in the last bits.',
  ),
  TF_CPU_ALLOCATOR_USE_BFC: flag(
    true,
    'true: TensorFlow keeps freed memory for its next tensors; false: it returns freed memory to the system each time.',
  ),
  TF_FORCE_GPU_ALLOW_GROWTH: flag(true, 'true: TensorFlow allocates GPU memory as needed; false: it allocates nearly all of it at once.'),
  NVIDIA_TF32_OVERRIDE: oneOf(
    ['0', '1'],
    '0',
    'TensorFloat-32 on a GPU, which rounds factors to 10 bits: 0 turns it off, and answers equal those of a processor; 1 turns it on for speed.',
  ),
  TF_CPP_MIN_LOG_LEVEL: oneOf(
    ['0', '1', '2', '3'],
    '2',
    'Lowest severity that TensorFlow itself logs on standard error: 0 all, 2 errors, 3 fatal errors.',
  ),
} satisfies Record<string, SettingRow>;

/** Traces, in the names that every OpenTelemetry program reads. */
const TRACE_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: text(
    '',
    'Base URL of an OpenTelemetry collector (OTLP over HTTP), to which traces are sent; empty: no traces, nothing of them is loaded.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: {
    ...text(
      '',
      'Comma-separated headers of the requests to the collector, name=value; the OpenTelemetry library itself reads this variable.',
    ),
    secret: true,
  },
  OTEL_TRACES_SAMPLER_ARG: text(
    '1',
    'Fraction of the requests that are traced, from 0 to 1; a caller that sends traceparent decides for its own.',
  ),
} satisfies Record<string, SettingRow>;

/** Settings by theme; `npm run docs:reference` writes one table for each to `docs/reference/settings.md`. */
export const SETTING_THEMES = {
  'Service, log and stop': SERVICE_SETTINGS,
  'Requests and live connections': REQUEST_SETTINGS,
  'Accounts and limits': ACCOUNT_SETTINGS,
  'Watched markets': MARKET_SETTINGS,
  'Model, rules and backend': MODEL_SETTINGS,
  Traces: TRACE_SETTINGS,
} as const;

/** Every setting. */
export const SETTINGS = {
  ...SERVICE_SETTINGS,
  ...REQUEST_SETTINGS,
  ...ACCOUNT_SETTINGS,
  ...MARKET_SETTINGS,
  ...MODEL_SETTINGS,
  ...TRACE_SETTINGS,
} as const;

export type SettingName = keyof typeof SETTINGS;
