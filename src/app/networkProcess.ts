import { Socket, type SocketConstructorOpts, type TcpSocketConnectOpts } from 'node:net';
import { tensorflowEnvironment } from '../config/settings.ts';
import { endWithParent } from '../core/endWithParent.ts';
import { FrameReader } from '../inference/child/FrameReader.ts';
import { answersFrame, faultOf, KIND, readValue, valueFrame, withId } from '../inference/child/frames.ts';
import type { OpenOrder } from '../inference/child/NetworkChild.ts';
import { RowReader } from '../inference/child/RowReader.ts';
import { NetworkTable } from '../inference/NetworkTable.ts';
import { openRuntime, servingLadder } from '../runtime/openRuntime.ts';
import type { BackendName } from '../runtime/Runtime.ts';

/** More than a batch of 32 rows. */
const PIECE_BYTES = 256 * 1024;

/**
 * The inference process: opens the backend that its first argument names (the second is the longest time of a probe in ms), reports it, then does what
 * it is told on descriptor 3 and answers there under the id of each request. It ends with its pipe or its parent; signals of a terminal are handled by
 * the service.
 */
let reader: FrameReader | undefined;
// One buffer for all that arrives, in place of a new one each time. The types know `onread` of `connect` only.
const options: SocketConstructorOpts & Pick<TcpSocketConnectOpts, 'onread'> = {
  ...{ fd: 3, readable: true, writable: true },
  onread: {
    buffer: Buffer.alloc(PIECE_BYTES),
    callback: (length, bytes) => {
      reader?.push(Buffer.from(bytes.buffer, bytes.byteOffset, length));
      return true;
    },
  },
};
const pipe = new Socket(options);
pipe.on('close', () => process.exit(0)).on('error', () => process.exit(0));
// Before native code that may hang.
await endWithParent();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

try {
  const wanted = process.argv[2] as 'auto' | BackendName;
  const runtime = await openRuntime(wanted, {
    ladder: servingLadder(wanted),
    environment: tensorflowEnvironment(),
    probeMs: Number(process.argv[3]),
  });
  const table = new NetworkTable(runtime);
  const rows = new RowReader();
  const tensors = (): { count: number; bytes: number } => {
    const { numTensors, numBytes } = runtime.tf.memory();
    return { count: numTensors, bytes: numBytes };
  };
  const answer = (kind: number, body: Buffer, id: number): void => {
    const reply = (bytes: Buffer): void => void pipe.write(withId(bytes, id));
    try {
      if (kind === KIND.run) {
        const { networkId, batch } = rows.read(body);
        reply(answersFrame({ tensors: tensors(), outputs: table.run(networkId, batch) }));
      } else if (kind === KIND.open) {
        const { networkId, version } = readValue(body) as OpenOrder;
        table.open(networkId, version);
        reply(valueFrame(KIND.opened, { warmed: table.warmed, tensors: tensors() }));
      } else if (kind === KIND.ping) {
        reply(valueFrame(KIND.pong, null));
      } else if (kind === KIND.drop) {
        table.drop(readValue(body) as string);
      }
    } catch (error) {
      // Nobody waits for an answer to a drop.
      if (kind !== KIND.drop) reply(valueFrame(KIND.failed, faultOf(error)));
    }
  };
  reader = new FrameReader({ onFrame: answer, onFault: () => process.exit(1) });
  const { backend, description, refused } = runtime;
  pipe.write(valueFrame(KIND.hello, { backend, description, refused }));
} catch (error) {
  pipe.write(valueFrame(KIND.failed, faultOf(error)), () => process.exit(1));
}
