import { Socket } from 'node:net';
import { tensorflowEnvironment } from '../config/settings.ts';
import { answersFrame, faultOf, KIND, readFrames, readRows, readValue, valueFrame } from '../inference/child/frames.ts';
import { NetworkTable } from '../inference/NetworkTable.ts';
import type { ModelFolder } from '../model/modelFiles.ts';
import { openRuntime } from '../runtime/openRuntime.ts';
import type { BackendName } from '../runtime/Runtime.ts';

/**
 * The process of the network: opens the backend that its first argument names, tells of it, then does what it is told on descriptor 3 and answers there,
 * in order. It ends with its pipe, so that it never outlives the service; signals of a terminal are the service's to handle.
 */
const pipe = new Socket({ fd: 3, readable: true, writable: true });
pipe.on('close', () => process.exit(0)).on('error', () => process.exit(0));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

try {
  const runtime = await openRuntime(process.argv[2] as 'auto' | BackendName, { environment: tensorflowEnvironment() });
  const table = new NetworkTable(runtime);
  const tensors = (): { count: number; bytes: number } => {
    const { numTensors, numBytes } = runtime.tf.memory();
    return { count: numTensors, bytes: numBytes };
  };
  const answer = (kind: number, body: Buffer): void => {
    try {
      if (kind === KIND.run) {
        const { networkId, rows } = readRows(body);
        pipe.write(answersFrame({ tensors: tensors(), outputs: table.run(networkId, rows) }));
      } else if (kind === KIND.open) {
        const { networkId, version } = readValue(body) as { networkId: string; version: ModelFolder };
        table.open(networkId, version);
        pipe.write(valueFrame(KIND.opened, { warmed: table.warmed, tensors: tensors() }));
      } else if (kind === KIND.drop) {
        table.drop(readValue(body) as string);
      }
    } catch (error) {
      // Nobody waits for an answer to a drop.
      if (kind !== KIND.drop) pipe.write(valueFrame(KIND.failed, faultOf(error)));
    }
  };
  readFrames(pipe, answer, () => process.exit(1));
  const { backend, description, refused } = runtime;
  pipe.write(valueFrame(KIND.hello, { backend, description, refused }));
} catch (error) {
  pipe.write(valueFrame(KIND.failed, faultOf(error)), () => process.exit(1));
}
