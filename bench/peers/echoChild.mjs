// Sums the floats of each frame (u32 length, floats) on descriptor 3 and answers with a frame of three numbers.
import { Socket } from 'node:net';

const pipe = new Socket({ fd: 3, readable: true, writable: true });
pipe.on('close', () => process.exit(0));
let chunks = [];
let size = 0;
pipe.on('data', (chunk) => {
  chunks.push(chunk);
  size += chunk.length;
  for (;;) {
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    if (bytes.length < 4 || bytes.length < 4 + bytes.readUInt32LE(0)) {
      chunks = [bytes];
      return;
    }
    const length = bytes.readUInt32LE(0);
    const floats = new Float32Array(length / 4);
    new Uint8Array(floats.buffer).set(bytes.subarray(4, 4 + length));
    let sum = 0;
    for (const value of floats) sum += value;
    const answer = Buffer.alloc(24);
    answer.writeDoubleLE(sum, 0);
    pipe.write(answer);
    chunks = [bytes.subarray(4 + length)];
    size = chunks[0].length;
    if (size === 0) {
      chunks = [];
      return;
    }
  }
});
