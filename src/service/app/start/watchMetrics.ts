import { isLoopback, type Settings } from '../../../core/config/settings.ts';
import { standardSink } from '../../../core/observability/logDestination.ts';
import type { Metrics } from '../../../core/observability/Metrics.ts';
import { MetricsServer } from '../../../core/observability/MetricsServer.ts';
import type { openAccountParts } from './openAccountParts.ts';
import type { openAccountStore } from './openAccountStore.ts';
import type { OpenedModels } from './openModels.ts';
import type { ServiceBasics } from './ServiceBasics.ts';

/** Where a scrape finds the metrics. */
export const metricsUrl = ({ metricsHost, metricsPort }: Settings): string =>
  `http://${metricsHost.includes(':') ? `[${metricsHost}]` : metricsHost}:${metricsPort}/metrics`;

/** Serves the metrics on a port of their own; those of a worker come from the primary. */
export async function serveMetrics({ settings, logger, metrics, link, opened }: ServiceBasics): Promise<void> {
  if (metrics === undefined || link !== undefined) return;
  const server = new MetricsServer(metrics, isLoopback(settings.metricsHost) ? settings.hostNames : undefined);
  await server.listen(settings.metricsHost, settings.metricsPort);
  logger.info('metrics are served', { url: metricsUrl(settings) });
  opened.add(server);
}

/** Lets the metrics read what the parts know. */
export function watchMetrics(
  metrics: Metrics,
  { outages, clockCheck, lastBackup }: Omit<Awaited<ReturnType<typeof openAccountStore>>, 'access'>,
  { accounts }: Pick<ReturnType<typeof openAccountParts>, 'accounts'>,
  { open }: OpenedModels,
): void {
  const { models } = open;
  metrics.watch({
    forecastsWaiting: () => open.waiting(),
    passwordsWaiting: () => accounts.passwordsWaiting(),
    droppedLogLines: () => standardSink(2).droppedLines,
    restarts: () => ({ worker: 0, inference: open.restarts() }),
    outages: () => ({ keys: outages.keys.sinceMs !== undefined, limits: outages.limits.sinceMs !== undefined }),
    clockOffsetMs: () => clockCheck?.offsetMs ?? 0,
    lastBackupMs: () => lastBackup?.atMs ?? 0,
    tensors: () => open.tensors(),
    models: () => models.list().map(({ id }) => ({ id, isDefault: id === models.defaultId })),
    inputDrift: () => {
      const model = models.find(models.defaultId);
      return model === undefined ? null : open.inputs.read(model);
    },
  });
}
