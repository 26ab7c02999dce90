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

/** Every setting; `npm run docs:reference` writes them to `docs/reference/settings.md`. */
export const SETTINGS = {
  HOST: { kind: 'text', default: '127.0.0.1', about: 'Address to listen on; 0.0.0.0 means all addresses.' },
  PORT: { kind: 'integer', default: '8080', min: 0, max: 65535, about: 'Port to listen on; 0 picks a free port.' },
  WORKERS: {
    kind: 'integer',
    also: 'auto',
    default: 'auto',
    min: 1,
    max: 64,
    about:
      'Number of worker processes that serve the port together, each with its own network or all with one inference process; auto: one per processor, as far as half of the memory allows, and only one if the network needs an inference process.',
  },
  METRICS_HOST: {
    kind: 'text',
    default: '127.0.0.1',
    about: 'Address that /metrics listens on; everyone who can reach it sees all metrics.',
  },
  METRICS_PORT: { kind: 'integer', default: '0', min: 0, max: 65535, about: 'Port of /metrics, for Prometheus; 0 turns it off.' },
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
  MODELS_DIR: { kind: 'text', default: '', about: 'Folder for your own model versions; empty: DATA_DIR/models.' },
  MODEL: {
    kind: 'text',
    default: '',
    about:
      'Id of the default model version, whatever is promoted; empty: the promoted version, otherwise the newest one that ships with tickmark.',
  },
  SHADOW_MODEL: {
    kind: 'text',
    default: '',
    about:
      'Id of a version to try on live traffic: when nothing is queued, it gets the same requests as the default version, and its results are only counted and logged; empty: none.',
  },
  RULES_FILE: { kind: 'text', default: '', about: 'Rule set to evaluate; empty: the one that ships with tickmark.' },
  RUNTIME_BACKEND: {
    kind: { oneOf: ['auto', 'cuda', 'native', 'wasm', 'cpu'] },
    default: 'auto',
    about:
      'TensorFlow.js backend; auto uses the first of cuda, wasm and cpu that works, training also native, which trains faster and serves no faster than wasm.',
  },
  INFERENCE_PROCESS: {
    kind: { oneOf: ['auto', 'true', 'false'] },
    default: 'auto',
    about:
      'true runs the network in one child process for all workers, which is restarted if it ends; false runs it in the worker that received the request; auto uses a child process for cuda and native only, because native code can crash.',
  },
  START_TIMEOUT_MS: {
    kind: 'integer',
    default: '480000',
    min: 1000,
    max: 3600000,
    about:
      'Maximum time to start or restart a process of the service; the probe of one backend may take 3/8 of it. The first use of a GPU can take minutes.',
  },
  TF_NUM_INTRAOP_THREADS: {
    kind: 'integer',
    default: '1',
    min: 0,
    max: 256,
    about: 'Threads inside one TensorFlow operation; 0: one per processor.',
  },
  TF_NUM_INTEROP_THREADS: {
    kind: 'integer',
    default: '1',
    min: 0,
    max: 256,
    about: 'TensorFlow operations that run at the same time; 0: one per processor.',
  },
  TF_ENABLE_ONEDNN_OPTS: {
    kind: { oneOf: ['0', '1'] },
    default: '0',
    about: '1 turns on the oneDNN kernels of TensorFlow; they are slower for small networks, and their sums differ in the last bits.',
  },
  TF_CPU_ALLOCATOR_USE_BFC: {
    kind: 'boolean',
    default: 'true',
    about: 'true: TensorFlow keeps freed memory for its next tensors; false: it returns freed memory to the system each time.',
  },
  TF_FORCE_GPU_ALLOW_GROWTH: {
    kind: 'boolean',
    default: 'true',
    about: 'true: TensorFlow allocates GPU memory as needed; false: it allocates nearly all of it at once.',
  },
  NVIDIA_TF32_OVERRIDE: {
    kind: { oneOf: ['0', '1'] },
    default: '0',
    about:
      'TensorFloat-32 on a GPU, which rounds factors to 10 bits: 0 turns it off, and answers equal those of a processor; 1 turns it on for speed.',
  },
  TF_CPP_MIN_LOG_LEVEL: {
    kind: { oneOf: ['0', '1', '2', '3'] },
    default: '2',
    about: 'Lowest severity that TensorFlow itself logs on standard error: 0 all, 2 errors, 3 fatal errors.',
  },
  LOG_LEVEL: {
    kind: { oneOf: ['debug', 'info', 'warn', 'error', 'silent'] },
    default: 'info',
    about: 'Lowest severity that is logged.',
  },
  LOG_FORMAT: {
    kind: { oneOf: ['auto', 'json', 'text'] },
    default: 'auto',
    about: 'Form of the log on standard error: json, one value a line; text, lines for people; auto: text on a terminal, json elsewhere.',
  },
  TRUST_PROXY: {
    kind: 'boolean',
    default: 'false',
    about: "Read the caller's address from X-Forwarded-For; set it only behind your own proxy.",
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
  CORS_ORIGINS: {
    kind: 'text',
    default: '',
    about: 'Comma-separated origins whose pages may call the service from a browser; *: all; empty: none.',
  },
  LIMIT_FORECASTS_PER_MINUTE: {
    kind: 'integer',
    default: '6000',
    min: 0,
    max: 100000000,
    about: 'Forecasts per minute for one key; 0: no limit.',
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
    about: 'Bad keys per minute from one address, counted in each process; 0: no limit.',
  },
  LIMITS_SHARED: {
    kind: 'boolean',
    default: 'false',
    about: 'Count limits in MongoDB, for all processes together; each forecast then waits for one more round trip. Needs MONGODB_URI.',
  },
  KEY_CACHE_MS: {
    kind: 'integer',
    default: '5000',
    min: 0,
    max: 60000,
    about: 'How long a good key is cached; a key that another process revoked keeps working for up to this long.',
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
  BODY_LIMIT_BYTES: {
    kind: 'integer',
    default: '1048576',
    min: 65536,
    max: 16777216,
    about: 'Maximum body of a forecast request, after decompression.',
  },
  BATCH_BODY_LIMIT_BYTES: {
    kind: 'integer',
    default: '8388608',
    min: 65536,
    max: 67108864,
    about: 'Maximum body of a batch request, after decompression.',
  },
  HEADER_LIMIT_BYTES: { kind: 'integer', default: '8192', min: 4096, max: 65536, about: 'Maximum total size of the request headers.' },
  REQUEST_TIMEOUT_MS: { kind: 'integer', default: '30000', min: 1000, max: 300000, about: 'Maximum time to receive a whole request.' },
  FORECAST_DEADLINE_MS: {
    kind: 'integer',
    default: '2000',
    min: 10,
    max: 60000,
    about: 'Maximum time from the arrival of a request to its forecast; a request that would take longer gets 503 at once.',
  },
  FORECAST_QUEUE: {
    kind: 'integer',
    default: '512',
    min: 1,
    max: 100000,
    about: 'Forecasts that may be queued in addition to those in flight, about 100 kB each with their bodies; further ones get 503.',
  },
  LIVE_CONNECTIONS_PER_KEY: {
    kind: 'integer',
    default: '16',
    min: 1,
    max: 10000,
    about: 'Live connections of one key in each worker; a further one gets 429.',
  },
  LIVE_SERIES_PER_CONNECTION: {
    kind: 'integer',
    default: '64',
    min: 1,
    max: 1024,
    about: 'Open series of one live connection, up to 80 kB each with 3,000 ticks.',
  },
  LIVE_FORECASTS_PER_SERIES: { kind: 'integer', default: '8', min: 1, max: 64, about: 'Forecasts that one live series may repeat.' },
  LIVE_PENDING_OUTCOMES: {
    kind: 'integer',
    default: '4096',
    min: 0,
    max: 1000000,
    about: 'Forecasts of one live connection that may wait for their outcome; the outcomes of further ones stay unknown.',
  },
  SHUTDOWN_GRACE_MS: {
    kind: 'integer',
    default: '10000',
    min: 0,
    max: 300000,
    about: 'Maximum time to finish requests after SIGTERM or Ctrl-C.',
  },
  UV_THREADPOOL_SIZE: {
    kind: 'integer',
    default: '4',
    min: 2,
    max: 128,
    about:
      'Threads that hash passwords, decompress bodies and read files; Node.js itself reads this variable. One thread is always kept free of hashing.',
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

export type SettingName = keyof typeof SETTINGS;
