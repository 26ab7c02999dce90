import * as net from 'node:net';

/** A free port below the range of ports for outgoing connections (from 32768 on Linux), so that it stays free while its server restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(20_000 * Math.random());
    const server = net.createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
