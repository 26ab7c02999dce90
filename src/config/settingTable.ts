type Kind = 'text' | 'integer' | 'boolean' | { readonly oneOf: readonly string[] };

export type SettingRow = {
  readonly kind: Kind;
  readonly default: string;
  /** Bounds of an integer, both allowed. */
  readonly min?: number;
  readonly max?: number;
  /** A word that is allowed too. */
  readonly also?: string;
  /** One sentence for docs and --help. */
  readonly about: string;
  /** Never logged or shown. */
  readonly secret?: true;
};

/** Every setting. `docs/settings.md` lists exactly these; a test compares. */
export const SETTINGS = {
  HOST: { kind: 'text', default: '127.0.0.1', about: 'Address to listen on; 0.0.0.0 for all.' },
  PORT: { kind: 'integer', default: '8080', min: 0, max: 65535, about: 'Port to listen on; 0 takes a free one.' },
  WORKERS: {
    kind: 'integer',
    also: 'auto',
    default: 'auto',
    min: 1,
    max: 64,
    about:
      'Worker processes that serve the port together, each with a network; auto: one for each processor, as far as half of the memory allows, and one where the network needs an inference process.',
  },
  METRICS_HOST: { kind: 'text', default: '127.0.0.1', about: 'Address that /metrics listens on; whoever reaches it sees all figures.' },
  METRICS_PORT: { kind: 'integer', default: '0', min: 0, max: 65535, about: 'Port of /metrics, for Prometheus; 0: none.' },
  DATA_DIR: { kind: 'text', default: 'data', about: 'Folder of the account store and of your own model versions.' },
  MONGODB_URI: {
    kind: 'text',
    default: '',
    about: 'MongoDB that keeps the accounts, by its URI; empty: a file in DATA_DIR.',
    secret: true,
  },
  MONGODB_POOL_SIZE: { kind: 'integer', default: '20', min: 1, max: 1000, about: 'Connections to MongoDB at most.' },
  STORE_TIMEOUT_MS: {
    kind: 'integer',
    default: '2500',
    min: 100,
    max: 60000,
    about: 'Longest time that one call of the account store may take; then the answer is 503.',
  },
  MODELS_DIR: { kind: 'text', default: '', about: 'Folder of your own model versions; empty: DATA_DIR/models.' },
  MODEL: {
    kind: 'text',
    default: '',
    about:
      'Id of the model that answers by default, whatever is promoted; empty: the promoted one, else the newest that ships with tickmark.',
  },
  SHADOW_MODEL: {
    kind: 'text',
    default: '',
    about:
      'Id of a version to try on live traffic: it is asked what the default one was asked, when nothing waits, and its answers are only counted and logged; empty: none.',
  },
  RULES_FILE: { kind: 'text', default: '', about: 'Rule set to evaluate; empty: the one that ships with tickmark.' },
  RUNTIME_BACKEND: {
    kind: { oneOf: ['auto', 'cuda', 'native', 'wasm', 'cpu'] },
    default: 'auto',
    about: 'TensorFlow.js backend; auto takes the first of cuda, native, wasm and cpu that works.',
  },
  INFERENCE_PROCESS: {
    kind: { oneOf: ['auto', 'true', 'false'] },
    default: 'auto',
    about:
      'Run the network in a child process, which is started again where it ends, or (false) in the worker that received the request; auto: a child process for cuda and native, whose code can crash.',
  },
  START_TIMEOUT_MS: {
    kind: 'integer',
    default: '480000',
    min: 1000,
    max: 3600000,
    about:
      'Longest time of a start or restart of a process of the service, in which the probe of one backend may take three eighths; a first use of a GPU can take minutes.',
  },
  TF_NUM_INTRAOP_THREADS: {
    kind: 'integer',
    default: '1',
    min: 0,
    max: 256,
    about: 'Threads inside one TensorFlow operation; 0: as many as processors.',
  },
  TF_NUM_INTEROP_THREADS: {
    kind: 'integer',
    default: '1',
    min: 0,
    max: 256,
    about: 'TensorFlow operations that run at the same time; 0: as many as processors.',
  },
  TF_ENABLE_ONEDNN_OPTS: {
    kind: { oneOf: ['0', '1'] },
    default: '0',
    about: "TensorFlow's oneDNN kernels: 1 turns them on; slower for small networks, and their sums differ in the last bits.",
  },
  TF_CPU_ALLOCATOR_USE_BFC: {
    kind: 'boolean',
    default: 'true',
    about: 'TensorFlow keeps the memory that it has freed for its next tensors; false: gives it back to the system each time.',
  },
  TF_FORCE_GPU_ALLOW_GROWTH: {
    kind: 'boolean',
    default: 'true',
    about: 'Take GPU memory as it is needed; false: nearly all of it at once.',
  },
  NVIDIA_TF32_OVERRIDE: {
    kind: { oneOf: ['0', '1'] },
    default: '0',
    about:
      'Rounding of factors to 10 bits on a GPU (TensorFloat-32): 0 keeps it off, and answers equal those of a processor; 1 turns it on for speed.',
  },
  TF_CPP_MIN_LOG_LEVEL: {
    kind: { oneOf: ['0', '1', '2', '3'] },
    default: '2',
    about: "Least severe message of TensorFlow's own log on standard error: 0 all, 2 errors, 3 fatal errors.",
  },
  LOG_LEVEL: {
    kind: { oneOf: ['debug', 'info', 'warn', 'error', 'silent'] },
    default: 'info',
    about: 'Least severe event that is logged.',
  },
  LOG_FORMAT: {
    kind: { oneOf: ['auto', 'json', 'text'] },
    default: 'auto',
    about: 'Form of the log on standard error: json, one value a line; text, lines for people; auto: text on a terminal, json elsewhere.',
  },
  TRUST_PROXY: {
    kind: 'boolean',
    default: 'false',
    about: "Take the caller's address from X-Forwarded-For: only behind a proxy of yours.",
  },
  LOCAL_KEY: {
    kind: { oneOf: ['auto', 'off'] },
    default: 'auto',
    about:
      'Print a link that opens the console with a key already set: only on a terminal, with a loopback HOST, no proxy, and accounts in DATA_DIR; off: never.',
  },
  SIGNUP: { kind: { oneOf: ['open', 'closed'] }, default: 'open', about: 'Whether anybody who reaches the service may sign up.' },
  CORS_ORIGINS: {
    kind: 'text',
    default: '',
    about: 'Origins whose pages may call the service from a browser, with commas between them; * for all; empty: none.',
  },
  LIMIT_FORECASTS_PER_MINUTE: {
    kind: 'integer',
    default: '6000',
    min: 0,
    max: 100000000,
    about: 'Forecasts that one key may ask for in a minute; 0: no limit.',
  },
  LIMIT_SIGNUPS_PER_HOUR: {
    kind: 'integer',
    default: '20',
    min: 0,
    max: 1000000,
    about: 'Sign-ups from one address in an hour, refused ones included; 0: no limit.',
  },
  LIMIT_LOGINS_PER_MINUTE: {
    kind: 'integer',
    default: '30',
    min: 0,
    max: 1000000,
    about: 'Requests with e-mail and password from one address in a minute; 0: no limit.',
  },
  LIMIT_FAILED_LOGINS_PER_HOUR: {
    kind: 'integer',
    default: '20',
    min: 0,
    max: 1000000,
    about: 'Wrong passwords from one address in an hour, and five times as many for one account from anywhere; 0: no limit.',
  },
  LIMIT_FAILED_KEYS_PER_MINUTE: {
    kind: 'integer',
    default: '60',
    min: 0,
    max: 1000000,
    about: 'Bad keys from one address in a minute, counted in each process; 0: no limit.',
  },
  LIMITS_SHARED: {
    kind: 'boolean',
    default: 'false',
    about: 'Count limits in MongoDB, for all processes together; a forecast then waits for one more round trip. Needs MONGODB_URI.',
  },
  KEY_CACHE_MS: {
    kind: 'integer',
    default: '5000',
    min: 0,
    max: 60000,
    about: 'How long a good key is taken for good without asking the store; one that is revoked elsewhere works this much longer.',
  },
  KEY_ROTATION_GRACE_S: {
    kind: 'integer',
    default: '86400',
    min: 0,
    max: 2592000,
    about: 'Seconds that a key works on after it was rotated.',
  },
  AUDIT_RETENTION_DAYS: {
    kind: 'integer',
    default: '365',
    min: 0,
    max: 36500,
    about: 'Days that the lines of the audit log are kept; 0: for ever.',
  },
  BODY_LIMIT_BYTES: {
    kind: 'integer',
    default: '1048576',
    min: 65536,
    max: 16777216,
    about: 'Largest body of a forecast, after decompression.',
  },
  BATCH_BODY_LIMIT_BYTES: {
    kind: 'integer',
    default: '8388608',
    min: 65536,
    max: 67108864,
    about: 'Largest body of a batch of forecasts, after decompression.',
  },
  HEADER_LIMIT_BYTES: { kind: 'integer', default: '8192', min: 4096, max: 65536, about: 'Largest sum of request headers.' },
  REQUEST_TIMEOUT_MS: { kind: 'integer', default: '30000', min: 1000, max: 300000, about: 'Longest time to receive a whole request.' },
  FORECAST_DEADLINE_MS: {
    kind: 'integer',
    default: '2000',
    min: 10,
    max: 60000,
    about: 'Longest time from the arrival of a request to its forecast; one that would take longer is answered 503 at once.',
  },
  FORECAST_QUEUE: {
    kind: 'integer',
    default: '512',
    min: 1,
    max: 100000,
    about: 'Forecasts that may wait beside the 64 that are worked on, some 100 kB each with their bodies; more are answered 503.',
  },
  SHUTDOWN_GRACE_MS: {
    kind: 'integer',
    default: '10000',
    min: 0,
    max: 300000,
    about: 'Longest time to finish requests after SIGTERM or Ctrl-C.',
  },
  UV_THREADPOOL_SIZE: {
    kind: 'integer',
    default: '4',
    min: 2,
    max: 128,
    about: 'Threads that hash passwords, unzip bodies and read files; Node.js reads it by itself. One is always kept from hashing.',
  },
  PASSWORD_HASH_MEMORY_KIB: { kind: 'integer', default: '19456', min: 19456, max: 1048576, about: 'Memory of one argon2id hash.' },
  PASSWORD_HASH_PASSES: { kind: 'integer', default: '2', min: 2, max: 16, about: 'Passes of one argon2id hash.' },
  PASSWORD_HASH_CONCURRENCY: {
    kind: 'integer',
    default: '0',
    min: 0,
    max: 16,
    about:
      'Password hashes computed at the same time, fewer than UV_THREADPOOL_SIZE; 0: one less than the smaller of processors and UV_THREADPOOL_SIZE, at least 1.',
  },
  PASSWORD_HASH_QUEUE: {
    kind: 'integer',
    default: '64',
    min: 1,
    max: 10000,
    about: 'Password hashes that may wait; more are answered 503.',
  },
} as const satisfies Record<string, SettingRow>;

export type SettingName = keyof typeof SETTINGS;
