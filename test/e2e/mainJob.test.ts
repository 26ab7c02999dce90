import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { keepOutput } from '../support/serviceLogs.ts';
import { ROOT, serveTickmark, spawnTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** test/e2e/docs.test.ts signs up and forecasts with the commands of the pages. */
describe('a service, from start to stop', function () {
  this.timeout(300_000);
  let dataDir: string;
  let service: ServedProcess | undefined;
  before(async () => {
    dataDir = temporaryFolder();
    service = await serveTickmark(dataDir);
  });
  after(async () => {
    service?.child.kill('SIGKILL');
    await service?.ended;
  });

  it('reports that its port is in use, and what to do, if a second one starts on it', async () => {
    const { code, stdout, stderr } = await spawnTickmark(['serve'], {
      PORT: new URL(service!.url).port,
      DATA_DIR: path.join(dataDir, 'other'),
    }).ended;
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
    expect((JSON.parse(lines.find((line) => line.includes('finishing'))!) as { msg: string }).msg).to.match(/^SIGINT, /);
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
