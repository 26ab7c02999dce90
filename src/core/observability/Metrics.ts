import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, AggregatorRegistry } from 'prom-client';
import { buildCommit, packageVersion } from '../packageRoot.ts';
import type { MetricsText } from './MetricsServer.ts';
import { METRICS, type MetricName, type MetricRow } from './metricTable.ts';

type Restarts = Readonly<Record<'worker' | 'inference', number>>;

/** Values that are read at each scrape. */
export type Gauges = {
  readonly forecastsWaiting: () => number;
  readonly passwordsWaiting: () => number;
  readonly droppedLogLines: () => number;
  /** Of the processes that this one starts again. */
  readonly restarts: () => Restarts;
  readonly outages: () => Readonly<Record<'keys' | 'limits', boolean>>;
  readonly clockOffsetMs: () => number;
  /** 0: none is known. */
  readonly lastBackupMs: () => number;
  readonly tensors: () => { readonly count: number; readonly bytes: number };
  readonly models: () => readonly { readonly id: string; readonly isDefault: boolean }[];
  /** Of the default version; `columns` null: nothing is claimed. */
  readonly inputDrift: () => {
    readonly forecasts: number;
    readonly columns: readonly { readonly name: string; readonly psi: number }[] | null;
  } | null;
};

export type AnsweredRequest = {
  readonly route: string | null;
  readonly method: string;
  readonly status: number | null;
  readonly ms: number;
};

const MS_PER_SECOND = 1000;
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'];

type Labels = Readonly<Record<string, string>>;
type NameOf<Type extends MetricRow['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** The service's metrics, by Prometheus' names and units. Label values come from fixed tables only. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #metrics: Readonly<Record<MetricName, Histogram | Counter | Gauge>>;
  #read: Gauges | undefined;

  /** `sharesTensors`: the backend is one of several workers, which all read the same tensors. */
  constructor({ sharesTensors = false }: { readonly sharesTensors?: boolean } = {}) {
    // Memory, processor, garbage collection and the delay of the event loop.
    collectDefaultMetrics({ register: this.#registry });
    const make = (name: string, row: MetricRow): Histogram | Counter | Gauge => {
      const options = { name, help: row.help, labelNames: [...row.labels], registers: [this.#registry] };
      if (row.type === 'histogram') return new Histogram({ ...options, buckets: [...(row.buckets ?? [])] });
      if (row.type === 'gauge')
        return new Gauge({ ...options, aggregator: row.isOfBackend === true && sharesTensors ? 'max' : (row.ofSeveral ?? 'sum') });
      const counter = new Counter(options);
      for (const value of row.known ?? []) counter.inc({ [row.labels[0]!]: value }, 0);
      return counter;
    };
    this.#metrics = Object.fromEntries(Object.entries(METRICS).map(([name, row]) => [name, make(name, row)])) as Record<
      MetricName,
      Histogram | Counter | Gauge
    >;
    this.set('tickmark_build_info', 1, { version: packageVersion(), commit: buildCommit() });
  }

  /** Registers gauges that are read at each scrape. */
  watch(gauges: Gauges): void {
    this.#read = gauges;
  }

  count(name: NameOf<'counter'>, labels: Labels = {}, by = 1): void {
    (this.#metrics[name] as Counter).inc(labels, by);
  }

  observe(name: NameOf<'histogram'>, value: number, labels: Labels = {}): void {
    (this.#metrics[name] as Histogram).observe(labels, value);
  }

  set(name: NameOf<'gauge'>, value: number, labels: Labels = {}): void {
    (this.#metrics[name] as Gauge).set(labels, value);
  }

  request({ route, method, status, ms }: AnsweredRequest): void {
    const labels = { route: route ?? 'none', method: METHODS.includes(method) ? method : 'other', status: String(status ?? 'none') };
    this.observe('tickmark_request_duration_seconds', ms / MS_PER_SECOND, labels);
  }

  live(event: 'opened' | 'closed' | 'computed' | 'skipped'): void {
    if (event === 'computed' || event === 'skipped') this.count('tickmark_live_forecasts_total', { result: event });
    else (this.#metrics.tickmark_live_connections as Gauge).inc(event === 'opened' ? 1 : -1);
  }

  storeCall(call: string, outcome: 'answered' | 'failed', ms: number): void {
    this.observe('tickmark_store_call_duration_seconds', ms / MS_PER_SECOND, { call, outcome });
    this.set('tickmark_store_up', Number(outcome === 'answered'));
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    this.#readGauges();
    return this.#registry.metrics();
  }

  #readGauges(): void {
    const read = this.#read;
    if (read === undefined) return;
    const { count, bytes } = read.tensors();
    this.set('tickmark_forecasts_waiting', read.forecastsWaiting());
    this.set('tickmark_passwords_waiting', read.passwordsWaiting());
    this.set('tickmark_live_tensors', count);
    this.set('tickmark_tensor_bytes', bytes);
    this.set('tickmark_clock_offset_seconds', read.clockOffsetMs() / MS_PER_SECOND);
    this.set('tickmark_last_backup_timestamp_seconds', read.lastBackupMs() / MS_PER_SECOND);
    for (const [part, isOut] of Object.entries(read.outages())) this.set('tickmark_store_outage', Number(isOut), { part });
    const drift = read.inputDrift();
    this.set('tickmark_input_drift_forecasts', drift?.forecasts ?? 0);
    // Their values are counted elsewhere, or their labels change.
    for (const name of [
      'tickmark_log_lines_dropped_total',
      'tickmark_restarts_total',
      'tickmark_model_info',
      'tickmark_input_drift',
    ] as const)
      this.#metrics[name].reset();
    this.count('tickmark_log_lines_dropped_total', {}, read.droppedLogLines());
    for (const [process, restarts] of Object.entries(read.restarts())) this.count('tickmark_restarts_total', { process }, restarts);
    for (const { id, isDefault } of read.models()) this.set('tickmark_model_info', Number(isDefault), { id });
    for (const { name, psi } of drift?.columns ?? []) this.set('tickmark_input_drift', psi, { column: name });
  }

  /** For a process that adds those of several up. */
  async json(): Promise<readonly object[]> {
    this.#readGauges();
    return this.#registry.getMetricsAsJSON();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}

/** The metrics of several processes as one: sums, and for some gauges the largest (`metricTable.ts`) or, of prom-client's own, the mean. */
export function sumMetrics(read: () => Promise<readonly (readonly object[])[]>): MetricsText {
  const sum = (lists: readonly (readonly object[])[]): Registry => AggregatorRegistry.aggregate(lists as object[]);
  return { text: async () => sum(await read()).metrics(), contentType: sum([]).contentType };
}

/** What ended processes have counted, with one more: its counters and histograms, not its gauges. */
export function addCounted(sum: readonly object[], ended: readonly object[]): readonly object[] {
  const counted = (ended as { readonly type: string }[]).filter(({ type }) => type !== 'gauge');
  return AggregatorRegistry.aggregate([sum, counted] as object[]).getMetricsAsArray();
}

/** What the primary process adds to the metrics of its workers: its own memory and processor, the start of the service, and what it counts. */
export class PrimaryMetrics {
  readonly #registry = new Registry();
  readonly #read: Pick<Gauges, 'droppedLogLines' | 'restarts'>;

  constructor(read: Pick<Gauges, 'droppedLogLines' | 'restarts'>) {
    this.#read = read;
    collectDefaultMetrics({ register: this.#registry });
  }

  /** To be the first of the lists that are summed. */
  async json(): Promise<readonly object[]> {
    const { droppedLogLines, restarts } = this.#read;
    return [
      // prom-client leaves the start time out of sums: the service started when its primary process did.
      ...(await this.#registry.getMetricsAsJSON()).map((metric) =>
        metric.name === 'process_start_time_seconds' ? { ...metric, aggregator: 'first' } : metric,
      ),
      counted('tickmark_log_lines_dropped_total', [{ value: droppedLogLines(), labels: {} }]),
      counted(
        'tickmark_restarts_total',
        Object.entries(restarts()).map(([process, value]) => ({ value, labels: { process } })),
      ),
    ];
  }
}

function counted(name: MetricName, values: readonly { readonly value: number; readonly labels: object }[]): object {
  const { help, type } = METRICS[name];
  return { name, help, type, values, aggregator: 'sum' };
}
