import { isLoopback, type Settings } from '../../core/config/settings.ts';
import type { Logger } from '../../core/Logger.ts';
import { standardSink } from '../../core/observability/logDestination.ts';
import type { Metrics } from '../../core/observability/Metrics.ts';
import { MetricsServer, type MetricsText } from '../../core/observability/MetricsServer.ts';
import type { openAccounts } from './openAccounts.ts';
import type { OpenForecaster } from './openForecaster.ts';

/** Serves metrics on a port of their own, which METRICS_PORT names. */
export async function serveMetrics(
  { metricsHost: host, metricsPort, hostNames }: Settings,
  logger: Logger,
  metrics: MetricsText,
): Promise<MetricsServer> {
  const server = new MetricsServer(metrics, isLoopback(host) ? hostNames : undefined);
  await server.listen(host, metricsPort);
  logger.info('metrics are served', { url: `http://${host.includes(':') ? `[${host}]` : host}:${metricsPort}/metrics` });
  return server;
}

/** Lets the metrics read what the parts know. */
export function watchMetrics(metrics: Metrics, accounts: Awaited<ReturnType<typeof openAccounts>>, open: OpenForecaster): void {
  const { outages, clockCheck, lastBackup, passwordsWaiting } = accounts;
  const { models } = open;
  metrics.watch({
    passwordsWaiting,
    forecastsWaiting: () => open.waiting(),
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
