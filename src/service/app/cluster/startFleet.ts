import type { ChildProcess } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { workerEnvironment, type Settings } from '../../../core/config/settings.ts';
import { systemClock, type Clock } from '../../../core/Clock.ts';
import { forwardLines } from '../../../core/childProcess.ts';
import type { Logger } from '../../../core/Logger.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import { InferenceSupervisor } from '../../../engine/inference/child/InferenceSupervisor.ts';
import type { MetricsServer } from '../../../core/observability/MetricsServer.ts';
import { createLogger } from '../../../core/observability/createLogger.ts';
import { logDestination, type LogDestination, standardSink } from '../../../core/observability/logDestination.ts';
import { watchFolder } from '../watchFolder.ts';
import { serveMetrics } from '../watchMetrics.ts';
import type { RunningService } from '../startService.ts';
import { acceptWaiting } from '../../http/acceptWaiting.ts';
import { PrimaryMetrics, sumMetrics } from '../../../core/observability/Metrics.ts';
import { startInference } from '../openHost.ts';
import { requireTracePackages } from '../openTraces.ts';
import { hasInferenceProcess, readHostResources } from '../topology.ts';
import { Fleet, type WorkerProcess } from './Fleet.ts';
import type { FromWorker, ToWorker } from './WorkerLink.ts';

function asProcess(worker: Worker, log: LogDestination): WorkerProcess {
  // The worker passes on the errors of its process. One that comes when nothing waits for it any more must not end the service.
  worker.on('error', () => {});
  if (worker.process.stderr) forwardLines(worker.process.stderr, (lines) => log.write(lines));
  closeLostConnections(worker.process, systemClock);
  return {
    pid: worker.process.pid,
    // A worker that has just ended gets no message.
    send: (message: ToWorker, sent = () => {}) => void (worker.isConnected() ? worker.send(message, sent) : sent()),
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
  requireTracePackages(settings.traces);
  const log = logDestination(settings.logFormat);
  const logger = createLogger(settings.logLevel, log);
  cluster.schedulingPolicy = cluster.SCHED_RR;
  // Workers log through this process: a child that inherits our standard error makes it block (standardSink).
  // The program of this process and not the command that started it, which would build and run the sources of that moment.
  const exec = fileURLToPath(new URL(`../../../main${path.extname(import.meta.url)}`, import.meta.url));
  cluster.setupPrimary({ exec, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const inference = hasInferenceProcess(settings, readHostResources()) ? shareInference(settings, logger) : undefined;
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
  let metricsServer: MetricsServer | undefined;
  try {
    if (settings.metricsPort !== 0) {
      const own = new PrimaryMetrics({
        droppedLogLines: () => standardSink(2).droppedLines,
        restarts: () => ({ worker: fleet.restarts, inference: inference?.restarts ?? 0 }),
      });
      metricsServer = await serveMetrics(
        settings,
        logger,
        sumMetrics(async () => [await own.json(), ...(await fleet.metrics())]),
      );
    }
    await inference?.start();
    const { url, port } = await fleet.start();
    // The first worker has made the folder.
    const users = settings.mongodbUri === '' ? watchFolder(settings.dataDir, { clock: systemClock, logger }) : undefined;
    logger.info('the first worker is ready; the others are starting', { url, workers });
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await fleet.stop(async () => {
        if (settings.shutdownDelayMs > 0)
          await new Promise<void>((resolve) => void systemClock.after(settings.shutdownDelayMs, resolve, true));
        await acceptWaiting(settings.host, port, systemClock);
      });
      await inference?.close();
      await metricsServer?.close();
      users?.close();
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

/** The one inference process of all workers. It listens on a Unix socket in a folder that only this user may enter. Throws ServiceError `runtime.refused`. */
function shareInference({ runtimeBackend: backend, startTimeoutMs: startMs }: Settings, logger: Logger) {
  const folder = makeFolder();
  const socketPath = path.join(process.platform === 'win32' ? path.join('\\\\?\\pipe', folder) : folder, 'inference');
  const supervisor = new InferenceSupervisor({
    ...{ name: 'inference process', startMs, clock: systemClock, logger },
    open: () => startInference({ backend, startMs, logger }, socketPath),
  });
  return {
    start: () => supervisor.start(),
    /** Where workers connect to. Throws while the process is down: a worker would fail to start, and is forked later. */
    get socketPath() {
      if (supervisor.up === undefined) throw new Error('the inference process is restarting');
      return socketPath;
    },
    /** How often it was started again. */
    get restarts() {
      return supervisor.restarts;
    },
    /** Kills it at once. */
    async close() {
      const stopped = supervisor.stop();
      rmSync(folder, { recursive: true, force: true });
      await stopped;
    },
  };
}

function makeFolder(): string {
  try {
    return mkdtempSync(path.join(tmpdir(), 'tickmark-'));
  } catch (cause) {
    const message = `The socket of the inference process needs a folder (TMPDIR), and none can be made in ${tmpdir()}.`;
    throw new ServiceError('runtime.refused', message, { cause });
  }
}

/** What the cluster module of Node.js sends with a connection. */
type Handover = { readonly act?: string; readonly seq?: number };
type Connection = { close(): void };
type Send = (message: object, connection?: Connection, ...rest: readonly unknown[]) => boolean;

/** A worker accepts a connection within milliseconds; one whose event loop is held up, within seconds. */
const LOST_MS = 5000;

/**
 * Node.js hands a worker one connection at a time, and keeps its own copy of it open until the worker accepts it (lib/internal/cluster/round_robin_handle.js).
 * If the answer never arrives, the caller waits forever, and the worker gets no other connection: the worker was killed before, or could not open another
 * file. This answers for the worker after five seconds, or when it ends: the copy is closed, and the next connection is handed over.
 */
export function closeLostConnections(worker: ChildProcess, clock: Clock): void {
  // It could not be spawned.
  if (worker.send === undefined) return;
  /** Cancels the answer of each connection that is not accepted yet. */
  const handed = new Map<number, () => void>();
  const answer = (ack: number): void => void worker.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: true });
  const send = worker.send.bind(worker) as Send;
  worker.send = ((message: Handover, connection, ...rest) => {
    const { act, seq } = message;
    if (act === 'newconn' && seq !== undefined)
      handed.set(
        seq,
        clock.after(LOST_MS, () => answer(seq)),
      );
    return send(message, connection, ...rest);
  }) as Send as ChildProcess['send'];
  worker.on('internalMessage', ({ ack }: { readonly ack?: number }) => {
    if (ack === undefined) return;
    handed.get(ack)?.();
    handed.delete(ack);
  });
  worker.once('exit', () => {
    for (const seq of [...handed.keys()]) answer(seq);
  });
}
