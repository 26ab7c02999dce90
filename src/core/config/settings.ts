import { existsSync, readFileSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { availableProcessors } from '../availableProcessors.ts';
import { MOST_HASH_KIB } from '../hashCost.ts';
import { ServiceError, quoteValue } from '../ServiceError.ts';
import { SETTINGS, type SettingName, type SettingRow } from './settingTable.ts';
import { isSecretFile, unknownSettings } from './unknownSettings.ts';

/** As `joinSettings` makes them of the tables. `mongodbUri` contains credentials: it is never logged or shown. */
export type Settings = ReturnType<typeof joinSettings>;

/** The words of a setting with a choice. */
type Word<Name extends SettingName> = (typeof SETTINGS)[Name] extends { kind: { oneOf: readonly (infer W)[] } } ? W : never;

function invalid(name: SettingName, rule: string, value: string): ServiceError {
  return new ServiceError('settings.invalid', `${name} ${rule}; it is ${quoteValue(value)}.`);
}

function read(env: NodeJS.ProcessEnv, name: SettingName): string {
  const row: SettingRow = SETTINGS[name];
  const given = env[name]?.trim();
  const value = given === undefined || given === '' ? row.default : given;
  if (value === row.also) return value;
  if (typeof row.kind === 'object' && !row.kind.oneOf.includes(value))
    throw invalid(name, `must be one of ${row.kind.oneOf.join(', ')}`, value);
  if (row.kind === 'boolean' && value !== 'true' && value !== 'false') throw invalid(name, 'must be true or false', value);
  if (row.kind === 'integer') {
    const number = Number(value);
    const [min, max] = [row.min ?? 0, row.max ?? Number.MAX_SAFE_INTEGER];
    if (!/^\d+$/.test(value) || number < min || number > max)
      throw invalid(name, `must be a whole number from ${min} to ${max}${row.also === undefined ? '' : `, or ${row.also}`}`, value);
  }
  return value;
}

/** A secret of a container is a file of one line. */
const MOST_SECRET_BYTES = 65_536;

/** Moves each secret that NAME_FILE names from its file to NAME, where libraries that read the variable themselves find it too. */
function readSecretFile(env: NodeJS.ProcessEnv, fileName: string): void {
  const [name, file = ''] = [fileName.slice(0, -'_FILE'.length), env[fileName]?.trim()];
  if (file === '') return;
  const refuse = (rule: string): never => {
    throw new ServiceError('settings.invalid', `${fileName} ${rule}; it is ${quoteValue(file)}.`);
  };
  if ((env[name]?.trim() ?? '') !== '') refuse(`is set, and ${name} too: unset one of them`);
  let text = '';
  try {
    if (statSync(file).size > MOST_SECRET_BYTES) refuse(`must name a file of at most ${MOST_SECRET_BYTES} bytes`);
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    refuse(`must name a file that can be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (text === '') refuse('must name a file that is not empty');
  env[name] = text;
  delete env[fileName];
}

/** Runs a check; a wrong setting is kept for the end, and the check gives `otherwise`. */
type Attempt = <T>(check: () => T, otherwise: T) => T;

function attemptAll(wrong: Set<string>): Attempt {
  return (check, otherwise) => {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      wrong.add(error.message);
      return otherwise;
    }
  };
}

/** Keys of one account that may use their whole quota at a time. */
const KEYS_WORTH = 4;

const listOf = (text: string): string[] => text.split(',').flatMap((part) => part.trim() || []);

/** An origin as browsers send it: protocol, host and port, without a path. */
function readOrigins(text: string): string[] {
  const origins = listOf(text);
  for (const origin of origins) {
    if (origin !== '*' && (!URL.canParse(origin) || new URL(origin).origin !== origin))
      throw invalid('CORS_ORIGINS', 'must list origins such as https://desk.example.com, or *', origin);
  }
  return origins;
}

/** Names without a port. */
function readHostNames(text: string): string[] {
  const names = listOf(text.toLowerCase());
  for (const name of names) {
    if (!/^(?:\*|[a-z0-9_.-]+|\[[0-9a-f:.]+\])$/.test(name))
      throw invalid('HOST_NAMES', 'must list host names without protocol and port, such as desk.example.com, or *', name);
  }
  return names;
}

/** What the operator names for a service has to exist; a training makes MODELS_DIR. */
export type ReadOptions = { readonly forService?: boolean };

/** Something that is not a folder. A folder that cannot be reached is reported where it is used. */
function existsAsFile(name: string): boolean {
  try {
    return !statSync(name).isDirectory();
  } catch {
    return false;
  }
}

/** A name and a value, percent-encoded: OpenTelemetry drops any other silently. */
const TRACE_HEADER = /^[\w!#$&'*+.^`|~-]+\s*=\s*(?:[^\s;%]|%[\da-f]{2})(?:[^%]|%[\da-f]{2})*$/i;

/** Those of traces alone, for the inference process. Throws like readSettings. */
export function readTraces(env: NodeJS.ProcessEnv = process.env): { readonly endpoint: string; readonly fraction: number } {
  const endpoint = read(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const { protocol = '', username = '' } = URL.canParse(endpoint) ? new URL(endpoint) : {};
  if (endpoint !== '' && (!/^https?:$/.test(protocol) || username !== ''))
    throw invalid(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'must be an http or https URL without a password, such as http://127.0.0.1:4318',
      username === '' ? endpoint : `${protocol}//…`,
    );
  const fraction = read(env, 'OTEL_TRACES_SAMPLER_ARG');
  if (!/^(0|1|0?\.\d+|1\.0+)$/.test(fraction)) throw invalid('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1', fraction);
  const headers = read(env, 'OTEL_EXPORTER_OTLP_HEADERS').split(',');
  if (headers.some((header) => header.trim() !== '' && !TRACE_HEADER.test(header.trim())))
    throw invalid('OTEL_EXPORTER_OTLP_HEADERS', 'must list headers as name=value, percent-encoded, separated by commas', '…');
  return { endpoint, fraction: Number(fraction) };
}

/**
 * Reads and checks every setting, and moves secrets from their files into `env`. Throws ServiceError `settings.invalid` that tells all that is wrong,
 * each with the variable, the rule and the value.
 */
export function readSettings(env: NodeJS.ProcessEnv = process.env, options: ReadOptions = {}): Settings {
  const wrong = new Set(unknownSettings(env));
  const attempt = attemptAll(wrong);
  for (const name of Object.keys(env)) if (isSecretFile(name)) attempt(() => readSecretFile(env, name), undefined);
  for (const name of Object.keys(SETTINGS) as SettingName[]) attempt(() => read(env, name), '');
  const settings = joinSettings(env, attempt, options);
  if (wrong.size === 1) throw new ServiceError('settings.invalid', [...wrong].join());
  if (wrong.size > 1) throw new ServiceError('settings.invalid', [`${wrong.size} settings are wrong:`, ...wrong].join('\n  '));
  return settings;
}

function joinSettings(env: NodeJS.ProcessEnv, attempt: Attempt, { forService = false }: ReadOptions) {
  const refuse = (name: SettingName, rule: string, value: string): void =>
    attempt(() => {
      throw invalid(name, rule, value);
    }, undefined);
  const text = (name: SettingName): string => attempt(() => read(env, name), SETTINGS[name].default);
  const integer = (name: SettingName): number => Number(text(name));
  const isOn = (name: SettingName): boolean => text(name) === 'true';
  const word = <Name extends SettingName>(name: Name) => text(name) as Word<Name>;
  const dataDir = path.resolve(text('DATA_DIR'));
  const areShared = isOn('LIMITS_SHARED');
  if (areShared && text('MONGODB_URI') === '')
    refuse('LIMITS_SHARED', 'needs MONGODB_URI, because MongoDB counts the shared limits', 'true');
  const modelsDir = text('MODELS_DIR') === '' ? path.join(dataDir, 'models') : path.resolve(text('MODELS_DIR'));
  if (text('MODELS_DIR') !== '' && existsAsFile(modelsDir)) refuse('MODELS_DIR', 'must be a folder', modelsDir);
  // A name that is wrong, or a volume that is absent.
  if (forService && text('MODELS_DIR') !== '' && !existsSync(modelsDir)) refuse('MODELS_DIR', 'must be a folder that exists', modelsDir);
  const rulesFile = text('RULES_FILE') === '' ? '' : path.resolve(text('RULES_FILE'));
  if (forService && rulesFile !== '' && !existsSync(rulesFile)) refuse('RULES_FILE', 'must be a file that exists', rulesFile);
  // A hash occupies a thread for about 30 ms: one thread stays free, so that decompression does not wait for hashes.
  const [hashesAtOnce, threads] = [integer('PASSWORD_HASH_CONCURRENCY'), integer('UV_THREADPOOL_SIZE')];
  if (hashesAtOnce >= threads) refuse('PASSWORD_HASH_CONCURRENCY', `must be below UV_THREADPOOL_SIZE, ${threads}`, `${hashesAtOnce}`);
  const hashKib = integer('PASSWORD_HASH_MEMORY_KIB') * integer('PASSWORD_HASH_PASSES');
  if (hashKib > MOST_HASH_KIB)
    refuse('PASSWORD_HASH_PASSES', `times PASSWORD_HASH_MEMORY_KIB must be at most ${MOST_HASH_KIB}`, `${hashKib}`);
  return {
    host: text('HOST'),
    /** In lower case; only with a loopback `host`. */
    hostNames: attempt(() => readHostNames(text('HOST_NAMES')), [] as string[]),
    port: integer('PORT'),
    workers: text('WORKERS') === 'auto' ? ('auto' as const) : integer('WORKERS'),
    metricsHost: text('METRICS_HOST'),
    /** 0: metrics are not served. */
    metricsPort: integer('METRICS_PORT'),
    dataDir,
    mongodbUri: text('MONGODB_URI'),
    mongodbPoolSize: integer('MONGODB_POOL_SIZE'),
    storeTimeoutMs: integer('STORE_TIMEOUT_MS'),
    modelsDir,
    model: text('MODEL'),
    rulesFile,
    runtimeBackend: word('RUNTIME_BACKEND'),
    inferenceProcess: word('INFERENCE_PROCESS') === 'auto' ? ('auto' as const) : isOn('INFERENCE_PROCESS'),
    startTimeoutMs: integer('START_TIMEOUT_MS'),
    logLevel: word('LOG_LEVEL'),
    logFormat: word('LOG_FORMAT'),
    logAddresses: isOn('LOG_ADDRESSES'),
    trustProxy: isOn('TRUST_PROXY'),
    localKey: word('LOCAL_KEY'),
    signup: word('SIGNUP'),
    corsOrigins: attempt(() => readOrigins(text('CORS_ORIGINS')), []),
    limits: {
      forecastsPerMinute: integer('LIMIT_FORECASTS_PER_MINUTE'),
      forecastsPerMinutePerAccount:
        text('LIMIT_FORECASTS_PER_MINUTE_PER_ACCOUNT') === 'auto'
          ? KEYS_WORTH * integer('LIMIT_FORECASTS_PER_MINUTE')
          : integer('LIMIT_FORECASTS_PER_MINUTE_PER_ACCOUNT'),
      signupsPerHour: integer('LIMIT_SIGNUPS_PER_HOUR'),
      loginsPerMinute: integer('LIMIT_LOGINS_PER_MINUTE'),
      failedLoginsPerHour: integer('LIMIT_FAILED_LOGINS_PER_HOUR'),
      failedKeysPerMinute: integer('LIMIT_FAILED_KEYS_PER_MINUTE'),
      /** Counted in MongoDB, for all processes. */
      areShared,
    },
    keyCacheMs: integer('KEY_CACHE_MS'),
    keyOutageMs: integer('KEY_OUTAGE_MS'),
    keyGraceMs: 1000 * integer('KEY_ROTATION_GRACE_S'),
    auditRetentionDays: integer('AUDIT_RETENTION_DAYS'),
    keepsTrackRecord: isOn('TRACK_RECORD'),
    keepsMemory: isOn('SERIES_MEMORY'),
    trackRecordRetentionDays: integer('TRACK_RECORD_RETENTION_DAYS'),
    /** Lines of sealed records that an account keeps; 0: none. */
    sealedLines: integer('TRACK_RECORD_SEALED_LINES'),
    bodyLimitBytes: integer('BODY_LIMIT_BYTES'),
    batchBodyLimitBytes: integer('BATCH_BODY_LIMIT_BYTES'),
    headerLimitBytes: integer('HEADER_LIMIT_BYTES'),
    requestTimeoutMs: integer('REQUEST_TIMEOUT_MS'),
    forecastDeadlineMs: integer('FORECAST_DEADLINE_MS'),
    forecastQueue: integer('FORECAST_QUEUE'),
    live: {
      connectionsPerAccount: integer('LIVE_CONNECTIONS_PER_ACCOUNT'),
      seriesPerConnection: integer('LIVE_SERIES_PER_CONNECTION'),
      forecastsPerSeries: integer('LIVE_FORECASTS_PER_SERIES'),
      pendingOutcomes: integer('LIVE_PENDING_OUTCOMES'),
      memoryMb: integer('LIVE_MEMORY_MB'),
    },
    /** Alerts. */
    webhooks: {
      allowsPrivate: isOn('WEBHOOK_PRIVATE_ADDRESSES'),
      timeoutMs: integer('WEBHOOK_TIMEOUT_MS'),
      mostAttempts: integer('WEBHOOK_ATTEMPTS'),
    },
    /** Markets that the service watches: `most` for all accounts together, and so many last `forecasts` of each. */
    markets: {
      isOn: text('FEEDS') === 'on',
      /** Those that it may connect to; empty: all of its table. */
      hosts: listOf(text('FEED_HOSTS').toLowerCase()),
      perAccount: integer('MARKETS_PER_ACCOUNT'),
      most: integer('MARKETS_MAX'),
      forecasts: integer('MARKET_FORECASTS'),
    },
    traces: attempt(() => readTraces(env), { endpoint: '', fraction: 1 }),
    shutdownDelayMs: integer('SHUTDOWN_DELAY_MS'),
    shutdownGraceMs: integer('SHUTDOWN_GRACE_MS'),
    passwordHash: {
      memoryKib: integer('PASSWORD_HASH_MEMORY_KIB'),
      passes: integer('PASSWORD_HASH_PASSES'),
      concurrency: hashesAtOnce || Math.max(1, Math.min(availableProcessors(), threads) - 1),
      queue: integer('PASSWORD_HASH_QUEUE'),
    },
  };
}

/** Whether an address is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|localhost|::1)$/.test(host);
}

/** Environment variables that TensorFlow and the CUDA libraries read themselves when they are loaded. */
const TENSORFLOW_SETTINGS = [
  'TF_NUM_INTRAOP_THREADS',
  'TF_NUM_INTEROP_THREADS',
  'TF_ENABLE_ONEDNN_OPTS',
  'TF_CPU_ALLOCATOR_USE_BFC',
  'TF_FORCE_GPU_ALLOW_GROWTH',
  'NVIDIA_TF32_OVERRIDE',
  'TF_CPP_MIN_LOG_LEVEL',
] as const;

/** `env` with the TensorFlow variables checked, and missing ones set to our defaults. Throws like readSettings. */
export function tensorflowEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  for (const name of TENSORFLOW_SETTINGS) env[name] = read(env, name);
  return env;
}

const INFERENCE_SOCKET = 'TICKMARK_INFERENCE_SOCKET';

/** What the primary process adds to the environment of a worker; `socketPath`: where the inference process of all workers listens. */
export const workerEnvironment = (socketPath: string | undefined): NodeJS.ProcessEnv =>
  socketPath === undefined ? {} : { [INFERENCE_SOCKET]: socketPath };

export const inferenceSocket = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[INFERENCE_SOCKET];
