import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { checkPort } from '../../../../src/cli/doctor/checkMachine.ts';
import { startTestServer } from '../../../support/testServer.ts';

async function otherServer(body: string): Promise<{ server: Server; port: number }> {
  const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

describe('checkPort', () => {
  it('finds a tickmark that is ready on the port, and says so', async () => {
    const { port, url, close } = await startTestServer();
    try {
      const check = await checkPort('127.0.0.1', port);
      expect(check).to.include({ verdict: 'works', url });
      expect(check.detail).to.match(/^127\.0\.0\.1:\d+: a running tickmark is ready, model base-fake on \w+$/);
      expect(await checkPort('0.0.0.0', port)).to.include({ verdict: 'works', url });
    } finally {
      await close();
    }
  });

  it('warns of one that is not ready', async () => {
    const { port, url, close } = await startTestServer(undefined, {}, 'starting');
    try {
      expect(await checkPort('127.0.0.1', port)).to.include({ verdict: 'warns', url });
    } finally {
      await close();
    }
  });

  it('fails where another program has the port, whatever it answers', async () => {
    for (const body of ['{"status":"ok"}', 'not JSON', 'null']) {
      const { server, port } = await otherServer(body);
      const check = await checkPort('127.0.0.1', port);
      expect([check.verdict, check.detail, check.url]).to.deep.equal(['fails', `127.0.0.1:${port} is taken by another program`, undefined]);
      server.close();
    }
  });

  it('finds a free port free', async () => {
    const { server, port } = await otherServer('');
    await new Promise((resolve) => server.close(resolve));
    expect(await checkPort('127.0.0.1', port)).to.deep.include({ verdict: 'works', detail: `127.0.0.1:${port} is free` });
    expect(await checkPort('127.0.0.1', 0)).to.include({ verdict: 'works' });
  });
});
