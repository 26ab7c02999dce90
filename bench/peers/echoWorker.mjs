// Sums the floats in shared memory and answers with a message.
import { parentPort, workerData } from 'node:worker_threads';

const floats = new Float32Array(workerData);
parentPort.on('message', (length) => {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += floats[i];
  parentPort.postMessage([sum, sum, sum]);
});
