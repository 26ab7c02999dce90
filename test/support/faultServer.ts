import * as http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What a server may do instead of answering as it should. */
export const FAULTS = {
  'a page of a proxy with 502': (response) => void response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>bad gateway</html>'),
  'a login page with 200': (response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>login</html>'),
  'a redirect': (response) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
  'a cut body': (response) => {
    response.writeHead(200, { 'Content-Length': '5000' }).write('{"ok":true,"forecasts":[');
    setImmediate(() => response.destroy());
  },
  'a cut body in chunks': (response) => {
    response.writeHead(200).write('{"ok":true,"forecasts":[');
    setImmediate(() => response.destroy());
  },
  'a reset connection': (_response, socket) => void socket.resetAndDestroy(),
  'an empty body': (response) => void response.writeHead(200).end(),
  'bytes that are no UTF-8': (response) => void response.writeHead(200).end(Buffer.from([0xff, 0xfe, 0x7b])),
  'an endless nesting': (response) => void response.writeHead(200).end('['.repeat(100_000)),
  'headers that never come': () => {},
  'a body that never comes': (response) => void response.writeHead(200, { 'Content-Length': '5000' }).write('{'),
  'a body that drips': (response) => {
    response.writeHead(200, { 'Content-Length': '5000' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
} as const satisfies Record<string, (response: http.ServerResponse, socket: Socket) => void>;

export type Fault = keyof typeof FAULTS;
/** Faults after which the server still holds the body open: only a limit of the caller ends them. */
export const STALLS: readonly Fault[] = ['headers that never come', 'a body that never comes', 'a body that drips'];

type Answer = Fault | { readonly status?: number; readonly json: unknown };

/** A server on the loopback address whose requests get the given answers, one after the other; the last one from then on. */
export async function startFaultServer(
  answers: readonly Answer[],
): Promise<{ url: string; count: () => number; isHeldOpen: () => boolean; close: () => void }> {
  let count = 0;
  let last: http.ServerResponse | undefined;
  const server = http.createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const answer = answers[Math.min(count++, answers.length - 1)];
      last = response;
      if (typeof answer === 'string') return FAULTS[answer](response, request.socket);
      response.writeHead(answer.status ?? 200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer.json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    isHeldOpen: () => last !== undefined && !last.writableEnded,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
