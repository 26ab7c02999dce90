import { AggregatorRegistry, type Registry } from 'prom-client';
import type { MetricsText } from './MetricsServer.ts';
import { METRICS } from './metricTable.ts';

/** The metrics of several processes as one: sums, and for some gauges the largest (`metricTable.ts`) or, of prom-client's own, the mean. */
export function sumMetrics(read: () => Promise<readonly (readonly object[])[]>): MetricsText {
  const sum = (lists: readonly (readonly object[])[]): Registry => AggregatorRegistry.aggregate(lists as object[]);
  return { text: async () => sum(await read()).metrics(), contentType: sum([]).contentType };
}

/** Log lines that this process has dropped, to be summed with the metrics of others. */
export function droppedLinesMetric(count: number): readonly object[] {
  const name = 'tickmark_log_lines_dropped_total';
  const { help, type } = METRICS[name];
  return [{ name, help, type, values: [{ value: count, labels: {} }], aggregator: 'sum' }];
}
