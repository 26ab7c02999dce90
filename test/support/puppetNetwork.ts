import { Socket } from 'node:net';
import { FrameReader } from '../../src/inference/child/FrameReader.ts';
import { KIND, valueFrame } from '../../src/inference/child/frames.ts';

/** A process of the network that opens whatever it is given, and then answers nothing any more. */
const pipe = new Socket({ fd: 3, readable: true, writable: true });
pipe.on('close', () => process.exit(0));
const reader = new FrameReader({
  onFrame: (kind) => {
    if (kind === KIND.open) pipe.write(valueFrame(KIND.opened, { warmed: [], tensors: { count: 0, bytes: 0 } }));
  },
  onFault: () => process.exit(1),
});
pipe.on('data', (piece: Buffer) => reader.push(piece));
pipe.write(valueFrame(KIND.hello, { backend: 'cpu', description: 'silent', refused: [] }));
