import * as net from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { exampleTickRequest } from '../../src/contract/tickForecast.ts';
import { CALLER, fakeParts } from '../support/fakeParts.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { request, type Answer } from '../support/request.ts';
import { parseRaw, startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
const BATCH = '/auth/ti-tick/batch';
/** Two keys of one account, and one of another account. */
const [KEY_A1, KEY_A2, KEY_B] = ['key-a1', 'key-a2', 'key-b'];

/** A connection that sends a part of a request and collects the answer. */
function sendPart(
  port: number,
  path: string,
  fields: readonly string[],
  body: string | Buffer,
): { socket: net.Socket; answer: () => string } {
  const received: Buffer[] = [];
  const socket = net.connect(port, '127.0.0.1');
  socket.on('data', (chunk) => received.push(chunk)).on('error', () => socket.destroy());
  socket.write(['POST', path, 'HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'].join(' ') + `${fields.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  return { socket, answer: () => Buffer.concat(received).toString() };
}

describe('memory of request bodies', () => {
  let server: TestServer;
  const sockets: net.Socket[] = [];
  const start = async (clock?: FakeClock): Promise<void> => {
    const authenticate = (key: string | undefined) =>
      Promise.resolve({ ...CALLER, accountId: key === KEY_B ? 'account-b' : 'account-a', keyId: key ?? '' });
    server = await startTestServer(fakeParts({ authenticate }), { trustProxy: true }, 'ready', clock);
  };
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server.close();
  });
  const part = (path: string, fields: readonly string[], body: string | Buffer): (() => string) => {
    const { socket, answer } = sendPart(server.port, path, fields, body);
    sockets.push(socket);
    return answer;
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    request(server.url, path, { method: 'POST', body, headers: { 'Content-Type': 'application/json', 'Api-Key': KEY_B, ...headers } });
  const statusOf = (answer: () => string): number => (answer() === '' ? 0 : parseRaw(answer()).status);

  it('accepts 16 KiB at an account route, enough for the longest valid sign-up, and no more', async () => {
    await start();
    const escaped = (text: string): string => text.replace(/./g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const fields = {
      company_id: '\\ud83d\\ude00'.repeat(128),
      email: escaped(`${'a'.repeat(242)}@example.com`),
      password: escaped('p'.repeat(1024)),
      confirm_password: escaped('p'.repeat(1024)),
    };
    const longest = `{${Object.entries(fields)
      .map(([name, text]) => `"${escaped(name)}":"${text}"`)
      .join(',')}}`;
    expect(longest).to.have.lengthOf(15_607);
    expect((await post('/signup', longest)).status).to.equal(201);
    const over = longest.padEnd(16 * 1024 + 1);
    for (const path of ['/signup', '/account/keys', '/account/password']) {
      for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }] as Record<string, string>[]) {
        const answer = await post(path, over, headers);
        expect([answer.status, answer.json['code']], path).to.deep.equal([413, 'request.too_large']);
      }
    }
    const bomb = await post('/signup', gzipSync(over), { 'Content-Encoding': 'gzip' });
    expect([bomb.status, bomb.json['code']]).to.deep.equal([413, 'request.too_large']);
  });

  it('counts the bytes of forecasts that are being received, and drops the bodies of the callers with the most bytes', async () => {
    await start();
    const most = Buffer.alloc(MIB - 16, ' ');
    const held = Array.from({ length: 150 }, (_, i) =>
      part('/auth/ti-tick', [`Api-Key: ${i % 2 === 0 ? KEY_A1 : KEY_A2}`, `Content-Length: ${MIB}`], most),
    );
    const shed = (): (() => string)[] => held.filter((answer) => answer() !== '');
    await until(() => shed().length >= 150 - 64);
    for (const answer of shed()) {
      const { status, head, problem } = parseRaw(answer());
      expect([status, problem['code']]).to.deep.equal([429, 'limit.exceeded']);
      expect(head)
        .to.match(/Retry-After: 1/i)
        .and.match(/Connection: close/i);
    }
    expect((await post('/auth/ti-tick', exampleTickRequest(), { 'X-Forwarded-For': '10.0.0.2' })).status).to.equal(200);
    expect((await post('/auth/ti-tick', exampleTickRequest())).status, 'same address').to.equal(200);
  }).timeout(60_000);

  it('answers the batches of others while two keys of an account declare 8 MiB each and send one byte', async () => {
    await start();
    const held = [KEY_A1, KEY_A2].flatMap((key) =>
      Array.from({ length: 4 }, () => part(BATCH, [`Api-Key: ${key}`, `Content-Length: ${8 * MIB}`], '{')),
    );
    const batch = JSON.stringify({ items: [exampleTickRequest(), exampleTickRequest()] });
    // Each of the eight has arrived before the second answer.
    for (let i = 0; i < 5; i++) expect((await post(BATCH, batch)).status).to.equal(200);
    expect(held.map(statusOf)).to.deep.equal(Array(8).fill(0));
  });

  it('answers the largest batch of another account at the same address while an account sends as much as it can', async () => {
    await start();
    const almost = Buffer.alloc(8 * MIB - 16, ' ');
    const held = [KEY_A1, KEY_A2].flatMap((key) =>
      Array.from({ length: 8 }, () => part(BATCH, [`Api-Key: ${key}`, `Content-Length: ${8 * MIB}`], almost)),
    );
    await until(() => held.filter((answer) => statusOf(answer) === 429).length >= 8);
    const large = `{"x":"${'y'.repeat(1000 * 1000)}"}`;
    const answer = await post(BATCH, `{"items":[${Array(8).fill(large).join(',')}]}`);
    expect(answer.status).to.equal(200);
  }).timeout(60_000);

  it('answers a body below 1 KiB a second with 408 before the time limit of the request', async () => {
    const clock = new FakeClock();
    await start(clock);
    const answer = part('/signup', ['Content-Length: 100'], '{');
    const startMs = clock.nowMs();
    await until(() => {
      clock.advance(1000);
      return answer() !== '';
    });
    const { status, head, problem } = parseRaw(answer());
    expect([status, problem['code']]).to.deep.equal([408, 'request.timeout']);
    expect(head).to.match(/Connection: close/i);
    expect(clock.nowMs() - startMs).to.be.at.least(10_000);
  });

  it('reads and discards the body of a route that needs none, also while it waits for the store', async () => {
    let sent: () => void = () => {};
    const isSent = new Promise<void>((resolve) => (sent = resolve));
    server = await startTestServer(fakeParts({ authenticate: () => isSent.then(() => CALLER) }));
    // More than the buffers of both sockets and of Node.js can hold.
    const body = Buffer.alloc(32 * MIB, ' ');
    const socket = net.connect(server.port, '127.0.0.1');
    sockets.push(socket);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.write(`GET /auth/me HTTP/1.1\r\nHost: x\r\nApi-Key: k\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body, sent);
    await isSent;
    await until(() => answer.startsWith('HTTP/1.1 200'));
  }).timeout(20_000);
});
