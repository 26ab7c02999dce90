import { text, type SettingRow } from './SettingRow.ts';

/** Traces, in the names that every OpenTelemetry program reads. */
export const TRACE_SETTINGS = {
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
