import { AggregatorRegistry, type Registry } from 'prom-client';
import type { MetricsText } from './MetricsServer.ts';

/** The metrics of several processes as one: sums, and for some gauges the largest (`metricTable.ts`) or, of prom-client's own, the mean. */
export function sumMetrics(read: () => Promise<readonly (readonly object[])[]>): MetricsText {
  const sum = (lists: readonly (readonly object[])[]): Registry => AggregatorRegistry.aggregate(lists as object[]);
  return { text: async () => sum(await read()).metrics(), contentType: sum([]).contentType };
}
