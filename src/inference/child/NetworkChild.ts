import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../core/Clock.ts';
import { forwardLines } from '../../core/forwardLines.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { ModelFolder } from '../../model/modelFiles.ts';
import type { Runtime } from '../../runtime/Runtime.ts';
import type { InferenceRow, Parcel } from '../InferenceHost.ts';
import type { WarmedBatch } from '../warmUp.ts';
import { FrameReader } from './FrameReader.ts';
import { KIND, readAnswers, readValue, rowsFrame, valueFrame, type Answers, type Fault, type Kind } from './frames.ts';
import { parcelsFrame, readParcelAnswers, type ParcelAnswers } from './parcels.ts';

export type ChildOptions = {
  /** The program of the process: networkProcess, built or not. */
  readonly program: string;
  readonly backend: string;
  readonly clock: Clock;
  /** Told once, when it ends for whatever reason. */
  readonly onEnd: (reason: string) => void;
  /** Called with what it writes to standard error: one or more whole lines. */
  readonly onText: (lines: string) => void;
};

export type Hello = Pick<Runtime, 'backend' | 'description' | 'refused'>;
export type Opened = { readonly warmed: readonly WarmedBatch[]; readonly tensors: Answers['tensors'] };

/** `briefing`: what the program needs to know of a version for the parcels that name its network. */
export type OpenOrder = { readonly networkId: string; readonly version: NetworkFiles; readonly briefing: unknown };
/** What the process of the network needs of a version. */
export type NetworkFiles = Pick<ModelFolder, 'manifest' | 'weights' | 'golden'>;

type Reply = { readonly kind: Kind; readonly body: Buffer };
type Waiter = { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void };

/** No batch of ours takes this long, nor does loading a backend: a process that is silent for longer is ended. */
const LONGEST_MS = { hello: 180_000, open: 120_000, run: 30_000 };

function gone(): ServiceError {
  return new ServiceError('service.not_ready', 'The process of the network has ended; it is being started again.');
}

/** One process with the network in it. Replies come in the order of what was asked. */
export class NetworkChild {
  readonly hello: Promise<Hello>;
  readonly #process: ChildProcess;
  readonly #pipe: Duplex;
  readonly #clock: Clock;
  readonly #waiting: Waiter[] = [];
  #isOver = false;

  constructor({ program, backend, clock, onEnd, onText }: ChildOptions) {
    this.#clock = clock;
    const loader = program.endsWith('.ts') ? ['--import', 'tsx'] : [];
    const child = spawn(process.execPath, [...loader, program, backend], {
      // A pipe that is always read: native libraries write to it, and would wait for ever where ours is not.
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    if (child.stderr !== null) forwardLines(child.stderr, onText);
    this.#process = child;
    this.#pipe = child.stdio[3] as Duplex;
    const end = (reason: string): void => {
      if (this.#isOver) return;
      this.#isOver = true;
      child.kill('SIGKILL');
      this.#pipe.destroy();
      for (const { reject } of this.#waiting.splice(0)) reject(gone());
      onEnd(reason);
    };
    child.once('error', (error) => end(error.message)).once('exit', (code, signal) => end(`it ended with ${signal ?? code}`));
    this.#pipe.on('error', (error) => end(error.message)).on('close', () => end('its pipe closed'));
    const reader = new FrameReader({
      onFrame: (kind, body) => this.#waiting.shift()?.resolve({ kind, body }),
      onFault: (error) => end(error.message),
    });
    this.#pipe.on('data', (piece: Buffer) => reader.push(piece));
    this.hello = this.#reply(LONGEST_MS.hello).then(({ kind, body }) => valueOf<Hello>(kind, body, KIND.hello));
    // Whoever cares waits for it.
    this.hello.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Throws ServiceError `model.refused`, `service.not_ready`. */
  async open(networkId: string, version: ModelFolder, briefing: unknown): Promise<Opened> {
    const order: OpenOrder = { networkId, version: plain(version), briefing };
    const { kind, body } = await this.#ask(valueFrame(KIND.open, order), LONGEST_MS.open);
    return valueOf<Opened>(kind, body, KIND.opened);
  }

  drop(networkId: string): void {
    if (!this.#isOver) this.#pipe.write(valueFrame(KIND.drop, networkId));
  }

  /** Throws ServiceError `inference.failed`, `model.unknown`, `service.not_ready`. */
  async run(networkId: string, rows: readonly InferenceRow[]): Promise<Answers> {
    const { kind, body } = await this.#ask(rowsFrame(networkId, rows), LONGEST_MS.run);
    if (kind !== KIND.answers) return valueOf<never>(kind, body, KIND.answers);
    return readAnswers(body, () => new ServiceError('inference.failed', `Model ${networkId} gave a logit that is not finite.`));
  }

  /** One answer each, in their order. Throws as `run` does. */
  async hand(networkId: string, parcels: readonly Parcel[]): Promise<ParcelAnswers> {
    const { kind, body } = await this.#ask(parcelsFrame(networkId, parcels), LONGEST_MS.run);
    if (kind !== KIND.parcelAnswers) return valueOf<never>(kind, body, KIND.parcelAnswers);
    return readParcelAnswers(body);
  }

  end(): void {
    this.#process.kill('SIGKILL');
  }

  #ask(frame: Buffer, limitMs: number): Promise<Reply> {
    if (this.#isOver) return Promise.reject(gone());
    this.#pipe.write(frame);
    return this.#reply(limitMs);
  }

  #reply(limitMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(limitMs, () => this.#process.kill('SIGKILL'));
      this.#waiting.push({
        resolve: (reply) => {
          cancel();
          resolve(reply);
        },
        reject: (error) => {
          cancel();
          reject(error);
        },
      });
    });
  }
}

function plain({ manifest, weights, golden }: ModelFolder): NetworkFiles {
  return { manifest, weights, golden };
}

function valueOf<T>(kind: Kind, body: Buffer, wanted: Kind): T {
  const value = readValue(body);
  if (kind === wanted) return value as T;
  const { code, message } = value as Fault;
  throw new ServiceError(code, message);
}
