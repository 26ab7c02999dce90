/** What a metric tells, and what to do about it. `docs/operation.md` lists exactly these; a test compares. */
export type MetricRow = {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Each takes few values, known in advance: no path, key, e-mail or address. */
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
  /** What a gauge of several workers is together; left out: their sum. */
  readonly ofSeveral?: 'max';
  /** What to do when it rises. */
  readonly remedy: string;
};

const SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export const METRICS = {
  tickmark_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the head of a request to the end of its answer; status none: the caller went away.',
    labels: ['route', 'method', 'status'],
    buckets: SECONDS,
    remedy: 'Look at the stages below for where the time goes; more processors, or a larger FORECAST_DEADLINE_MS where 503 is worse.',
  },
  tickmark_problems_total: {
    type: 'counter',
    help: 'Answers that are a problem, by its code; what is shed is inference.overloaded, inference.deadline, limit.exceeded and account.busy.',
    labels: ['code'],
    remedy: 'docs/errors.md says what each code means and what to do.',
  },
  tickmark_forecast_stage_duration_seconds: {
    type: 'histogram',
    help: 'Time of one stage of a forecast; the network includes waiting for a batch.',
    labels: ['stage'],
    buckets: [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1],
    remedy: 'network: more processors or a better backend (tickmark doctor); the others grow with the ticks sent.',
  },
  tickmark_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'How late the timers of the thread of requests are, looked at 50 times a second: every request meets it.',
    labels: [],
    buckets: [0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.05, 0.1, 0.5, 2.5],
    remedy:
      'Above 10 ms for long: the thread has more to do than it can. WORKERS where processors are idle; else larger bodies or more requests than the machine is for.',
  },
  tickmark_batch_size: {
    type: 'histogram',
    help: 'Forecasts that the network computed together.',
    labels: [],
    buckets: [1, 2, 4, 8, 16, 32, 64],
    remedy: 'Larger batches mean that forecasts wait for each other: near the limit of the machine.',
  },
  tickmark_batch_duration_seconds: {
    type: 'histogram',
    help: 'Time of one batch in the process of the network, with the features and rules that are computed there.',
    labels: [],
    buckets: SECONDS,
    remedy: 'The machine is slower than it was, or shared: compare with what tickmark doctor measures.',
  },
  tickmark_forecasts_waiting: {
    type: 'gauge',
    help: 'Forecasts that wait for the network now.',
    labels: [],
    remedy: 'More come than can be computed; beyond FORECAST_QUEUE they are answered 503.',
  },
  tickmark_passwords_waiting: {
    type: 'gauge',
    help: 'Passwords that wait to be hashed now.',
    labels: [],
    remedy: 'A flood of sign-ups or logins: see tickmark_problems_total; PASSWORD_HASH_CONCURRENCY where processors are idle.',
  },
  tickmark_store_call_duration_seconds: {
    type: 'histogram',
    help: 'Time of one call of the account store.',
    labels: ['call', 'outcome'],
    buckets: SECONDS,
    remedy: 'A slow disk under DATA_DIR, or MongoDB or the way to it; STORE_TIMEOUT_MS bounds it.',
  },
  tickmark_live_tensors: {
    type: 'gauge',
    help: 'Tensors that TensorFlow.js holds now.',
    labels: [],
    remedy: 'It grows by some when a model version is loaded and must fall back: a steady rise is a leak; report it.',
  },
  tickmark_tensor_bytes: {
    type: 'gauge',
    help: 'Bytes of those tensors.',
    labels: [],
    remedy: 'As for tickmark_live_tensors.',
  },
  tickmark_model_info: {
    type: 'gauge',
    help: '1 for the model version that answers by default, 0 for the others that are loaded.',
    labels: ['id'],
    ofSeveral: 'max',
    remedy: 'Not what you promoted? The log says why a version was passed over.',
  },
  tickmark_input_drift: {
    type: 'gauge',
    help: 'Population stability index of one input column of the default version: its last forecasts against its training rows; from 200 forecasts on.',
    labels: ['column'],
    ofSeveral: 'max',
    remedy:
      'Above 0.25, and more than it used to be: the market or what is asked has changed; judge the version on new ticks (tickmark evaluate), then train.',
  },
  tickmark_input_drift_forecasts: {
    type: 'gauge',
    help: 'Forecasts that tickmark_input_drift is computed from, 2000 at most.',
    labels: [],
    remedy: 'It falls to 0 with a new default version, and stays there where the version has no inputs.json.',
  },
  tickmark_shadow_forecasts_total: {
    type: 'counter',
    help: 'Live forecasts by what the version of SHADOW_MODEL came to: agrees, only_live, only_shadow, failed, dropped (the service was busy).',
    labels: ['outcome'],
    remedy: 'failed: the log says why; dropped: the service has no time to spare, and what is compared is a part of the traffic.',
  },
  tickmark_shadow_difference: {
    type: 'histogram',
    help: 'Difference of the probabilities of the live version and of that of SHADOW_MODEL, without its sign.',
    labels: [],
    buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1],
    remedy: 'The two versions say different things: judge both on later ticks (tickmark evaluate) before you promote.',
  },
  tickmark_log_lines_dropped_total: {
    type: 'counter',
    help: 'Log lines that were dropped: standard error was not read, or its disk was full.',
    labels: [],
    remedy: 'Read the log as fast as it is written, free the disk, or log less (LOG_LEVEL=warn); the log tells how many where it goes on.',
  },
} as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof METRICS;
