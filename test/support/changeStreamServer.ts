import { createServer, type AddressInfo, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

/** A replica set of one that answers only what a client with a change stream asks, so that the tests use the real driver. */
export type ChangeStreamServer = {
  readonly uri: string;
  /** The pipelines of the streams opened so far. */
  readonly pipelines: Document[][];
  /** Requests for the next changes that are not answered yet. */
  readonly waiting: number;
  change(id: string): void;
  /** Closes all connections. Changes meanwhile are kept for clients that resume. */
  disconnect(): void;
  /** Answers the next command of the stream with an error of the server. */
  fail(code: number, message: string): void;
  close(): Promise<void>;
};

const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013];
const HEADER_BYTES = 16;
/** How long a `getMore` waits for a change. */
const AWAIT_MS = 100;

/** The command in a message: after its header, OP_MSG has flags and the kind of its one section, OP_QUERY flags, a name and two counts. */
function commandOf(message: Buffer): { opCode: number; requestId: number; command: Document } {
  const opCode = message.readInt32LE(12);
  const start = opCode === OP_MSG ? HEADER_BYTES + 5 : message.indexOf(0, HEADER_BYTES + 4) + 9;
  return {
    opCode,
    requestId: message.readInt32LE(4),
    command: BSON.deserialize(message.subarray(start, start + message.readInt32LE(start))),
  };
}

function encodeReply(requestId: number, opCode: number, document: Document): Buffer {
  const start = opCode === OP_QUERY ? Buffer.alloc(20) : Buffer.alloc(5);
  if (opCode === OP_QUERY) start.writeInt32LE(1, HEADER_BYTES);
  const body = Buffer.concat([start, BSON.serialize(document)]);
  const header = Buffer.alloc(HEADER_BYTES);
  [HEADER_BYTES + body.length, 0, requestId, opCode === OP_QUERY ? OP_REPLY : OP_MSG].forEach((value, i) =>
    header.writeInt32LE(value, 4 * i),
  );
  return Buffer.concat([header, body]);
}

export async function startChangeStreamServer(): Promise<ChangeStreamServer> {
  const sockets = new Set<Socket>();
  const changes: string[] = [];
  const pipelines: Document[][] = [];
  let [address, waiting] = ['', 0];
  let failure: Document | undefined;
  /** Each stream's number of changes sent. */
  const sent = new Map<number, number>();
  const token = (seen: number): Document => ({ _data: String(seen) });

  const batch = (cursor: number, name: 'firstBatch' | 'nextBatch'): Document => {
    const from = sent.get(cursor) ?? 0;
    const documents = changes.slice(from).map((id, i) => ({ _id: token(from + i + 1), documentKey: { _id: id } }));
    sent.set(cursor, changes.length);
    return {
      ok: 1,
      cursor: { id: BSON.Long.fromNumber(cursor), ns: 'test.accounts', [name]: documents, postBatchResumeToken: token(changes.length) },
    };
  };

  const answer = async (command: Document): Promise<Document> => {
    if (command['hello'] === 1 || command['ismaster'] === 1 || command['isMaster'] === 1)
      return {
        ...{
          ok: 1,
          helloOk: true,
          isWritablePrimary: true,
          ismaster: true,
          setName: 'rs',
          hosts: [address],
          me: address,
          primary: address,
        },
        ...{ minWireVersion: 0, maxWireVersion: 25, logicalSessionTimeoutMinutes: 30 },
        ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 },
      };
    if (!('aggregate' in command || 'getMore' in command)) return { ok: 1 };
    const pipeline = command['pipeline'] as Document[] | undefined;
    if (pipeline !== undefined) {
      pipelines.push(pipeline);
      const after = (pipeline[0]?.['$changeStream'] as { resumeAfter?: { _data: string } }).resumeAfter;
      sent.set(pipelines.length, after === undefined ? changes.length : Number(after._data));
    }
    const cursor = pipeline === undefined ? Number(command['getMore']) : pipelines.length;
    const endMs = performance.now() + AWAIT_MS;
    waiting++;
    while (pipeline === undefined && failure === undefined && sent.get(cursor) === changes.length && performance.now() < endMs)
      await new Promise((resolve) => setTimeout(resolve, 5));
    waiting--;
    const failed = failure;
    failure = undefined;
    return failed ?? batch(cursor, pipeline === undefined ? 'nextBatch' : 'firstBatch');
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    let rest = Buffer.alloc(0);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
        const { opCode, requestId, command } = commandOf(rest);
        rest = rest.subarray(rest.readInt32LE(0));
        void answer(command).then((document) => socket.writable && socket.write(encodeReply(requestId, opCode, document)));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const disconnect = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    uri: `mongodb://${address}/test?replicaSet=rs`,
    pipelines,
    get waiting() {
      return waiting;
    },
    change: (id) => void changes.push(id),
    disconnect,
    fail: (code, errmsg) => (failure = { ok: 0, code, errmsg }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        disconnect();
      }),
  };
}
