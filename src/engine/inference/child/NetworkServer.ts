import type { Duplex } from 'node:stream';
import { ServiceError } from '../../../core/ServiceError.ts';
import type { Tracer } from '../../../core/Tracer.ts';
import type { WeightArrays } from '../../model/NetworkWeights.ts';
import type { Runtime } from '../../runtime/Runtime.ts';
import { tensorUse } from '../../runtime/tensorUse.ts';
import { NetworkPool, NetworkTable } from '../NetworkPool.ts';
import { FrameReader, faultOf, frameOf, HELLO_ID, type Answers, type Opened, type Question, type Reply, type Request } from './frames.ts';

/** The inference process' end of its connections, one for each service process. They share networks; names and faults are those of one connection. */
export class NetworkServer {
  readonly #runtime: Runtime;
  readonly #pool: NetworkPool;
  readonly #tracer: Tracer | undefined;
  readonly #streams = new Set<Duplex>();

  constructor(runtime: Runtime, tracer?: Tracer) {
    this.#runtime = runtime;
    this.#tracer = tracer;
    this.#pool = new NetworkPool(runtime);
  }

  /** Says hello, then answers until the stream closes: what the connection opened is dropped then. */
  serve(stream: Duplex): void {
    const table = new NetworkTable(this.#pool);
    const answer = (request: Request): void => {
      try {
        if (request.kind === 'ping') send(stream, { kind: 'pong' });
        else if (request.kind === 'drop') table.drop(request.networkId);
        else send(stream, { kind: 'done', id: request.id, value: this.#answer(table, request) });
      } catch (error) {
        // No answer to a drop is awaited.
        if ('id' in request) send(stream, { kind: 'failed', id: request.id, fault: faultOf(error) });
      }
    };
    const reader = new FrameReader<Request>({ onMessage: answer, onFault: () => stream.destroy() });
    this.#streams.add(stream);
    stream
      .on('data', (piece: Buffer) => reader.push(piece))
      .on('error', () => {})
      .once('close', () => {
        this.#streams.delete(stream);
        table.close();
      });
    const { backend, description, refused } = this.#runtime;
    send(stream, { kind: 'done', id: HELLO_ID, value: { backend, description, refused } });
  }

  #answer(table: NetworkTable, question: Question): Answers | Opened {
    if (question.kind === 'run') {
      const { traceparent: parent } = question;
      const span = parent === undefined ? undefined : this.#tracer?.start('inference process', { parent, isServer: true });
      try {
        const outputs = table.run(question.networkId, question.batch).map((each) => (each instanceof ServiceError ? faultOf(each) : each));
        return { tensors: tensorUse(this.#runtime), outputs };
      } finally {
        span?.end({ attributes: { 'tickmark.batch.rows': question.batch.size } });
      }
    }
    // It may take minutes on a GPU, in which no ping is answered.
    for (const each of this.#streams) send(each, { kind: 'busy' });
    try {
      const { networkId, version } = question;
      // What is kept is copied: the bytes under a message are used again.
      const weights = Object.entries(version.weights).map(([name, values]) => [name, values.slice()] as const);
      table.open(networkId, { ...version, weights: Object.fromEntries(weights) as WeightArrays });
    } finally {
      // To all: a connection that waits for nothing would take silence for the open until its next ping is answered, and a hang that
      // begins before that would last as long as an open may.
      for (const each of this.#streams) send(each, { kind: 'pong' });
    }
    return { warmed: this.#pool.warmed, tensors: tensorUse(this.#runtime) };
  }
}

function send(stream: Duplex, reply: Reply): void {
  stream.write(frameOf(reply));
}
