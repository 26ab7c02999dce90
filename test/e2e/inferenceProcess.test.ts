import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { childrenOf, tellsChildren } from '../support/childrenOf.ts';
import { request } from '../support/request.ts';
import { serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

describe('the inference process of a service', function () {
  this.timeout(180_000);
  let folder: string;
  let served: ServedProcess;
  let sample: TickRequestBody;
  let key: string;

  async function serve(env: NodeJS.ProcessEnv = {}): Promise<void> {
    served = await serveTickmark(folder, { INFERENCE_PROCESS: 'true', ...env });
  }
  before(async function () {
    if (!tellsChildren) {
      process.stdout.write('    skipped: this system does not tell the children of a process\n');
      this.skip();
    }
    folder = temporaryFolder();
    await serve();
    sample = (await request(served.url, '/sample')).json as TickRequestBody;
    const body = { email: 'n@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };
    key = String((await request(served.url, '/signup', { body })).json['api_key']);
  });
  after(() => {
    served?.child.kill('SIGKILL');
  });
  const ask = (): ReturnType<typeof request> => request(served.url, '/auth/ti-tick', { body: sample, headers: { 'Api-Key': key } });
  const network = (): number[] => childrenOf(served.child.pid ?? 0);

  it('is killed under load: every request is answered, 200 or 503 with Retry-After; health reports it; it restarts (row 29)', async () => {
    const before = (await ask()).text;
    const [pid = NaN] = network();
    const seen = new Set<number>();
    let isOver = false;
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const { status, headers } = await ask();
        seen.add(status);
        if (status !== 503) continue;
        expect(Number(headers['retry-after'])).to.be.above(0);
        await delay(100);
      }
    });
    await until(() => seen.has(200));
    process.kill(pid, 'SIGKILL');
    await until(async () => (await request(served.url, '/health/ready')).status === 503);
    expect((await request(served.url, '/health/live')).status).to.equal(200);
    await until(async () => (await request(served.url, '/health/ready')).status === 200);
    isOver = true;
    await Promise.all(load);
    expect([...seen].sort()).to.deep.equal([200, 503]);
    expect((await ask()).text).to.equal(before);
    expect(network()).to.have.length(1).and.not.include(pid);
  });

  it('is restarted when file descriptors are free, if none was free when it ended', async function () {
    const limit = (soft: string) => spawnSync('prlimit', ['--pid', String(served.child.pid), `--nofile=${soft}:`]);
    const soft = /Max open files +(\d+)/.exec(readFileSync(`/proc/${served.child.pid}/limits`, 'utf8'))?.[1] ?? '';
    if (limit(soft).status !== 0) {
      process.stdout.write('    skipped: no prlimit that may change the limit of open files\n');
      this.skip();
    }
    const [pid = NaN] = network();
    limit('10');
    process.kill(pid, 'SIGKILL');
    await until(() => served.stderr().includes('EMFILE'));
    expect(served.child.exitCode).to.equal(null);
    limit(soft);
    await until(async () => (await request(served.url, '/health/ready')).status === 200);
    expect((await ask()).status).to.equal(200);
  });

  it('is stopped: forecasts get 504 by their deadline, it is killed, readiness reports it, and it restarts', async () => {
    served.child.kill('SIGTERM');
    await served.ended;
    // Above a stall of the machine, below the 5 s of silence after which the process is killed and the answer is 503.
    await serve({ FORECAST_DEADLINE_MS: '4000' });
    const [pid = NaN] = network();
    process.kill(pid, 'SIGSTOP');
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([504]));
    await until(async () => (await request(served.url, '/health/ready')).status === 503);
    await until(async () => (await request(served.url, '/health/ready')).status === 200);
    expect((await ask()).status).to.equal(200);
    expect(network()).to.have.length(1).and.not.include(pid);
  });

  it('ends with the service, however the service ends', async () => {
    const [pid = NaN] = network();
    served.child.kill('SIGKILL');
    await until(() => !existsSync(`/proc/${pid}`));
  });
});
