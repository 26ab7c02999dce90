/** The meaning of a metric, and what to do about it; `npm run docs:reference` writes them to `docs/reference/observability.md`. */
export type MetricRow = {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Each takes few values, known in advance: no path, key, e-mail or address. */
  readonly labels: readonly string[];
  /** Of a counter, values of its label whose series exist from the start, so that rates are defined. */
  readonly known?: readonly string[];
  readonly buckets?: readonly number[];
  /** What a gauge of several workers is together; left out: their sum. */
  readonly ofSeveral?: 'max' | 'min';
  /** A metric of the backend: workers that share one inference process report the same value. */
  readonly isOfBackend?: true;
  /** What to do when it rises. */
  readonly remedy: string;
};

const SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

const ofType =
  <const Type extends MetricRow['type']>(type: Type) =>
  (help: string, remedy: string, more: Partial<Omit<MetricRow, 'type' | 'help' | 'remedy'>> = {}): MetricRow & { readonly type: Type } => ({
    ...{ type, help, remedy, labels: [] },
    ...more,
  });
const [counter, gauge, histogram] = [ofType('counter'), ofType('gauge'), ofType('histogram')];

export const METRICS = {
  tickmark_request_duration_seconds: histogram(
    'Time from the headers of a request to the end of its answer; status none: the caller disconnected.',
    'See which stage below takes the time. Add processors, or raise FORECAST_DEADLINE_MS if a late answer is better than 503.',
    { labels: ['route', 'method', 'status'], buckets: SECONDS },
  ),
  tickmark_problems_total: counter(
    'Problem answers by error code. Load shedding shows as inference.overloaded, inference.deadline, limit.exceeded and account.busy.',
    'docs/reference/errors.md explains each code and what to do.',
    { labels: ['code'] },
  ),
  tickmark_forecast_stage_duration_seconds: histogram(
    'Duration of one stage of a forecast; network includes the wait for a batch.',
    'network: add processors or use a better backend (tickmark doctor). The other stages grow with the number of ticks.',
    { labels: ['stage'], buckets: [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1] },
  ),
  tickmark_event_loop_delay_seconds: histogram(
    'How late the timers of the event loop are, sampled 50 times a second; every request is delayed by it.',
    'Above 10 ms for long: the event loop is overloaded. Raise WORKERS if processors are idle; otherwise the bodies or the load are too large for the machine.',
    { buckets: [0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.05, 0.1, 0.5, 2.5] },
  ),
  tickmark_batch_size: histogram(
    'Forecasts that the network computed in one batch.',
    'Larger batches mean that forecasts wait for each other: the machine is near its limit.',
    { buckets: [1, 2, 4, 8, 16, 32, 64] },
  ),
  tickmark_batch_duration_seconds: histogram(
    'Duration of one batch of the network.',
    'The machine is slower than before, or shared: compare with the figures of tickmark doctor.',
    { buckets: SECONDS },
  ),
  tickmark_forecasts_waiting: gauge(
    'Forecasts that wait for the network now.',
    'More forecasts arrive than can be computed. Beyond FORECAST_QUEUE they get 503.',
  ),
  tickmark_passwords_waiting: gauge(
    'Passwords queued for hashing now.',
    'A flood of sign-ups or logins: see tickmark_problems_total. Raise PASSWORD_HASH_CONCURRENCY if processors are idle.',
  ),
  tickmark_store_call_duration_seconds: histogram(
    'Duration of one call of the account store.',
    'A slow disk under DATA_DIR, or a slow MongoDB or a slow network to it. STORE_TIMEOUT_MS bounds it.',
    { labels: ['call', 'outcome'], buckets: SECONDS },
  ),
  tickmark_store_up: gauge(
    '1 if the last call of the account store was answered, 0 if it failed; with several workers, the least of them.',
    'At 0: the log has the reason. Repair the disk under DATA_DIR, or MongoDB, or the network to it.',
    { ofSeveral: 'min' },
  ),
  tickmark_store_outage: gauge(
    '1 while the store does not answer: keys (those known to be valid are accepted for KEY_OUTAGE_MS) or limits (LIMITS_SHARED; each replica counts alone).',
    'Repair the database or the network to it. Once KEY_OUTAGE_MS has passed, forecasts get 503.',
    { labels: ['part'], ofSeveral: 'max' },
  ),
  tickmark_clock_offset_seconds: gauge(
    'Wall clock of this replica minus that of MongoDB, compared once a minute; 0 with a file.',
    'Beyond 2 s either way: synchronise the clock (NTP). Keys expire and alerts fall due by it.',
    { ofSeveral: 'max' },
  ),
  tickmark_last_backup_timestamp_seconds: gauge(
    'When `tickmark backup` last saved the account store, in seconds since 1970; 0: not within AUDIT_RETENTION_DAYS.',
    'Days ago: see why the timer or CronJob of the backup fails. A backup that could not be noted in the store does not count, and says so.',
    { ofSeveral: 'max' },
  ),
  tickmark_restarts_total: counter(
    'Processes of the service that ended, hung or did not start, and were started again: worker or inference.',
    'The log has the reason of each. Too little memory is the usual one: add memory, or lower WORKERS.',
    { labels: ['process'] },
  ),
  tickmark_card_faults_total: counter(
    'Failures of the NVIDIA card, with RUNTIME_BACKEND=cuda. Its batches were computed by WebAssembly.',
    'The log has the error of the driver. Free memory of the card; after any other error look at nvidia-smi and dmesg, and restart the service.',
  ),
  tickmark_live_connections: gauge(
    'Open connections of GET /auth/live whose key was accepted.',
    'Each account may have LIVE_CONNECTIONS_PER_ACCOUNT in each worker; an idle one takes about 10 kB.',
  ),
  tickmark_live_forecasts_total: counter(
    'Due forecasts of live series: computed, or skipped over a limit, under overload or because the client does not read.',
    'skipped: tickmark_problems_total has the reasons. Add processors, or raise the limit of the key.',
    { labels: ['result'], known: ['computed', 'skipped'] },
  ),
  tickmark_market_feeds: gauge(
    'Connections to exchanges for watched markets in this process, by state: connecting, live, gap or failed.',
    'failed for long: the log has what the exchange says. Check the network, FEED_HOSTS, and the name of the market.',
    { labels: ['state'] },
  ),
  tickmark_alerts_total: counter(
    'Alerts for targets: stored, or dropped because more came than could be stored.',
    'dropped: a series has a forecast at each tick. Let its owner ask less often, or for other events.',
    { labels: ['result'], known: ['stored', 'dropped'] },
  ),
  tickmark_alert_attempts_total: counter(
    'Attempts to deliver an alert: delivered, retry, or failed (given up).',
    'The log names the id of the webhook and the reason. GET /account/webhooks/{id}/failed lists what was given up.',
    { labels: ['result'], known: ['delivered', 'retry', 'failed'] },
  ),
  tickmark_live_tensors: gauge(
    'Tensors that TensorFlow.js holds now.',
    'With TensorFlow it rises when a model version is loaded and must fall again afterwards; WebAssembly needs none between batches. A steady rise is a leak: report it.',
    { isOfBackend: true },
  ),
  tickmark_tensor_bytes: gauge('Bytes of those tensors.', 'See tickmark_live_tensors.', { isOfBackend: true }),
  tickmark_build_info: gauge(
    '1, with the version and the commit of the program that runs.',
    'Two values for long: a replica has not been upgraded.',
    { labels: ['version', 'commit'], ofSeveral: 'max' },
  ),
  tickmark_model_info: gauge(
    '1 for the default model version, 0 for the other versions that are loaded.',
    'If it is not the version that you promoted, the log says why that version was skipped.',
    { labels: ['id'], ofSeveral: 'max' },
  ),
  tickmark_input_drift: gauge(
    'Population stability index of one input column of the default version: its latest forecasts against its training rows; from 200 forecasts on.',
    'Above 0.25 and higher than before: the market or the requests have changed. Evaluate the version on new ticks (tickmark evaluate), then train.',
    { labels: ['column'], ofSeveral: 'max' },
  ),
  tickmark_input_drift_forecasts: gauge(
    'Forecasts that tickmark_input_drift is computed from, at most 2000.',
    'It falls to 0 with a new default version, and stays 0 if that version has no inputs.json.',
  ),
  tickmark_log_lines_dropped_total: counter(
    'Log lines that were dropped because standard error was not read or its disk was full.',
    'Read the log faster, free disk space, or log less (LOG_LEVEL=warn). Once the log can be written again, one line reports the number.',
  ),
};

export type MetricName = keyof typeof METRICS;
