import { rmSync } from 'node:fs';
import { createServer, Socket, type SocketConstructorOpts, type TcpSocketConnectOpts } from 'node:net';
import * as path from 'node:path';
import { readTraces, tensorflowEnvironment } from '../../core/config/settings.ts';
import { endWithParent } from '../../core/childProcess.ts';
import { systemClock } from '../../core/Clock.ts';
import { faultOf, frameOf, HELLO_ID } from '../../engine/inference/child/frames.ts';
import { NetworkServer } from '../../engine/inference/child/NetworkServer.ts';
import { openTraces } from './openTraces.ts';
import { openRuntime, servingBackends } from '../../engine/runtime/openRuntime.ts';
import type { BackendName } from '../../engine/runtime/Runtime.ts';

/** More than a batch of 32 rows. */
const PIECE_BYTES = 256 * 1024;

/**
 * The inference process: opens the backend that its first argument names (the second is the longest time of a probe in ms), then answers its parent on
 * descriptor 3, and the workers of its parent on the Unix socket that the third argument names, in a folder of its own. It ends with its pipe or its
 * parent; signals of a terminal are handled by the service.
 */
const [, , backend, probeMs, socketPath] = process.argv;
// One buffer for all that arrives, in place of a new one each time. The types know `onread` of `connect` only.
const options: SocketConstructorOpts & Pick<TcpSocketConnectOpts, 'onread'> = {
  ...{ fd: 3, readable: true, writable: true },
  onread: {
    buffer: Buffer.alloc(PIECE_BYTES),
    callback: (length, bytes) => {
      pipe.emit('data', Buffer.from(bytes.buffer, bytes.byteOffset, length));
      return true;
    },
  },
};
const pipe: Socket = new Socket(options);
// A parent that was killed leaves the folder behind.
pipe
  .on('error', () => {})
  .on('close', () => {
    if (socketPath !== undefined) rmSync(path.dirname(socketPath), { recursive: true, force: true });
    process.exit(0);
  });
// Before native code that may hang. Where it does not, the closed pipe ends it first, and the folder of the socket is removed.
await endWithParent(1_000);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

function listen(server: NetworkServer, address: string): Promise<void> {
  // That of a process before this one.
  rmSync(address, { force: true });
  return new Promise((resolve, reject) => {
    createServer((connection) => server.serve(connection))
      .on('error', reject)
      .listen(address, resolve);
  });
}

try {
  const wanted = backend as 'auto' | BackendName;
  const environment = tensorflowEnvironment();
  const runtime = await openRuntime(wanted, { ladder: servingBackends(wanted), environment, probeMs: Number(probeMs) });
  // The service logs a collector that does not answer.
  const server = new NetworkServer(runtime, await openTraces(readTraces(), { clock: systemClock }));
  if (socketPath !== undefined) await listen(server, socketPath);
  server.serve(pipe);
} catch (error) {
  pipe.write(frameOf({ kind: 'failed', id: HELLO_ID, fault: faultOf(error) }), () => process.exit(1));
}
