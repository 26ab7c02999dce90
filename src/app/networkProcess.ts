import { Socket, type SocketConstructorOpts, type TcpSocketConnectOpts } from 'node:net';
import { tensorflowEnvironment } from '../config/settings.ts';
import { systemClock } from '../core/Clock.ts';
import { WindowJudge } from '../forecast/remote/WindowJudge.ts';
import { FrameReader } from '../inference/child/FrameReader.ts';
import { answersFrame, faultOf, KIND, readValue, valueFrame } from '../inference/child/frames.ts';
import type { OpenOrder } from '../inference/child/NetworkChild.ts';
import { parcelAnswersFrame, readParcels } from '../inference/child/parcels.ts';
import { RowReader } from '../inference/child/RowReader.ts';
import { NetworkTable } from '../inference/NetworkTable.ts';
import { openRuntime } from '../runtime/openRuntime.ts';
import type { BackendName } from '../runtime/Runtime.ts';
import { judgingVersion, type Briefing } from './judgeVersion.ts';

/** More than a batch of 32 rows. */
const PIECE_BYTES = 256 * 1024;

/**
 * The process of the network: opens the backend that its first argument names, tells of it, then does what it is told on descriptor 3 and answers there,
 * in order. It ends with its pipe, so that it never outlives the service; signals of a terminal are the service's to handle.
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
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

try {
  const runtime = await openRuntime(process.argv[2] as 'auto' | BackendName, { environment: tensorflowEnvironment() });
  const table = new NetworkTable(runtime);
  const rows = new RowReader();
  const judge = new WindowJudge((networkId, batch) => table.run(networkId, batch), systemClock);
  const tensors = (): { count: number; bytes: number } => {
    const { numTensors, numBytes } = runtime.tf.memory();
    return { count: numTensors, bytes: numBytes };
  };
  const answer = (kind: number, body: Buffer): void => {
    try {
      if (kind === KIND.run) {
        const { networkId, batch } = rows.read(body);
        pipe.write(answersFrame({ tensors: tensors(), outputs: table.run(networkId, batch) }));
      } else if (kind === KIND.parcels) {
        const { networkId, parcels } = readParcels(body);
        const answers = judge.judge(networkId, parcels);
        pipe.write(parcelAnswersFrame({ tensors: tensors(), answers }));
      } else if (kind === KIND.open) {
        const { networkId, version, briefing } = readValue(body) as OpenOrder;
        const judging = briefing === undefined ? undefined : judgingVersion(version, briefing as Briefing);
        table.open(networkId, version);
        if (judging !== undefined) judge.open(networkId, judging);
        pipe.write(valueFrame(KIND.opened, { warmed: table.warmed, tensors: tensors() }));
      } else if (kind === KIND.drop) {
        const networkId = readValue(body) as string;
        table.drop(networkId);
        judge.drop(networkId);
      }
    } catch (error) {
      // Nobody waits for an answer to a drop.
      if (kind !== KIND.drop) pipe.write(valueFrame(KIND.failed, faultOf(error)));
    }
  };
  reader = new FrameReader({ onFrame: answer, onFault: () => process.exit(1) });
  const { backend, description, refused } = runtime;
  pipe.write(valueFrame(KIND.hello, { backend, description, refused }));
} catch (error) {
  pipe.write(valueFrame(KIND.failed, faultOf(error)), () => process.exit(1));
}
