import * as net from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { exampleTickRequest } from '../../src/contract/tickForecast.ts';
import { fakeParts, GOOD_KEY } from '../support/fakeParts.ts';
import { request } from '../support/request.ts';
import { parseRaw, startTestServer, type TestServer } from '../support/testServer.ts';

const LIMIT_MS = 1000;
const SOCKETS = 200;
const HEAD = `POST /auth/ti-tick HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nContent-Type: application/json\r\n`;

/** Reads until the server closes the connection; a socket error closes it too. */
async function openSlow(port: number, start: string): Promise<{ readonly socket: net.Socket; readonly answer: Promise<string> }> {
  const socket = net.connect(port, '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk)).on('error', () => {});
  const answer = new Promise<string>((resolve) => socket.once('close', () => resolve(Buffer.concat(received).toString('utf8'))));
  await once(socket, 'connect');
  socket.write(start);
  return { socket, answer };
}

describe('slow callers', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(fakeParts(), { requestTimeoutMs: LIMIT_MS });
  });
  after(() => server.close());

  for (const [what, start] of [
    ['a head', `${HEAD}X-Slow: `],
    ['a body', `${HEAD}Content-Length: 100000\r\n\r\n{`],
  ] as const)
    it(`answers 408 to 200 connections that send ${what} byte by byte, and 200 to another caller at the same time (rows 8 and 9)`, async () => {
      const slow = await Promise.all(Array.from({ length: SOCKETS }, () => openSlow(server.port, start)));
      const isOpen = ({ socket }: (typeof slow)[number]): boolean => !socket.destroyed && socket.readable;
      const times: number[] = [];
      for (const endMs = performance.now() + 20 * LIMIT_MS; slow.some(isOpen);) {
        expect(performance.now(), 'the connections stay open').to.be.below(endMs);
        for (const each of slow.filter(isOpen)) each.socket.write(' ');
        const startMs = performance.now();
        const { status } = await request(server.url, '/auth/ti-tick', { body: exampleTickRequest(), headers: { 'Api-Key': GOOD_KEY } });
        times.push(performance.now() - startMs);
        expect(status).to.equal(200);
      }
      for (const { answer } of slow) {
        const { status, problem } = parseRaw(await answer);
        expect([status, problem['code']]).to.deep.equal([408, 'request.timeout']);
      }
      expect(times.length).to.be.above(5);
      expect(Math.max(...times)).to.be.below(LIMIT_MS);
    });
});
