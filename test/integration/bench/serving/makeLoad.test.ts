import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { dueTimes, makeLoad } from '../../../../bench/serving/makeLoad.ts';

const BODIES = ['{"a":1}', '{"b":22}', '{"c":333}'];

describe('the load tools', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-load-'));
  const bodiesFile = path.join(folder, 'bodies.json');
  let server: Server;
  let target: { port: number; bodiesFile: string; keys: string[] };
  /** Received keys and bodies. */
  let seen: string[] = [];
  let answer: (response: ServerResponse, count: number) => void;
  /** Two heads and a body longer than one read, in pieces. */
  const good = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-length': 200_000 });
    response.write('x'.repeat(150_000));
    response.end('y'.repeat(50_000));
  };

  before(async () => {
    writeFileSync(bodiesFile, JSON.stringify(BODIES));
    server = createServer((request: IncomingMessage, response: ServerResponse) => {
      if (request.method === 'GET') return void response.writeHead(200, { 'content-length': 0 }).end();
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => answer(response, seen.push(`${request.headers['api-key']} ${body}`)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    target = { port: (server.address() as AddressInfo).port, bodiesFile, keys: ['k0', 'k1'] };
  });
  beforeEach(() => {
    seen = [];
  });
  after(() => {
    server.close();
    // If more callers connect than the backlog holds, the end of some connections is lost: they would stay open and keep this process alive.
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  it('send the bodies round-robin with their keys, sequentially in a closed loop', async () => {
    answer = good;
    const { status, latencyMs, dueMs } = await makeLoad({ connections: 1, seconds: 0.1, ...target });
    expect(seen).to.deep.equal(Array.from(seen, (_, i) => ['k0 {"a":1}', 'k1 {"b":22}', 'k0 {"c":333}'][i % 3]));
    expect(seen).to.not.deep.equal([]);
    expect(status.length).to.equal(seen.length);
    expect([...status].every((code) => code === 200)).to.equal(true);
    expect([...dueMs].every((due, i) => i === 0 || due >= dueMs[i - 1] + latencyMs[i - 1] - 1e-6)).to.equal(true);
  });

  it('record refused requests and lost connections, and go on', async () => {
    answer = (response, count) => {
      if (count % 2 === 0) response.destroy();
      else response.writeHead(503, { 'content-length': 0, ...(count % 3 === 0 && { connection: 'close' }) }).end();
    };
    const { status } = await makeLoad({ connections: 1, seconds: 0.1, ...target });
    expect([...status].slice(0, 2)).to.deep.equal([503, 0]);
  });

  it('stop waiting for missing answers after the end of a closed loop', async () => {
    answer = () => {};
    const { status } = await makeLoad({ connections: 1, seconds: 0.05, ...target }, 50);
    expect([...status]).to.deep.equal([0]);
  });

  it('send all due requests in an open loop, even if the first answers are delayed', async () => {
    const held: ServerResponse[] = [];
    answer = (response, count) => {
      if (count <= 40) held.push(response);
      else good(response);
      if (count === 60) for (const first of held) good(first);
    };
    const { status, latencyMs } = await makeLoad({ phases: [{ rate: 400, seconds: 0.2 }], ...target });
    expect(status.length).to.equal(80);
    expect([...status].every((code) => code === 200)).to.equal(true);
    // The first was due 59 requests before the one that released it.
    expect(latencyMs[0]).to.be.at.least((59 * 1000) / 400 - 1);
  });

  it('spread the requests of an open loop over its connections, so that each worker gets its part', async () => {
    const ports = new Set<number>();
    answer = (response) => {
      ports.add(response.req.socket.remotePort!);
      good(response);
    };
    await makeLoad({ phases: [{ rate: 400, seconds: 0.25 }], firstConnections: 50, ...target });
    // 100 draws of 50 miss a connection with probability 0.13.
    expect(ports.size).to.be.within(25, 100);
  });

  it('distinguish rejections, closed connections and lost ones', async () => {
    answer = (response, count) => {
      if (count % 4 === 0) response.writeHead(503, { 'content-length': 0, connection: 'close' }).end();
      else if (count % 4 === 1) response.destroy();
      else good(response);
    };
    const { status } = await makeLoad({ phases: [{ rate: 400, seconds: 0.1 }], ...target });
    const count = (code: number): number => status.filter((one) => one === code).length;
    expect([count(200), count(503), count(0)]).to.deep.equal([20, 10, 10]);
  });

  it('schedule requests at the rate of each phase', () => {
    const phases = [
      { rate: 10, seconds: 0.5 },
      { rate: 100, seconds: 0.03 },
    ];
    expect(dueTimes(phases)).to.deep.equal([0, 100, 200, 300, 400, 500, 510, 520]);
  });
});
