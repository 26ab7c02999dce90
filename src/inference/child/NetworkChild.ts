import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../core/Clock.ts';
import { forwardLines } from '../../core/forwardLines.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { ChildRun } from '../../core/Supervisor.ts';
import type { ModelFolder } from '../../model/modelFiles.ts';
import type { Runtime } from '../../runtime/Runtime.ts';
import type { InferenceRow } from '../InferenceHost.ts';
import type { WarmedBatch } from '../warmUp.ts';
import { FrameReader } from './FrameReader.ts';
import { KIND, readAnswers, readValue, rowsFrame, valueFrame, withId, type Answers, type Fault, type Kind } from './frames.ts';

export type ChildOptions = {
  /** The program of the process: networkProcess, built or not. */
  readonly program: string;
  readonly backend: string;
  /** Longest time of one probe of a backend, for the process to keep. */
  readonly probeMs: number;
  readonly clock: Clock;
  /** Called with what it writes to standard error: one or more whole lines. */
  readonly onText: (lines: string) => void;
};

export type Hello = Pick<Runtime, 'backend' | 'description' | 'refused'>;
export type Opened = { readonly warmed: readonly WarmedBatch[]; readonly tensors: Answers['tensors'] };

export type OpenOrder = { readonly networkId: string; readonly version: NetworkFiles };
/** What the inference process needs of a version. */
export type NetworkFiles = Pick<ModelFolder, 'manifest' | 'weights' | 'golden'>;

type Reply = { readonly kind: Kind; readonly body: Buffer };
type Waiter = { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void };

/** Opening a version compiles, measures and checks it; a process that takes longer hangs. */
const OPEN_MS = 120_000;
/** The process says by itself what it opened: that message has no request. */
const HELLO_ID = 0;

function gone(): ServiceError {
  return new ServiceError('service.not_ready', 'The inference process has ended; it is being started again.');
}

/** One run of the inference process. A reply carries the id of its request. */
export class NetworkChild implements Pick<ChildRun<Hello>, 'ended' | 'heard' | 'isBusy'> {
  readonly hello: Promise<Hello>;
  readonly ended: Promise<string>;
  readonly #process: ChildProcess;
  readonly #pipe: Duplex | undefined;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, Waiter>();
  #lastId = HELLO_ID;
  #heard = 0;
  #opening = 0;
  #isOver = false;

  /** Throws what starting a process throws; a process that could not be started ends at once with the reason. */
  constructor({ program, backend, probeMs, clock, onText }: ChildOptions) {
    this.#clock = clock;
    const loader = program.endsWith('.ts') ? ['--import', 'tsx'] : [];
    const child = spawn(process.execPath, [...loader, program, backend, String(probeMs)], {
      // A pipe that is always read: native libraries write to it, and would wait for ever where ours is not.
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    let end = (_reason: string): void => {};
    this.ended = new Promise((resolve) => {
      end = (reason) => {
        if (this.#isOver) return;
        this.#isOver = true;
        child.kill('SIGKILL');
        this.#pipe?.destroy();
        for (const { reject } of this.#waiting.values()) reject(gone());
        this.#waiting.clear();
        resolve(reason);
      };
    });
    // First of all: without file descriptors there is no pipe, and the error comes later.
    child
      .once('error', (error) => end(error.message))
      .once('exit', (code, signal) => end(`it ended with ${signal ?? `exit code ${code}`}`));
    if (child.stderr) forwardLines(child.stderr, onText);
    this.#pipe = child.stdio?.[3] as Duplex | undefined;
    this.#pipe?.on('error', (error) => end(error.message)).on('close', () => this.kill());
    const reader = new FrameReader({ onFrame: (kind, body, id) => this.#receive(kind, body, id), onFault: (error) => end(error.message) });
    this.#pipe?.on('data', (piece: Buffer) => reader.push(piece));
    this.hello = new Promise((resolve, reject) => {
      const onReply = ({ kind, body }: Reply): void => {
        try {
          resolve(valueOf<Hello>(kind, body, KIND.hello));
        } catch (error) {
          reject(error as Error);
        }
      };
      this.#waiting.set(HELLO_ID, { resolve: onReply, reject: () => {} });
      void this.ended.then((reason) => reject(new Error(reason)));
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get heard(): number {
    return this.#heard;
  }

  get isBusy(): boolean {
    return this.#opening > 0;
  }

  /** Throws ServiceError `model.refused`, `service.not_ready`. */
  async open(networkId: string, version: ModelFolder): Promise<Opened> {
    const order: OpenOrder = { networkId, version: plain(version) };
    const cancel = this.#clock.after(OPEN_MS, () => this.kill());
    this.#opening++;
    try {
      const { kind, body } = await this.#ask(valueFrame(KIND.open, order));
      return valueOf<Opened>(kind, body, KIND.opened);
    } finally {
      this.#opening--;
      cancel();
    }
  }

  drop(networkId: string): void {
    if (!this.#isOver) this.#pipe?.write(valueFrame(KIND.drop, networkId));
  }

  /** Throws ServiceError `inference.failed`, `model.unknown`, `service.not_ready`. */
  async run(networkId: string, rows: readonly InferenceRow[]): Promise<Answers> {
    const { kind, body } = await this.#ask(rowsFrame(networkId, rows));
    if (kind !== KIND.answers) return valueOf<never>(kind, body, KIND.answers);
    return readAnswers(body, () => new ServiceError('inference.failed', `Model ${networkId} gave a logit that is not finite.`));
  }

  ping(): void {
    if (!this.#isOver) this.#pipe?.write(valueFrame(KIND.ping, null));
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  #receive(kind: Kind, body: Buffer, id: number): void {
    this.#heard++;
    this.#waiting.get(id)?.resolve({ kind, body });
    this.#waiting.delete(id);
  }

  #ask(frame: Buffer): Promise<Reply> {
    if (this.#isOver) return Promise.reject(gone());
    // 32 bits: an id comes again after four billion requests, when its first reply is long gone.
    this.#lastId = (this.#lastId + 1) >>> 0 || 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#pipe?.write(withId(frame, id));
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
