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
/** All series exist from the start, so that rates are defined. */
const SHADOW_OUTCOMES = ['agrees', 'only_live', 'only_shadow', 'failed', 'dropped'] as const;
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'];

/** The service's metrics, by Prometheus' names and units. Label values come from fixed tables only. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #histograms = new Map<MetricName, Histogram>();
  readonly #counters = new Map<MetricName, Counter>();
  readonly #gauges = new Map<MetricName, Gauge>();
  #read: Gauges | undefined;

  /** `sharesTensors`: the backend is one of several workers, which all read the same tensors. */
  constructor({ sharesTensors = false }: { readonly sharesTensors?: boolean } = {}) {
    // Memory, processor, garbage collection and the delay of the event loop.
    collectDefaultMetrics({ register: this.#registry });
    for (const [name, row] of Object.entries(METRICS) as [MetricName, MetricRow][]) {
      const options = { name, help: row.help, labelNames: [...row.labels], registers: [this.#registry] };
      if (row.type === 'histogram') this.#histograms.set(name, new Histogram({ ...options, buckets: [...(row.buckets ?? [])] }));
      else if (row.type === 'counter') this.#counters.set(name, new Counter(options));
      else {
        const aggregator = row.isOfBackend === true && sharesTensors ? 'max' : (row.ofSeveral ?? 'sum');
        this.#gauges.set(name, new Gauge({ ...options, aggregator }));
      }
    }
    for (const result of ['computed', 'skipped']) this.#counters.get('tickmark_live_forecasts_total')?.inc({ result }, 0);
    for (const result of ['stored', 'dropped']) this.#counters.get('tickmark_alerts_total')?.inc({ result }, 0);
    for (const result of ['delivered', 'retry', 'failed']) this.#counters.get('tickmark_alert_attempts_total')?.inc({ result }, 0);
    for (const outcome of SHADOW_OUTCOMES) this.#counters.get('tickmark_shadow_forecasts_total')?.inc({ outcome }, 0);
    this.#gauges.get('tickmark_build_info')?.set({ version: packageVersion(), commit: buildCommit() }, 1);
  }

  /** Registers gauges that are read at each scrape. */
  watch(gauges: Gauges): void {
    this.#read = gauges;
  }

  request({ route, method, status, ms }: AnsweredRequest): void {
    const labels = { route: route ?? 'none', method: METHODS.includes(method) ? method : 'other', status: String(status ?? 'none') };
    this.#histograms.get('tickmark_request_duration_seconds')?.observe(labels, ms / MS_PER_SECOND);
  }

  live(event: 'opened' | 'closed' | 'computed' | 'skipped'): void {
    if (event === 'opened') this.#gauges.get('tickmark_live_connections')?.inc();
    else if (event === 'closed') this.#gauges.get('tickmark_live_connections')?.dec();
    else this.#counters.get('tickmark_live_forecasts_total')?.inc({ result: event });
  }

  feeds(counts: Readonly<Record<string, number>>): void {
    for (const [state, count] of Object.entries(counts)) this.#gauges.get('tickmark_market_feeds')?.set({ state }, count);
  }

  alerts(result: 'stored' | 'dropped', count: number): void {
    this.#counters.get('tickmark_alerts_total')?.inc({ result }, count);
  }

  delivery(result: 'delivered' | 'retry' | 'failed'): void {
    this.#counters.get('tickmark_alert_attempts_total')?.inc({ result });
  }

  /** `code` is one of the error table. */
  problem(code: string): void {
    this.#counters.get('tickmark_problems_total')?.inc({ code });
  }

  stages(timesMs: Readonly<Record<'parse' | 'features' | 'network' | 'rules', number>>): void {
    const histogram = this.#histograms.get('tickmark_forecast_stage_duration_seconds');
    for (const [stage, ms] of Object.entries(timesMs)) histogram?.observe({ stage }, ms / MS_PER_SECOND);
  }

  loopDelay(ms: number): void {
    this.#histograms.get('tickmark_event_loop_delay_seconds')?.observe(ms / MS_PER_SECOND);
  }

  batch({ size, ms }: { readonly size: number; readonly ms: number }): void {
    this.#histograms.get('tickmark_batch_size')?.observe(size);
    this.#histograms.get('tickmark_batch_duration_seconds')?.observe(ms / MS_PER_SECOND);
  }

  /** `difference` where both versions answered. */
  shadow(outcome: (typeof SHADOW_OUTCOMES)[number], difference?: number): void {
    this.#counters.get('tickmark_shadow_forecasts_total')?.inc({ outcome });
    if (difference !== undefined) this.#histograms.get('tickmark_shadow_difference')?.observe(difference);
  }

  cardFault(): void {
    this.#counters.get('tickmark_card_faults_total')?.inc();
  }

  storeCall(call: string, outcome: 'answered' | 'failed', ms: number): void {
    this.#histograms.get('tickmark_store_call_duration_seconds')?.observe({ call, outcome }, ms / MS_PER_SECOND);
    this.#gauges.get('tickmark_store_up')?.set(Number(outcome === 'answered'));
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    this.#readGauges();
    return this.#registry.metrics();
  }

  #readGauges(): void {
    const read = this.#read;
    if (read !== undefined) {
      const { count, bytes } = read.tensors();
      this.#gauges.get('tickmark_forecasts_waiting')?.set(read.forecastsWaiting());
      this.#gauges.get('tickmark_passwords_waiting')?.set(read.passwordsWaiting());
      this.#gauges.get('tickmark_live_tensors')?.set(count);
      this.#gauges.get('tickmark_tensor_bytes')?.set(bytes);
      const dropped = this.#counters.get('tickmark_log_lines_dropped_total');
      dropped?.reset();
      dropped?.inc(read.droppedLogLines());
      const restarts = this.#counters.get('tickmark_restarts_total');
      restarts?.reset();
      for (const [process, count] of Object.entries(read.restarts())) restarts?.inc({ process }, count);
      for (const [part, isOut] of Object.entries(read.outages())) this.#gauges.get('tickmark_store_outage')?.set({ part }, Number(isOut));
      this.#gauges.get('tickmark_clock_offset_seconds')?.set(read.clockOffsetMs() / MS_PER_SECOND);
      this.#gauges.get('tickmark_last_backup_timestamp_seconds')?.set(read.lastBackupMs() / MS_PER_SECOND);
      const info = this.#gauges.get('tickmark_model_info');
      info?.reset();
      for (const { id, isDefault } of read.models()) info?.set({ id }, isDefault ? 1 : 0);
      const drift = read.inputDrift();
      this.#gauges.get('tickmark_input_drift_forecasts')?.set(drift?.forecasts ?? 0);
      const ofColumns = this.#gauges.get('tickmark_input_drift');
      ofColumns?.reset();
      for (const { name, psi } of drift?.columns ?? []) ofColumns?.set({ column: name }, psi);
    }
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
