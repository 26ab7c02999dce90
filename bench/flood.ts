import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import * as http from 'node:http';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { packageRoot } from '../src/core/packageRoot.ts';
import type { Bench, BenchRow } from './Bench.ts';

const ROUNDS = 6;
const SIGN_UPS = 200;
/** Forecasts per second, sent when they are due, whether earlier ones are answered or not. */
const RATE = 50;
const SECONDS = 4;

type Answer = { readonly status: number; readonly text: string };

function send(agent: http.Agent, url: string, body: string | undefined, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const request = http.request(url, { method, agent, headers: { 'Content-Type': 'application/json', ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function startServer(env: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [path.join(packageRoot(), 'bin', 'tickmark.js'), 'serve', '--json'], {
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', MONGODB_URI: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (line) => resolve((JSON.parse(String(line)) as { url: string }).url));
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return { child, url };
}

/** Latencies, measured from the time at which each forecast was due. */
async function forecastOpenLoop(agent: http.Agent, url: string, body: string, key: string): Promise<number[]> {
  const startMs = performance.now();
  const pending: Promise<number>[] = [];
  for (let i = 0; i < RATE * SECONDS; i++) {
    const dueMs = startMs + (i * 1000) / RATE;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    pending.push(
      send(agent, `${url}/auth/ti-tick`, body, { 'Api-Key': key }).then(({ status, text }) => {
        if (status !== 200) throw new Error(`forecast: ${status} ${text.slice(0, 300)}`);
        return performance.now() - dueMs;
      }),
    );
  }
  return Promise.all(pending);
}

const quantile = (values: readonly number[], level: number): number => values.toSorted((a, b) => a - b)[Math.floor(level * values.length)];

async function floodRows(what: string, env: Record<string, string>): Promise<BenchRow[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-flood-'));
  const { child, url } = await startServer({ DATA_DIR: folder, ...env });
  const agent = new http.Agent({ keepAlive: true });
  const client = fork(path.join(import.meta.dirname, 'floodClient.ts'), [url, String(SIGN_UPS)], { execArgv: ['--import', 'tsx'] });
  try {
    const { text: body } = await send(agent, `${url}/sample`, undefined);
    const account = (email: string): string =>
      JSON.stringify({ email, password: 'correct horse 42', confirm_password: 'correct horse 42' });
    const signedUp = await send(agent, `${url}/signup`, account('bench@example.com'));
    const key = (JSON.parse(signedUp.text) as { api_key: string }).api_key;
    await forecastOpenLoop(agent, url, body, key);
    const times = { quiet: [] as number[], flood: [] as number[] };
    const outcomes: Record<number, number> = {};
    for (let round = 0; round < ROUNDS; round++) {
      times.quiet.push(...(await forecastOpenLoop(agent, url, body, key)));
      const answered = once(client, 'message') as Promise<[number[]]>;
      client.send(round);
      times.flood.push(...(await forecastOpenLoop(agent, url, body, key)));
      const [statuses] = await answered;
      for (const status of statuses) outcomes[status] = (outcomes[status] ?? 0) + 1;
    }
    const counts = Object.entries(outcomes).map(([status, count]) => `${Math.round(count / ROUNDS)} x ${status}`);
    return [0.5, 0.99].map((level) => ({
      what: `forecast p${100 * level} while ${SIGN_UPS} sign up at once, ${what} (${counts.join(', ')})`,
      value: quantile(times.flood, level),
      unit: 'ms',
      peer: 'no sign-ups',
      peerValue: quantile(times.quiet, level),
      ratio: quantile(times.quiet, level) / quantile(times.flood, level),
      ...(level === 0.99 ? { target: 'ratio >= 0.5' } : {}),
    }));
  } finally {
    child.kill('SIGKILL');
    client.kill('SIGKILL');
    agent.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const bench: Bench = {
  name: 'flood',
  about: `Forecasts of 500 ticks at ${RATE} a second, open loop, during a flood of sign-ups; latency is measured from the due time of each. The service is a separate process.`,
  async run() {
    const open = { LIMIT_SIGNUPS_PER_HOUR: '0', PASSWORD_HASH_QUEUE: '500' };
    return [...(await floodRows('the default limit of sign-ups', {})), ...(await floodRows('without limit, all hashed', open))];
  },
};
