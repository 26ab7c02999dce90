import { Agent } from 'node:http';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { childrenAs, childrenOf, tellsChildren } from '../support/childrenOf.ts';
import { request } from '../support/request.ts';
import { serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';

/** Every request of this test has a connection of its own, so that they go to the workers in turn. */
describe('two workers with one inference process', function () {
  this.timeout(180_000);
  let folder: string;
  let sockets: string;
  let served: ServedProcess;
  let sample: TickRequestBody;
  let key: string;

  before(async function () {
    if (!tellsChildren) {
      process.stdout.write('    skipped: this system does not tell the children of a process\n');
      this.skip();
    }
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-shared-'));
    sockets = path.join(folder, 'tmp');
    mkdirSync(sockets);
    served = await start();
    sample = (await request(served.url, '/sample')).json as TickRequestBody;
    const body = { email: 's@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };
    key = String((await request(served.url, '/signup', { body })).json['api_key']);
    await until(bothReady);
  });
  after(() => {
    served?.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const start = (): Promise<ServedProcess> =>
    serveTickmark(folder, { WORKERS: '2', INFERENCE_PROCESS: 'true', RUNTIME_BACKEND: 'wasm', TMPDIR: sockets });
  const agent = new Agent({ keepAlive: false });
  const ask = (): ReturnType<typeof request> => request(served.url, '/auth/ti-tick', { body: sample, headers: { 'Api-Key': key }, agent });
  const workers = (): number[] => childrenAs('worker', served.child.pid ?? 0);
  const inference = (): number[] => childrenAs('inference', served.child.pid ?? 0);
  /** One after the other: on a busy machine several at once may be shed. */
  const askTimes = async (count: number): Promise<Awaited<ReturnType<typeof ask>>[]> => {
    const answers = [];
    for (let i = 0; i < count; i++) answers.push(await ask());
    return answers;
  };
  const statuses = async (): Promise<number[]> => (await askTimes(8)).map(({ status }) => status);
  /** How often a line of the log says this. */
  const logged = (text: string): number => served.stderr().split(text).length - 1;
  // The second worker is forked when the first one is ready, and then logs that it is.
  const bothReady = (): boolean => logged('"msg":"ready"') >= 2;

  it('both answer alike; one process owns the backend, and no worker has a child', async () => {
    const answers = await askTimes(12);
    expect(answers.map(({ status, json }) => (status === 200 ? status : json['code']))).to.deep.equal(
      Array.from({ length: 12 }, () => 200),
    );
    expect(served.stderr()).to.not.include('failed');
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    expect([workers().length, inference().length]).to.deep.equal([2, 1]);
    expect(workers().flatMap(childrenOf)).to.deep.equal([]);
    const [socketFolder] = readdirSync(sockets);
    expect(statSync(path.join(sockets, socketFolder!)).mode & 0o777, 'for this user alone').to.equal(0o700);
  });

  it('answer 503 while the inference process that was killed is replaced, then 200, and are not replaced themselves', async () => {
    const [both, [killed = NaN]] = [workers(), inference()];
    process.kill(killed, 'SIGKILL');
    await until(async () => (await statuses()).every((status) => status === 503));
    expect((await ask()).headers['retry-after']).to.not.equal(undefined);
    expect((await request(served.url, '/health/ready')).status).to.equal(503);
    await until(async () => (await statuses()).every((status) => status === 200));
    expect(workers()).to.deep.equal(both);
    expect(inference()).to.have.lengthOf(1).and.not.include(killed);
  });

  it('are served on where one of them is killed, and the new one shares the process', async () => {
    const [[killed = NaN, other = NaN], before] = [workers(), inference()];
    const ready = logged('"msg":"ready"');
    process.kill(killed, 'SIGKILL');
    await until(() => !workers().includes(killed));
    expect(await statuses()).to.deep.equal(Array.from({ length: 8 }, () => 200));
    await until(() => logged('"msg":"ready"') > ready);
    expect(workers()).to.have.lengthOf(2).and.include(other);
    expect(inference()).to.deep.equal(before);
    expect(await statuses()).to.deep.equal(Array.from({ length: 8 }, () => 200));
  });

  it('get another inference process where it hangs', async () => {
    const [hung = NaN] = inference();
    process.kill(hung, 'SIGSTOP');
    await until(() => !inference().includes(hung) && inference().length === 1);
    expect(served.stderr()).to.include('it did not answer for 5 s');
    await until(async () => (await statuses()).every((status) => status === 200));
  });

  it('end on Ctrl-C with 0, and leave no process and no socket behind', async () => {
    const all = childrenOf(served.child.pid ?? 0);
    expect(all).to.have.lengthOf(3);
    // A terminal signals each of them.
    for (const pid of [...all, served.child.pid ?? NaN]) process.kill(pid, 'SIGINT');
    expect(await served.ended).to.include({ code: 0, signal: null });
    await until(() => all.every((pid) => !existsSync(`/proc/${pid}`)));
    expect(readdirSync(sockets)).to.deep.equal([]);
  });

  it('leave no process and no socket behind where the primary is killed', async () => {
    served = await start();
    const all = childrenOf(served.child.pid ?? 0);
    served.child.kill('SIGKILL');
    await until(() => all.every((pid) => !existsSync(`/proc/${pid}`)));
    expect(readdirSync(sockets)).to.deep.equal([]);
  });
});
