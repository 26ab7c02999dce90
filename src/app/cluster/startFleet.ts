import cluster, { type Worker } from 'node:cluster';
import { workerEnvironment, type Settings } from '../../config/settings.ts';
import { systemClock } from '../../core/Clock.ts';
import { forwardLines } from '../../core/forwardLines.ts';
import { createLogger } from '../../observability/createLogger.ts';
import { logDestination, type LogDestination } from '../../observability/logDestination.ts';
import { MetricsServer } from '../../observability/MetricsServer.ts';
import { standardSink } from '../../observability/standardSink.ts';
import { droppedLinesMetric, sumMetrics } from '../../observability/sumMetrics.ts';
import type { RunningService } from '../RunningService.ts';
import { hasInferenceProcess, readMachine } from '../topology.ts';
import { closeLostConnections } from './closeLostConnections.ts';
import { Fleet, type WorkerProcess } from './Fleet.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { SharedInference } from './SharedInference.ts';

function asProcess(worker: Worker, log: LogDestination): WorkerProcess {
  // The worker passes on the errors of its process. One that comes when nothing waits for it any more must not end the service.
  worker.on('error', () => {});
  if (worker.process.stderr) forwardLines(worker.process.stderr, (lines) => log.write(lines));
  closeLostConnections(worker.process, systemClock);
  return {
    pid: worker.process.pid,
    // A worker that has just ended gets no message.
    send: (message: ToWorker) => void (worker.isConnected() && worker.send(message, () => {})),
    kill: () => void worker.process.kill('SIGKILL'),
    on: (event, listener: (message: FromWorker) => void) => worker.on(event, listener),
    once: ((event: string, listener: () => void) =>
      // What it wrote last is read before it counts as ended.
      event === 'exit' ? worker.process.once('close', listener) : worker.once(event, listener)) as WorkerProcess['once'],
  };
}

/** Extra time, after the grace period of a worker's requests, to close everything else. */
const STOP_MARGIN_MS = 5000;

/**
 * Runs several processes of the service behind one port, each with a network of its own or all with one inference process; metrics are those of all
 * together. The children end with this process, also while they start. Throws WorkerFailed where the first does not start, ServiceError `runtime.refused`
 * where the inference process does not.
 */
export async function startFleet(settings: Settings, workers: number): Promise<RunningService> {
  const log = logDestination(settings.logFormat);
  const logger = createLogger(settings.logLevel, log);
  cluster.schedulingPolicy = cluster.SCHED_RR;
  // Workers log through this process: a child that inherits our standard error makes it block (standardSink).
  cluster.setupPrimary({ stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const inference = hasInferenceProcess(settings, readMachine()) ? new SharedInference(settings, logger) : undefined;
  const fleet = new Fleet({
    size: workers,
    fork: () => asProcess(cluster.fork(workerEnvironment(inference?.socketPath)), log),
    startMs: settings.startTimeoutMs,
    stopMs: settings.shutdownGraceMs + STOP_MARGIN_MS,
    clock: systemClock,
    logger,
  });
  const kill = (): void => {
    fleet.kill();
    void inference?.close();
  };
  process.once('exit', kill);
  const metricsServer =
    settings.metricsPort === 0
      ? undefined
      : new MetricsServer(sumMetrics(async () => [...(await fleet.metrics()), droppedLinesMetric(standardSink(2).droppedLines)]));
  try {
    await metricsServer?.listen(settings.metricsHost, settings.metricsPort);
    await inference?.start();
    const { url, port } = await fleet.start();
    logger.info('the first worker is ready; the others are starting', { url, workers });
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await fleet.stop();
      await inference?.close();
      await metricsServer?.close();
    };
    return {
      url,
      port,
      report: (message, error) => logger.error(message, { error }),
      close: () => (closing ??= close()),
    };
  } catch (error) {
    kill();
    await metricsServer?.close();
    throw error;
  }
}
