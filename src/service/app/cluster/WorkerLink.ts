import { EventEmitter } from 'node:events';
import { MemoryCounter } from '../../accounts/limits/MemoryCounter.ts';
import type { Counter, LimitPolicy } from '../../accounts/limits/RateLimit.ts';
import type { Clock } from '../../../core/Clock.ts';
import type { Copies } from '../../http/live/LiveWatch.ts';
import type { MemoryKey } from '../../live/MemoryStore.ts';
import type { Granted, HandedMemory, SeriesClaims } from '../../live/SeriesClaims.ts';
import { ServiceError } from '../../../core/ServiceError.ts';

/** The part of `process` that a worker talks over. */
export type Channel = {
  /** `sent`: called when the primary has been sent it. */
  send(message: FromWorker, sent?: () => void): void;
  on(event: 'message', listener: (message: ToWorker) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
};

type Asked = { readonly add: Add; readonly resolve: (counted: Counted) => void; readonly reject: (error: Error) => void };

/** A claim of a series that the primary has not granted yet. */
type Claimed = { readonly resolve: (granted: Granted) => void; readonly reject: (error: Error) => void };

/** The worker's side of the channel to the primary process, which keeps the state that all workers share. */
export class WorkerLink {
  /** Resolves when the primary asks to stop, or is gone. */
  readonly stopped: Promise<void>;
  readonly #channel: Channel;
  /** Adds of this iteration of the event loop: one message carries them. */
  #adds: Asked[] = [];
  /** By the number of their message. */
  readonly #sent = new Map<number, readonly Asked[]>();
  #asks = 0;
  #isGone = false;
  readonly #passing = new BoundedCopies();
  /** By series. */
  readonly #claimed = new Map<string, Claimed>();
  /** By kind. */
  readonly #messages = new EventEmitter();

  constructor(channel: Channel) {
    this.#channel = channel;
    channel.on('message', (message) => void this.#messages.emit(message.kind, message));
    let stop = (): void => {};
    this.stopped = new Promise((resolve) => (stop = resolve));
    this.on('stop', stop);
    this.on('ping', () => this.send({ kind: 'pong' }));
    this.on('counted', ({ id, results }) => this.#settle(id, results));
    this.on('granted', (message) => this.#granted(message));
    channel.on('disconnect', () => {
      this.#isGone = true;
      for (const asked of [...this.#sent.values(), this.#adds]) for (const { reject } of asked) reject(primaryGone());
      for (const { reject } of this.#claimed.values()) reject(primaryGone());
      this.#sent.clear();
      this.#claimed.clear();
      this.#adds = [];
      stop();
    });
  }

  /** Calls `run` with each message of a kind. */
  on<Kind extends ToWorker['kind']>(kind: Kind, run: (message: Extract<ToWorker, { readonly kind: Kind }>) => void): void {
    this.#messages.on(kind, run);
  }

  send(message: FromWorker): void {
    if (!this.#isGone) this.#channel.send(message);
  }

  /** A counter that the primary keeps for all workers. */
  counterOf(policy: LimitPolicy): Counter {
    return { add: (subject, count) => this.#add({ policy, subject, count }) };
  }

  /** Which worker has a series. */
  get claims(): SeriesClaims {
    return {
      claim: (key) => {
        if (this.#isGone) return Promise.reject(primaryGone());
        this.send({ kind: 'claim', key });
        return new Promise((resolve, reject) => this.#claimed.set(seriesOf(key), { resolve, reject }));
      },
      handOver: (key, grant, memory) => this.send({ kind: 'handed', key, grant, memory: memory && asText(memory) }),
      onRecall: (run) => this.on('recall', ({ key, grant }) => run(key, grant)),
    };
  }

  /** Tells the other workers which keys are watched here, and of which one the present state is wanted. */
  watch(keyIds: readonly string[], wanted?: string): void {
    this.send({ kind: 'watch', keyIds, wanted });
  }

  /** Passes copies on to the workers that watch their key. */
  passOn(copies: Copies): void {
    if (!this.#isGone) this.#passing.send(copies, (bounded, sent) => this.#channel.send({ kind: 'copies', copies: bounded }, sent));
  }

  /** Called with the keys that are watched in other workers. */
  onWatch(run: (keyIds: readonly string[], wanted: string | undefined) => void): void {
    this.on('watch', ({ keyIds, wanted }) => run(keyIds, wanted));
  }

  /** Called with copies of a key that is watched here. */
  onCopies(run: (copies: Copies) => void): void {
    this.on('copies', ({ copies }) => run(copies));
  }

  #add(add: Add): Promise<Counted> {
    if (this.#isGone) return Promise.reject(primaryGone());
    return new Promise((resolve, reject) => {
      if (this.#adds.push({ add, resolve, reject }) === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const asked = this.#adds;
    if (asked.length === 0) return;
    this.#adds = [];
    const id = this.#asks++;
    this.#sent.set(id, asked);
    this.send({ kind: 'count', id, adds: asked.map(({ add }) => add) });
  }

  #granted({ key, grant, memory }: Extract<ToWorker, { kind: 'granted' }>): void {
    const claimed = this.#claimed.get(seriesOf(key));
    this.#claimed.delete(seriesOf(key));
    claimed?.resolve({ grant, memory: memory && { ...memory, bytes: Buffer.from(memory.bytes, 'base64') } });
  }

  #settle(id: number, results: readonly Counted[]): void {
    const asked = this.#sent.get(id) ?? [];
    this.#sent.delete(id);
    for (const [i, { resolve, reject }] of asked.entries()) {
      const counted = results[i];
      if (counted === undefined) reject(primaryGone());
      else resolve(counted);
    }
  }
}

function primaryGone(): ServiceError {
  return new ServiceError('service.not_ready', 'The service is stopping.');
}

/** One subject's count to be changed. */
export type Add = { readonly policy: LimitPolicy; readonly subject: string; readonly count: number };
export type Counted = { readonly count: number; readonly resetMs: number };

/** What a worker says to the primary process. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly url: string; readonly port: number }
  | { readonly kind: 'count'; readonly id: number; readonly adds: readonly Add[] }
  /** The answer to a ping. */
  | { readonly kind: 'pong' }
  /** The keys of this account have changed. */
  | { readonly kind: 'forget'; readonly accountId: string }
  /** Keys that were found valid. */
  | { readonly kind: 'valid'; readonly digests: readonly string[] }
  /** The keys that are watched in it; of `wanted`, the present state is wanted. */
  | { readonly kind: 'watch'; readonly keyIds: readonly string[]; readonly wanted?: string | undefined }
  | { readonly kind: 'copies'; readonly copies: Copies }
  /** It needs the memory of a series. */
  | { readonly kind: 'claim'; readonly key: MemoryKey }
  /** It ends a grant. */
  | { readonly kind: 'handed'; readonly key: MemoryKey; readonly grant: number; readonly memory: MemoryText | undefined }
  /** Its metrics, as prom-client writes them in JSON. */
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: readonly object[] };

/** What the primary process says to a worker. */
export type ToWorker =
  /** New connections are still accepted, but /health/ready answers 503. */
  | { readonly kind: 'stopping' }
  /** Finish the requests and end. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'counted'; readonly id: number; readonly results: readonly Counted[] }
  | { readonly kind: 'forget'; readonly accountId: string }
  | { readonly kind: 'valid'; readonly digests: readonly string[] }
  /** The keys that are watched in other workers. */
  | { readonly kind: 'watch'; readonly keyIds: readonly string[]; readonly wanted?: string | undefined }
  | { readonly kind: 'copies'; readonly copies: Copies }
  | { readonly kind: 'granted'; readonly key: MemoryKey; readonly grant: number; readonly memory: MemoryText | undefined }
  /** Another worker needs the series of this grant. */
  | { readonly kind: 'recall'; readonly key: MemoryKey; readonly grant: number }
  | { readonly kind: 'metrics'; readonly id: number };

/** `bytes` in base64: the channel carries JSON. */
export type MemoryText = Omit<HandedMemory, 'bytes'> & { readonly bytes: string };

const asText = ({ bytes, ...rest }: HandedMemory): MemoryText => ({ ...rest, bytes: Buffer.from(bytes).toString('base64') });

/** Neither part contains a blank. */
export const seriesOf = ({ accountId, series }: MemoryKey): string => `${accountId} ${series}`;

/** Copies that are on their way to one process; further ones are dropped and counted, so that they never pile up. */
const MOST_ON_THEIR_WAY = 32;

/** Sends copies to a process that may be too slow for them. */
export class BoundedCopies {
  #onTheirWay = 0;
  readonly #dropped = new Map<string, number>();

  send(copies: Copies, send: (copies: Copies, sent: () => void) => void): void {
    const { keyId, count } = copies;
    const dropped = copies.dropped + (this.#dropped.get(keyId) ?? 0);
    if (this.#onTheirWay >= MOST_ON_THEIR_WAY) {
      this.#dropped.set(keyId, dropped + count);
      return;
    }
    this.#dropped.delete(keyId);
    this.#onTheirWay++;
    send({ ...copies, dropped }, () => void this.#onTheirWay--);
  }
}

/** The counts of every limit, kept once for all workers. */
export class SharedCounts {
  /** By the name of the limit: the policies of one service have a name each. */
  readonly #counters = new Map<string, MemoryCounter>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(adds: readonly Add[]): Promise<Counted[]> {
    return Promise.all(adds.map(({ policy, subject, count }) => this.#counterOf(policy).add(subject, count)));
  }

  #counterOf(policy: Add['policy']): MemoryCounter {
    let counter = this.#counters.get(policy.name);
    if (counter === undefined) this.#counters.set(policy.name, (counter = new MemoryCounter(policy, this.#clock)));
    return counter;
  }
}
