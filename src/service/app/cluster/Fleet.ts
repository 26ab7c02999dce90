import type { Clock } from '../../../core/Clock.ts';
import type { Logger } from '../../../core/Logger.ts';
import { Supervisor, type ChildRun } from '../../../core/Supervisor.ts';
import { addCounted } from '../../../core/observability/Metrics.ts';
import { SeriesHolders } from './SeriesHolders.ts';
import { BoundedCopies, type FromWorker, type ToWorker, SharedCounts } from './WorkerLink.ts';

/** A worker process as the fleet sees it. */
export type WorkerProcess = {
  readonly pid: number | undefined;
  /** `sent`: called when the worker has been sent it. */
  send(message: ToWorker, sent?: () => void): void;
  kill(): void;
  on(event: 'message', listener: (message: FromWorker) => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
};

export type FleetDeps = {
  readonly size: number;
  /** May throw, or emit `error` later. */
  readonly fork: () => WorkerProcess;
  /** A worker that is not ready after this time is killed. */
  readonly startMs: number;
  /** A worker that is asked to stop and has not ended after this time is killed. */
  readonly stopMs: number;
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

/** Above the longest block of a worker's event loop: a batch in WASM, or a garbage collection, takes milliseconds. */
const SILENCE_MS = 10_000;
/** A worker that does not answer in this time counts with its last metrics. */
const METRICS_MS = 2000;
/** Digests of keys that a new worker is told of; older ones are dropped. */
const MOST_VALID_KEYS = 10_000;

type Address = { readonly url: string; readonly port: number };
/** What a worker watches. */
type Watching = { readonly keyIds: ReadonlySet<string>; readonly passing: BoundedCopies };
type WorkerRun = ChildRun<Address> & { readonly worker: WorkerProcess };
type Place = Supervisor<Address, WorkerRun>;

/** Several processes that serve one port: restarts them, and keeps the state that they share. */
export class Fleet {
  readonly #deps: FleetDeps;
  readonly #counts: SharedCounts;
  readonly #places: readonly Place[];
  readonly #asked = new Map<number, () => void>();
  /** The last metrics of each worker that has not ended. */
  readonly #metrics = new Map<WorkerProcess, readonly object[]>();
  /** Counters and histograms of the workers that have ended: without them, the sums would fall, and Prometheus would take that for a restart. */
  #ended: readonly object[] = [];
  readonly #watching = new Map<WorkerProcess, Watching>();
  readonly #series = new SeriesHolders();
  /** By digest, oldest first: keys that a worker found valid. */
  readonly #validKeys = new Set<string>();
  #questions = 0;

  constructor(deps: FleetDeps) {
    this.#deps = deps;
    this.#counts = new SharedCounts(deps.clock);
    this.#places = Array.from({ length: deps.size }, () => this.#createPlace());
  }

  /** Starts one worker, so that a broken setup is reported once, then the others in the background. Resolves when the first is ready. Throws WorkerFailed. */
  async start(): Promise<Address> {
    const [first, ...others] = this.#places;
    const address = await first!.start();
    for (const place of others) place.startInBackground();
    return address;
  }

  /** The last metrics of every worker, and what those that have ended have counted. Their sums never fall. */
  async metrics(): Promise<(readonly object[])[]> {
    await Promise.all(this.#places.map(({ up }) => up && this.#askMetrics(up.worker)));
    return [this.#ended, ...this.#metrics.values()];
  }

  /** How often workers were started again. */
  get restarts(): number {
    return this.#places.reduce((sum, place) => sum + place.restarts, 0);
  }

  /** Tells all that they will stop, asks them to finish their requests when `drained` resolves, and resolves when the last has ended. */
  async stop(drained: () => Promise<void> = async () => {}): Promise<void> {
    for (const { up } of this.#places) up?.worker.send({ kind: 'stopping' });
    await drained();
    await Promise.all(this.#places.map((place) => place.stop(({ worker }) => worker.send({ kind: 'stop' }), this.#deps.stopMs)));
  }

  /** Kills all immediately. */
  kill(): void {
    for (const place of this.#places) void place.stop();
  }

  #createPlace(): Place {
    const { clock, logger, startMs, fork } = this.#deps;
    return new Supervisor({
      name: 'worker process',
      readyMs: startMs,
      silenceMs: SILENCE_MS,
      clock,
      logger,
      start: () => this.#watch(fork()),
    });
  }

  #watch(worker: WorkerProcess): WorkerRun {
    let heard = 0;
    this.#metrics.set(worker, []);
    let isReady = (_address: Address): void => {};
    let hasFailed = (_error: Error): void => {};
    const ready = new Promise<Address>((resolve, reject) => ([isReady, hasFailed] = [resolve, reject]));
    ready.catch(() => {});
    const ended = new Promise<string>((resolve) => {
      worker.once('exit', (code, signal) => {
        if (this.#watching.delete(worker)) this.#tellWatched(worker);
        this.#series.left(worker);
        this.#ended = addCounted(this.#ended, this.#metrics.get(worker) ?? []);
        this.#metrics.delete(worker);
        hasFailed(new WorkerFailed(code ?? 1));
        resolve(`it ended with ${signal ?? `exit code ${code}`}`);
      });
      worker.once('error', (error) => {
        hasFailed(error);
        resolve(error.message);
      });
    });
    worker.on('message', (message) => {
      heard++;
      if (message.kind === 'ready') {
        if (this.#validKeys.size > 0) worker.send({ kind: 'valid', digests: [...this.#validKeys] });
        if (this.#watching.size > 0) worker.send(this.#watchedBeside(worker));
        isReady(message);
      } else if (message.kind === 'count') {
        void this.#counts.add(message.adds).then((results) => worker.send({ kind: 'counted', id: message.id, results }));
      } else if (message.kind === 'forget') {
        for (const { latest } of this.#places) if (latest?.worker !== worker) latest?.worker.send(message);
      } else if (message.kind === 'valid') {
        for (const { latest } of this.#places) if (latest?.worker !== worker) latest?.worker.send(message);
        for (const digest of message.digests) this.#validKeys.add(digest);
        while (this.#validKeys.size > MOST_VALID_KEYS) this.#validKeys.delete(this.#validKeys.values().next().value!);
      } else if (message.kind === 'watch') {
        this.#watching.set(worker, {
          keyIds: new Set(message.keyIds),
          passing: this.#watching.get(worker)?.passing ?? new BoundedCopies(),
        });
        this.#tellWatched(worker, message.wanted);
      } else if (message.kind === 'copies') {
        for (const [other, { keyIds, passing }] of this.#watching)
          if (other !== worker && keyIds.has(message.copies.keyId))
            passing.send(message.copies, (copies, sent) => other.send({ kind: 'copies', copies }, sent));
      } else if (message.kind === 'claim') {
        this.#series.claim(worker, message.key);
      } else if (message.kind === 'handed') {
        this.#series.handed(worker, message);
      } else if (message.kind === 'metrics') {
        if (this.#metrics.has(worker)) this.#metrics.set(worker, message.metrics);
        this.#asked.get(message.id)?.();
      }
    });
    return {
      worker,
      ready,
      ended,
      isBusy: false,
      get messagesReceived() {
        return heard;
      },
      ping: () => worker.send({ kind: 'ping' }),
      kill: () => worker.kill(),
    };
  }

  /** Tells the other workers which keys are watched elsewhere, because that has changed in one. */
  #tellWatched(changed: WorkerProcess, wanted?: string): void {
    for (const { latest } of this.#places)
      if (latest !== undefined && latest.worker !== changed) latest.worker.send(this.#watchedBeside(latest.worker, wanted));
  }

  #watchedBeside(worker: WorkerProcess, wanted?: string): ToWorker {
    const keyIds = [...this.#watching].flatMap(([other, watching]) => (other === worker ? [] : [...watching.keyIds]));
    return { kind: 'watch', keyIds: [...new Set(keyIds)], wanted };
  }

  /** Resolves when the worker has answered, or is late. */
  #askMetrics(worker: WorkerProcess): Promise<void> {
    const id = this.#questions++;
    return new Promise((resolve) => {
      const answer = (): void => {
        cancel();
        this.#asked.delete(id);
        resolve();
      };
      const cancel = this.#deps.clock.after(METRICS_MS, answer);
      this.#asked.set(id, answer);
      worker.send({ kind: 'metrics', id });
    });
  }
}
