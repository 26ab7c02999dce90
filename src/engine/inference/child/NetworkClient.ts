import type { Clock } from '../../../core/Clock.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import type { ChildRun } from '../../../core/Supervisor.ts';
import type { ModelFolder } from '../../model/modelFiles.ts';
import type { NetworkOutput } from '../../model/NetworkWeights.ts';
import type { TensorUse } from '../../runtime/tensorUse.ts';
import type { InferenceRow } from '../InferenceHost.ts';
import { joinRows } from '../runBatch.ts';
import { FrameReader, frameOf, HELLO_ID, type Answers, type Fault, type Hello, type Opened, type Question, type Reply } from './frames.ts';
import type { InferenceProcess } from './InferenceProcess.ts';

type Waiter = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void };

/** Opening a version compiles, measures and checks it; a process that takes longer hangs. */
const OPEN_MS = 120_000;

function gone(): ServiceError {
  return new ServiceError('service.not_ready', 'The inference process ended and is restarting.');
}

/** The service's side of the connection to the inference process. A reply carries the id of its request. */
export class NetworkClient implements ChildRun<Hello> {
  readonly hello: Promise<Hello>;
  readonly ready: Promise<Hello>;
  readonly ended: Promise<string>;
  readonly #process: InferenceProcess;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, Waiter>();
  #lastId = HELLO_ID;
  #heard = 0;
  #isOver = false;
  /** Cancels the time limit of the current operation. */
  #cancelBusy: (() => void) | undefined;

  /** `prepare` makes it ready. */
  constructor(process: InferenceProcess, clock: Clock, prepare = (client: NetworkClient): Promise<Hello> => client.hello) {
    this.#process = process;
    this.#clock = clock;
    let fault: string | undefined;
    const onFault = ({ message }: Error): void => {
      fault = message;
      this.kill();
    };
    const reader = new FrameReader<Reply>({ onMessage: (reply) => this.#receive(reply), onFault });
    process.stream?.on('data', (piece: Buffer) => reader.push(piece));
    this.hello = new Promise((resolve, reject) => this.#waiting.set(HELLO_ID, { resolve, reject }));
    this.ended = process.ended.then((reason) => {
      this.#refuseAll(fault ?? reason);
      return fault ?? reason;
    });
    this.ready = prepare(this);
    this.ready.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get messagesReceived(): number {
    return this.#heard;
  }

  get isBusy(): boolean {
    return this.#cancelBusy !== undefined;
  }

  /** Throws ServiceError `model.refused`, `service.not_ready`. */
  open(networkId: string, { manifest, weights, golden }: ModelFolder): Promise<Opened> {
    return this.#ask({ kind: 'open', networkId, version: { manifest, weights, golden } });
  }

  drop(networkId: string): void {
    if (!this.#isOver) this.#process.stream?.write(frameOf({ kind: 'drop', networkId }));
  }

  /** Throws ServiceError `inference.failed`, `model.unknown`, `service.not_ready`. */
  async run(
    networkId: string,
    rows: readonly InferenceRow[],
    traceparent?: string,
  ): Promise<{ tensors: TensorUse; outputs: (NetworkOutput | ServiceError)[] }> {
    const question = { kind: 'run', networkId, batch: joinRows(rows), traceparent } as const;
    const { tensors, outputs } = await this.#ask<Answers>(question);
    return { tensors, outputs: outputs.map((output) => ('code' in output ? errorOf(output) : output)) };
  }

  ping(): void {
    if (!this.#isOver) this.#process.stream?.write(frameOf({ kind: 'ping' }));
  }

  /** Pending requests are refused at once: a process that hangs in a driver does not end. */
  kill(): void {
    this.#process.kill();
    this.#refuseAll('it was killed');
  }

  #receive(reply: Reply): void {
    this.#heard++;
    this.#cancelBusy?.();
    this.#cancelBusy = reply.kind === 'busy' ? this.#clock.after(OPEN_MS, () => this.kill()) : undefined;
    if (!('id' in reply)) return;
    const waiter = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.kind === 'done') waiter?.resolve(reply.value as never);
    else waiter?.reject(errorOf(reply.fault));
  }

  #ask<Value>(question: Question): Promise<Value> {
    if (this.#isOver) return Promise.reject(gone());
    const id = ++this.#lastId;
    return new Promise<Value>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#process.stream?.write(frameOf({ id, ...question }));
    });
  }

  #refuseAll(reason: string): void {
    this.#isOver = true;
    this.#cancelBusy?.();
    for (const [id, { reject }] of this.#waiting) reject(id === HELLO_ID ? new Error(reason) : gone());
    this.#waiting.clear();
  }
}

const errorOf = ({ code, message }: Fault): ServiceError => new ServiceError(code, message);
