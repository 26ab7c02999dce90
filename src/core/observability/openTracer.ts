import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Clock } from '../Clock.ts';
import { within } from '../within.ts';
import type { Attributes, Span, Tracer } from '../Tracer.ts';
import { readTraceparent } from './readTraceparent.ts';

export type TracerOptions = {
  /** Base URL of the collector: spans are sent to `/v1/traces` below it. */
  readonly endpoint: string;
  /** Fraction of the traces that are recorded where the caller has not decided it. */
  readonly fraction: number;
  readonly version: string;
  readonly clock: Clock;
  /** Called when spans could not be sent, with the reason, and when they can be sent again: not for each batch. */
  readonly onCollector?: (state: { readonly isUp: boolean; readonly reason: string }) => void;
};

export type OpenTracer = Tracer & { close(): Promise<void> };

/** Spans that wait for the next batch; later ones are dropped. One has about 1 kB. */
const MOST_WAITING = 4096;
const BATCH = 512;
const SEND_EVERY_MS = 2000;
const SEND_MS = 5000;
/** For the last spans. A collector that does not answer may not delay the end of the process. */
const CLOSE_MS = 1000;
const SAMPLED = 1;

/** Optional dependencies: an installation without traces may leave them out. */
export const TRACE_PACKAGES = ['@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources', '@opentelemetry/sdk-trace'] as const;

/** Loads OpenTelemetry, and only this does: without it, no module of it is in memory. */
export async function openTracer(options: TracerOptions): Promise<OpenTracer> {
  const { endpoint, fraction, version, clock, onCollector } = options;
  const [api, sdk, { OTLPTraceExporter }, { defaultResource, resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  let [isUp, probeMs] = [true, 0];
  const exporter = watched(new OTLPTraceExporter({ url, timeoutMillis: SEND_MS, concurrencyLimit: 2 }), (isSent, reason) => {
    if (isSent !== isUp) onCollector?.({ isUp: isSent, reason });
    isUp = isSent;
  });
  /** While a collector does not answer, one request at a time finds out whether it does again: spans that are dropped should cost nothing. */
  const isWorthwhile = (): boolean => {
    if (isUp) return true;
    const nowMs = clock.monotonicMs();
    if (nowMs < probeMs) return false;
    probeMs = nowMs + SEND_EVERY_MS;
    return true;
  };
  const provider = new sdk.TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': 'tickmark', 'service.version': version })),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(fraction) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        ...{ exporter, maxQueueSize: MOST_WAITING, maxExportBatchSize: BATCH },
        ...{ scheduledDelayMillis: SEND_EVERY_MS, exportTimeoutMillis: SEND_MS },
      }),
    ],
  });
  const spans = provider.getTracer('tickmark', version);
  const current = new AsyncLocalStorage<string>();

  const contextOf = (traceparent: string | undefined): Context => {
    const position = readTraceparent(traceparent);
    if (position === undefined || traceparent === undefined) return api.ROOT_CONTEXT;
    const traceFlags = Number.parseInt(traceparent.slice(53, 55), 16) & SAMPLED;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId: position.traceId, spanId: position.parentId, traceFlags, isRemote: true });
  };
  const start: Tracer['start'] = (name, { parent, links = [], isServer }) => {
    if (isServer === true && !isWorthwhile()) return undefined;
    const linked = links.flatMap((link) => api.trace.getSpanContext(contextOf(link)) ?? []);
    const kind = isServer === true ? api.SpanKind.SERVER : api.SpanKind.INTERNAL;
    const span = spans.startSpan(name, { kind, links: linked.map((context) => ({ context })) }, contextOf(parent));
    if (!span.isRecording()) return undefined;
    const { traceId, spanId } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-0${SAMPLED}`,
      end: ({ name: last, attributes = {}, isFailed } = {}) => {
        if (last !== undefined) span.updateName(last);
        span.setAttributes(attributes);
        if (isFailed === true) span.setStatus({ code: api.SpanStatusCode.ERROR });
        span.end();
      },
    };
  };
  const record: Tracer['record'] = (name, ms, { attributes = {}, isFailed } = {}) => {
    const parent = current.getStore();
    if (parent === undefined) return;
    const endMs = clock.nowMs();
    const span = spans.startSpan(
      name,
      { startTime: endMs - ms, attributes: attributes as Attributes & Record<string, string> },
      contextOf(parent),
    );
    if (isFailed === true) span.setStatus({ code: api.SpanStatusCode.ERROR });
    span.end(endMs);
  };
  return {
    start,
    record,
    within: (span: Span, work) => current.run(span.traceparent, work),
    get current() {
      return current.getStore();
    },
    close: () =>
      within(
        clock,
        CLOSE_MS,
        provider.shutdown().catch(() => {}),
        () => {},
        true,
      ),
  };
}

/** Calls `onSent` after each batch. */
function watched(exporter: SpanExporter, onSent: (isSent: boolean, reason: string) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const cause = result.error as (Error & { readonly code?: unknown }) | undefined;
        onSent(result.code === 0, String(cause?.code ?? cause?.message ?? ''));
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}
