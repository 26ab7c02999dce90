import { mkdtemp, rm } from 'node:fs/promises';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { startService } from '../src/service/app/startService.ts';
import { readSettings } from '../src/core/config/settings.ts';
import { writeForecastAnswer } from '../src/contract/writeForecastAnswer.ts';
import { silentLogger } from '../src/core/Logger.ts';
import type { Bench, BenchRow } from './Bench.ts';

const ROUNDS = 20;
const REQUESTS_A_ROUND = 50;

type Side = { readonly what: string; readonly url: string; readonly headers: Record<string, string>; readonly timesMs: number[] };

/** One connection, kept open. */
function oneConnection(): http.Agent {
  return new http.Agent({ keepAlive: true, maxSockets: 1 });
}

function send(agent: http.Agent, url: string, method: string, headers: Record<string, string>, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, agent, headers: { 'Content-Type': 'application/json', ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (response.statusCode === 200 || response.statusCode === 201) resolve(text);
        else reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 500)}`));
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Reads the body with koa-bodyparser and answers with as many bytes: HTTP and JSON without checks, key or forecast. */
async function startNullPeer(): Promise<{ url: string; close: () => void }> {
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
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

async function timeRound(agent: http.Agent, { url, headers, timesMs }: Side, body: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const startMs = performance.now();
    await send(agent, url, 'POST', headers, body);
    timesMs.push(performance.now() - startMs);
  }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] as number;
}

function row(what: string, share: number, ours: Side, peer: Side, target?: string): BenchRow {
  const [value, peerValue] = [quantile(ours.timesMs, share), quantile(peer.timesMs, share)];
  const rest = target === undefined ? {} : { target };
  return { what, value, unit: 'ms', peer: peer.what, peerValue, ratio: peerValue / value, ...rest };
}

async function run(): Promise<BenchRow[]> {
  const agent = oneConnection();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'tickmark-bench-'));
  const settings = readSettings({ PORT: '0', DATA_DIR: dataDir });
  const peer = await startNullPeer();
  const service = await startService(settings, { logger: silentLogger });
  try {
    const account = { email: 'bench@example.com', password: 'bench-password-1', confirm_password: 'bench-password-1' };
    const signedUp = JSON.parse(await send(agent, `${service.url}/signup`, 'POST', {}, JSON.stringify(account))) as { api_key: string };
    const body = await send(agent, `${service.url}/sample`, 'GET', {});
    const ours: Side = { what: 'tickmark', url: `${service.url}/auth/ti-tick`, headers: { 'Api-Key': signedUp.api_key }, timesMs: [] };
    const nothing: Side = { what: 'Koa + koa-bodyparser, no work', url: peer.url, headers: {}, timesMs: [] };
    for (const side of [ours, nothing]) {
      await timeRound(agent, side, body, REQUESTS_A_ROUND);
      side.timesMs.length = 0;
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const side of round % 2 === 0 ? [ours, nothing] : [nothing, ours]) await timeRound(agent, side, body, REQUESTS_A_ROUND);
    }
    return [row('request of 501 entries, p50', 0.5, ours, nothing, '<= 3 ms'), row('request of 501 entries, p99', 0.99, ours, nothing)];
  } finally {
    agent.destroy();
    peer.close();
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

export const bench: Bench = {
  name: 'request',
  about: 'POST /auth/ti-tick with 501 entries over loopback, sequentially, including key, checks, network and rules.',
  run,
};
