import { Socket } from 'node:net';
import { KIND, readFrames, valueFrame } from '../../src/inference/child/frames.ts';

/** A process of the network that opens whatever it is given, and then answers nothing any more. */
const pipe = new Socket({ fd: 3, readable: true, writable: true });
pipe.on('close', () => process.exit(0));
readFrames(
  pipe,
  (kind) => {
    if (kind === KIND.open) pipe.write(valueFrame(KIND.opened, { warmed: [], tensors: { count: 0, bytes: 0 } }));
  },
  () => process.exit(1),
);
pipe.write(valueFrame(KIND.hello, { backend: 'cpu', description: 'silent', refused: [] }));
