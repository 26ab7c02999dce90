import { IncomingMessage } from 'node:http';

/**
 * Loaded into a service with `node --import`, makes it leak: keeps a copy of received request bodies, up to LEAK_KIB_PER_S each second. The
 * soak test uses it to prove that it finds a leak.
 */
const bytesPerMs = Number(process.env.LEAK_KIB_PER_S) * 1.024;
const startMs = performance.now();
const kept = [];
let keptBytes = 0;

const { push } = IncomingMessage.prototype;
IncomingMessage.prototype.push = function (chunk, encoding) {
  if (chunk !== null && keptBytes < bytesPerMs * (performance.now() - startMs)) {
    kept.push(Buffer.from(chunk));
    keptBytes += chunk.length;
  }
  return push.call(this, chunk, encoding);
};
