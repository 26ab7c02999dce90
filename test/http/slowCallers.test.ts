import * as net from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { exampleTickRequest } from '../../src/contract/tickForecast.ts';
import { fakeParts, GOOD_KEY } from '../support/fakeParts.ts';
import { request } from '../support/request.ts';
import { parseRaw, startTestServer, type TestServer } from '../support/testServer.ts';

const LIMIT_MS = 500;
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

for (const [what, start] of [
  ['a head', `${HEAD}X-Slow: `],
  ['a body', `${HEAD}Content-Length: 100000\r\n\r\n{`],
] as const)
  describe(`slow callers that send ${what}`, () => {
    let server: TestServer;
    afterEach(() => server.close());

    /** The connections send a byte again and again until they are closed. */
    async function openAll(): Promise<{ readonly answers: Promise<string>[]; readonly countOpen: () => number; readonly end: () => void }> {
      const slow = await Promise.all(Array.from({ length: SOCKETS }, () => openSlow(server.port, start)));
      const open = () => slow.filter(({ socket }) => !socket.destroyed && socket.readable);
      const timer = setInterval(() => open().forEach(({ socket }) => socket.write(' ')), 20);
      const end = (): void => {
        clearInterval(timer);
        for (const { socket } of slow) socket.destroy();
      };
      return { answers: slow.map(({ answer }) => answer), countOpen: () => open().length, end };
    }

    it(`does not delay another caller while 200 connections send ${what} byte by byte (rows 8 and 9)`, async () => {
      server = await startTestServer(fakeParts(), { requestTimeoutMs: 3_600_000 });
      const { countOpen, end } = await openAll();
      for (let i = 0; i < 10; i++) {
        const { status } = await request(server.url, '/auth/ti-tick', { body: exampleTickRequest(), headers: { 'Api-Key': GOOD_KEY } });
        expect(status).to.equal(200);
      }
      expect(countOpen()).to.equal(SOCKETS);
      end();
    });

    it(`answers 408 to each of 200 connections that send ${what} byte by byte (rows 8 and 9)`, async () => {
      server = await startTestServer(fakeParts(), { requestTimeoutMs: LIMIT_MS });
      const { answers, end } = await openAll();
      for (const answer of answers) {
        const { status, problem } = parseRaw(await answer);
        expect([status, problem['code']]).to.deep.equal([408, 'request.timeout']);
      }
      end();
    });
  });
