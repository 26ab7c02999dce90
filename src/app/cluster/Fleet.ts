import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { SharedCounts } from './SharedCounts.ts';

/** A worker process as the fleet sees it. */
export type WorkerProcess = {
  readonly pid: number | undefined;
  send(message: ToWorker): void;
  kill(): void;
  on(event: 'message', listener: (message: FromWorker) => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
};

export type FleetDeps = {
  readonly size: number;
  readonly fork: () => WorkerProcess;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** The first worker ended before it was ready; it has said why on standard error. */
export class WorkerFailed extends Error {
  override readonly name = 'WorkerFailed';
  readonly code: number;

  constructor(code: number) {
    super(`The first worker ended with ${code} before it was ready.`);
    this.code = code;
  }
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A worker that was ready for this long had no trouble at its start. */
const SOUND_MS = 60_000;
/** One that does not answer meanwhile is left out. */
const METRICS_MS = 2000;

type Place = { worker: WorkerProcess; isAlive: boolean; readySinceMs: number | undefined; pauseMs: number; cancel: () => void };

/** Several processes that serve one port: starts them, replaces those that end, and keeps what they must agree on. */
export class Fleet {
  readonly #deps: FleetDeps;
  readonly #counts = new SharedCounts();
  readonly #places: Place[] = [];
  readonly #asked = new Map<number, (metrics: readonly object[]) => void>();
  #questions = 0;
  #isStopping = false;
  #onEmpty = (): void => {};

  constructor(deps: FleetDeps) {
    this.#deps = deps;
  }

  /** One first, so that what is wrong is said once; then the others. Resolves when all are ready. Throws WorkerFailed. */
  async start(): Promise<{ url: string; port: number }> {
    const first = await this.#add();
    await Promise.all(Array.from({ length: this.#deps.size - 1 }, () => this.#add()));
    return first;
  }

  /** The metrics of every worker that answers in time. */
  async metrics(): Promise<(readonly object[])[]> {
    const answers = this.#places.map(({ worker, readySinceMs }) => (readySinceMs === undefined ? [] : this.#metricsOf(worker)));
    return (await Promise.all(answers)).filter((metrics) => metrics.length > 0);
  }

  /** Asks all to finish what is at hand; resolves when the last has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const empty = new Promise<void>((resolve) => (this.#onEmpty = resolve));
    for (const place of [...this.#places]) {
      place.cancel();
      if (place.isAlive) place.worker.send({ kind: 'stop' });
      else this.#remove(place);
    }
    if (this.#places.length > 0) await empty;
  }

  /** Ends all at once. */
  kill(): void {
    this.#isStopping = true;
    for (const { worker, cancel } of this.#places) {
      cancel();
      worker.kill();
    }
  }

  /** Resolves when the new worker is ready; rejects where it is the first and ends before. */
  #add(): Promise<{ url: string; port: number }> {
    return new Promise((resolve, reject) => {
      const isFirst = this.#places.length === 0;
      const place: Place = {
        worker: this.#deps.fork(),
        isAlive: true,
        readySinceMs: undefined,
        pauseMs: FIRST_PAUSE_MS,
        cancel: () => {},
      };
      this.#places.push(place);
      this.#watch(place, resolve, (code) => {
        if (!isFirst) return true;
        this.#remove(place);
        reject(new WorkerFailed(code));
        return false;
      });
    });
  }

  /** `mayReplace` is asked where a worker ends that was never ready. */
  #watch(place: Place, onReady: (at: { url: string; port: number }) => void, mayReplace: (code: number) => boolean): void {
    const { worker } = place;
    const { clock } = this.#deps;
    worker.on('message', (message) => {
      if (message.kind === 'ready') {
        place.readySinceMs = clock.monotonicMs();
        onReady(message);
      } else if (message.kind === 'count') {
        void this.#counts.add(message.adds).then((results) => worker.send({ kind: 'counted', id: message.id, results }));
      } else if (message.kind === 'forget') {
        for (const other of this.#places) if (other !== place) other.worker.send(message);
      } else {
        this.#asked.get(message.id)?.(message.metrics);
      }
    });
    worker.once('exit', (code, signal) => {
      const { readySinceMs } = place;
      place.readySinceMs = undefined;
      place.isAlive = false;
      if (this.#isStopping) return this.#remove(place);
      if (readySinceMs === undefined && !mayReplace(code ?? 1)) return;
      this.#replace(place, readySinceMs, signal ?? `exit code ${code}`, onReady);
    });
  }

  #replace(place: Place, readySinceMs: number | undefined, reason: string, onReady: (at: { url: string; port: number }) => void): void {
    const { clock, logger, fork } = this.#deps;
    if (readySinceMs !== undefined && clock.monotonicMs() - readySinceMs > SOUND_MS) place.pauseMs = FIRST_PAUSE_MS;
    logger.error('a worker process ended', { pid: place.worker.pid, reason, startAgainInMs: place.pauseMs });
    place.cancel = clock.after(
      place.pauseMs,
      () => {
        place.worker = fork();
        place.isAlive = true;
        this.#watch(
          place,
          (at) => {
            logger.info('a worker process was replaced', { pid: place.worker.pid });
            onReady(at);
          },
          () => true,
        );
      },
      true,
    );
    place.pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * place.pauseMs);
  }

  #remove(place: Place): void {
    this.#places.splice(this.#places.indexOf(place), 1);
    if (this.#places.length === 0) this.#onEmpty();
  }

  #metricsOf(worker: WorkerProcess): Promise<readonly object[]> {
    const id = this.#questions++;
    return new Promise((resolve) => {
      const answer = (metrics: readonly object[]): void => {
        cancel();
        this.#asked.delete(id);
        resolve(metrics);
      };
      const cancel = this.#deps.clock.after(METRICS_MS, () => answer([]));
      this.#asked.set(id, answer);
      worker.send({ kind: 'metrics', id });
    });
  }
}
