import { mkdtempSync, rmSync } from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { writeForecastAnswer } from '../src/contract/writeForecastAnswer.ts';
import type { Bench } from './Bench.ts';
import { measure } from './measure.ts';
import { ask } from './serving/ask.ts';
import { startTickmark } from './serving/startTickmark.ts';

/** Reads the body with koa-bodyparser and answers with as many bytes: HTTP and JSON without checks, key or forecast. */
async function startNullPeer(): Promise<http.Server> {
  const app = new Koa();
  app.use(bodyParser());
  app.use((ctx) => {
    const { Timestamp } = ctx.request.body as { Timestamp: string[] };
    ctx.set('Content-Type', 'application/json');
    ctx.body = writeForecastAnswer(Timestamp, null);
  });
  const answer = app.callback();
  const server = http.createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

export const bench: Bench = {
  name: 'request',
  about: 'POST /auth/ti-tick with 501 entries over loopback, sequentially, including key, checks, network and rules.',
  async run() {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const dataDir = mkdtempSync(path.join(tmpdir(), 'tickmark-bench-'));
    const peer = await startNullPeer();
    const service = await startTickmark({ backend: 'auto', dataDir });
    try {
      const { text: body } = await ask(service.port, { path: '/sample' });
      const send = async (port: number): Promise<void> => {
        const { status, text } = await ask(port, { path: '/auth/ti-tick', body, key: service.keys[0], agent });
        if (status !== 200) throw new Error(`a forecast: ${status} ${text.slice(0, 500)}`);
      };
      const sides = [() => send(service.port), () => send((peer.address() as AddressInfo).port)];
      const [value = NaN, peerValue = NaN] = (await measure(sides, { rounds: 1001 })).map((us) => us / 1000);
      const title = { what: 'request of 501 entries', unit: 'ms', peer: 'Koa + koa-bodyparser, no work', target: '<= 3 ms' };
      return [{ ...title, value, peerValue, ratio: peerValue / value }];
    } finally {
      agent.destroy();
      peer.close();
      service.process.kill('SIGKILL');
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};
