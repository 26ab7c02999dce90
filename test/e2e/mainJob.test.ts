import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { keepOutput } from '../support/serviceLogs.ts';
import { ROOT, serveTickmark, spawnTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';

type Json = Record<string, unknown>;
type Answer = { readonly status: number; readonly json: Json };

async function call(url: string, route: string, body?: unknown, key?: string): Promise<Answer> {
  const headers: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  if (key !== undefined) headers['Api-Key'] = key;
  const answer = await fetch(url + route, body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, json: (await answer.json()) as Json };
}

const ACCOUNT = { email: 'trader@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };

describe('the main job, from start to stop', function () {
  this.timeout(300_000);
  let dataDir: string;
  let service: ServedProcess | undefined;
  let key: string;
  before(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'tickmark-main-'));
    service = await serveTickmark(dataDir);
  });
  after(async () => {
    service?.child.kill('SIGKILL');
    await service?.ended;
    rmSync(dataDir, { recursive: true, force: true });
  });
  const url = (): string => service?.url ?? '';

  it('answers the sample without a key: one entry for each timestamp, null except for the last', async () => {
    const sample = (await call(url(), '/sample')).json as { Timestamp: string[]; Price: number[] };
    const { status, json } = await call(url(), '/sample/forecast');
    expect(status).to.equal(200);
    const last = sample.Timestamp.at(-1) as string;
    expect(Object.keys(json).sort()).to.deep.equal([...new Set(sample.Timestamp)].sort());
    for (const [stamp, entry] of Object.entries(json) as [string, Json][])
      if (stamp === last) expect(entry['trend_identified']).to.be.oneOf([1, null]);
      else expect(entry).to.deep.equal({ trend_identified: null });
  });

  it('refuses a forecast without a key', async () => {
    const { json: sample } = await call(url(), '/sample');
    expect((await call(url(), '/auth/ti-tick', sample)).status).to.equal(401);
  });

  it('signs up once: a key, then 409', async () => {
    const first = await call(url(), '/signup', ACCOUNT);
    expect(first.status, JSON.stringify(first.json)).to.equal(201);
    key = first.json['api_key'] as string;
    expect(key).to.match(/^tkm_live_/);
    const second = await call(url(), '/signup', ACCOUNT);
    expect([second.status, second.json['code']]).to.deep.equal([409, 'account.email_taken']);
  });

  it('forecasts with the key; the parts of the detail sum up', async () => {
    const { json: sample } = await call(url(), '/sample');
    const { status, json } = await call(url(), '/auth/ti-tick?detail=full', sample, key);
    expect(status, JSON.stringify(json).slice(0, 300)).to.equal(200);
    const last = json[(sample['Timestamp'] as string[]).at(-1) as string] as { trend_identified: 1 | null; detail: Json };
    const logit = last.detail['logit'] as Record<'baseline' | 'network' | 'rules' | 'total', number>;
    expect(logit.baseline + logit.network + logit.rules).to.be.closeTo(logit.total, 1e-9);
    const { probability } = last.detail['opportunity'] as { probability: number };
    expect(probability).to.be.closeTo(1 / (1 + Math.exp(-logit.total)), 1e-9);
    expect(last.trend_identified === 1).to.equal((last.detail['reasons'] as unknown[]).length === 0);
  });

  it('refuses an invalid request with the pointer to its field', async () => {
    const sample = (await call(url(), '/sample')).json as { Timestamp: string[]; Price: number[] };
    sample.Price[12] = -1;
    const { status, json } = await call(url(), '/auth/ti-tick', sample, key);
    expect([status, (json['errors'] as Json[])[0]?.['pointer']]).to.deep.equal([422, '/Price/12']);
  });

  it('reports that its port is in use, and what to do, if a second one starts on it', async () => {
    const { code, stdout, stderr } = await spawnTickmark(['serve'], { PORT: new URL(url()).port, DATA_DIR: path.join(dataDir, 'other') })
      .ended;
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('cannot listen').and.include('What to do: Free the port');
  });

  it('ends with exit code 0 on Ctrl-C', async () => {
    service?.child.kill('SIGINT');
    const { code, stderr } = (await service?.ended)!;
    expect(code).to.equal(0);
    // Only LOG_FORMAT=json makes JSON of what is said before the settings are read.
    const lines = stderr
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('tickmark: built dist'));
    expect((JSON.parse(lines.find((line) => line.includes('finishing'))!) as Json)['msg']).to.match(/^SIGINT, /);
    for (const line of lines) expect(() => JSON.parse(line) as unknown, line).to.not.throw();
  });

  it('is never killed by the signal itself, however many arrive while it stops', async () => {
    const { child, ended } = await serveTickmark(path.join(dataDir, 'hammered'));
    const hammer = setInterval(() => child.kill('SIGINT'), 1);
    const { code, signal } = await ended;
    clearInterval(hammer);
    // 130: a second Ctrl-C ended it at once.
    expect([0, 130]).to.include(code);
    expect(signal).to.equal(null);
  });

  it('ends `npm start` with 0 on Ctrl-C in its terminal, which reaches npm and its shell as well', async () => {
    const env = { ...process.env, PORT: '0', DATA_DIR: path.join(dataDir, 'npm') };
    // A separate process group, like a foreground job of a terminal.
    const npm = spawn('npm', ['start'], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    keepOutput('npm start', npm);
    const ended = new Promise((resolve) => npm.once('close', (code, signal) => resolve([code, signal])));
    let stdout = '';
    const stops = new Promise<void>((resolve) => {
      npm.stdout.on('data', (chunk) => {
        stdout += chunk;
        if (stdout.includes('Ctrl-C stops')) resolve();
      });
    });
    await Promise.race([stops, ended]);
    process.kill(-npm.pid!, 'SIGINT');
    expect(await ended, stdout).to.deep.equal([0, null]);
  });
});

describe('tickmark doctor', function () {
  this.timeout(300_000);
  it('ends with 1 if the port is in use and with 0 if it is free', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => blocker.once('listening', resolve));
    const DATA_DIR = path.join(tmpdir(), 'tickmark-doctor-makes-nothing');
    const taken = await spawnTickmark(['doctor', '--json'], { PORT: String((blocker.address() as AddressInfo).port), DATA_DIR }).ended;
    blocker.close();
    const result = JSON.parse(taken.stdout) as { canRun: boolean; checks: { name: string; verdict: string }[] };
    expect([taken.code, result.canRun]).to.deep.equal([1, false]);
    expect(result.checks.filter(({ verdict }) => verdict === 'fails').map(({ name }) => name)).to.deep.equal(['port']);
    const free = await spawnTickmark(['doctor'], { PORT: '0', DATA_DIR }).ended;
    expect(free.code, free.stdout).to.equal(0);
    expect(free.stdout)
      .to.match(/wasm .* ms \(B=1 .*, median\)/)
      .and.include('The service can run');
  });
});
