import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import * as path from 'node:path';
import { expect } from 'chai';
import { MOST_UNANSWERED } from '../../src/service/http/Pipeline.ts';
import { childrenOf, tellsChildren } from '../support/childrenOf.ts';
import { serveTickmark, spawnTickmark, type ServedProcess, type Standard } from '../support/tickmarkProcess.ts';
import { freePort } from '../support/freePort.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const DEADLINE_MS = 30_000;
/** A request to an unknown route is logged, and costs little else. */
const LOGGED = '/nothing';
/** Makes a log line longer. */
const headers = { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` };
const CONNECTIONS = 8;
/** Their lines exceed the capacity of a pipe and of the log sink. */
const TOO_MANY = 5000;
/** Their lines exceed the capacity of a pipe and of a socket. */
const FULL = 1200;
const FEW = 20;

/** The status; a service that does not answer in time fails the test. */
function ask(url: string, route: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = get(url + route, { timeout: DEADLINE_MS, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error(`no answer in ${DEADLINE_MS} ms`)));
  });
}

/** Sends this many logged requests over eight connections, with as many unanswered on each as a connection may have. Each one is answered with 404. */
async function fillLog(url: string, count: number): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const lines = [`GET ${LOGGED} HTTP/1.1`, `Host: ${host}`, ...Object.entries(headers).map((pair) => pair.join(': '))];
  const request = `${lines.join('\r\n')}\r\n\r\n`;
  const one = async (first: number): Promise<void> => {
    const requests = Math.floor((count + CONNECTIONS - 1 - first) / CONNECTIONS);
    const socket = connect(Number(port), hostname);
    socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error(`no answer in ${DEADLINE_MS} ms`)));
    let [sent, answered, text] = [0, 0, ''];
    const send = (): void => {
      const next = Math.min(MOST_UNANSWERED, requests - sent);
      sent += next;
      socket.write(request.repeat(next));
    };
    send();
    for await (const chunk of socket) {
      const parts = (text + String(chunk)).split('HTTP/1.1 404');
      answered += parts.length - 1;
      // An answer that is cut within its first line is completed by the next chunk.
      text = parts.at(-1)!.slice(-11);
      if (answered >= requests) break;
      if (answered === sent) send();
    }
    expect(answered).to.equal(requests);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, first) => one(first)));
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Lines of requests that arrived, and the reported number of dropped ones. */
function countLines(text: string): { requests: number; dropped: number } {
  const lines = linesOf(text);
  return {
    requests: lines.filter(({ msg, route }) => msg === 'request' && route === null).length,
    dropped: lines.filter(({ msg }) => msg === 'log lines were dropped').reduce((sum, { lines: count }) => sum + Number(count), 0),
  };
}

async function metric(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

function skip(context: Mocha.Context, reason: string): never {
  process.stdout.write(`    skipped: ${reason}\n`);
  return context.skip();
}

describe('a log that cannot be written', function () {
  this.timeout(180_000);
  let folder: string;
  let served: ServedProcess | undefined;
  const open: number[] = [];
  const serve = async (env: NodeJS.ProcessEnv = {}, standard: Standard = {}): Promise<ServedProcess> =>
    (served = await serveTickmark(folder, { RUNTIME_BACKEND: 'wasm', ...env }, standard));
  const openToWrite = (name: string): number => {
    const descriptor = openSync(name, 'w');
    open.push(descriptor);
    return descriptor;
  };
  /** SIGTERM ends the process with 0. */
  const stop = async ({ child }: ServedProcess): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).to.deep.equal([0, null]);
  };
  beforeEach(() => (folder = temporaryFolder()));
  afterEach(() => {
    served?.child.kill('SIGKILL');
    served = undefined;
    for (const descriptor of open.splice(0)) closeSync(descriptor);
  });

  it('a pipe that is not read, then one without a reader: requests are answered and SIGTERM ends the service', async function () {
    if (process.platform === 'win32') skip(this, 'Windows has no such pipes');
    // Pipes, as shells and Docker create them; Node.js creates sockets, as in the other tests.
    const pipe = path.join(folder, 'log');
    execFileSync('mkfifo', [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const { url } = await serve({}, { err: openToWrite(pipe) });
    await fillLog(url, FULL);
    expect(await ask(url, '/health/ready')).to.equal(200);
    closeSync(reader);
    await fillLog(url, FEW);
    expect(await ask(url, '/health/ready')).to.equal(200);
    await stop(served!);
  });

  it('a socket that is read again: the buffered lines arrive, then one line with the number of dropped ones; then its reader disconnects', async () => {
    const metricsPort = await freePort();
    const { url, child, stderr } = await serve({ METRICS_PORT: String(metricsPort) });
    child.stderr?.pause();
    await fillLog(url, TOO_MANY);
    const counted = await metric(metricsPort, 'tickmark_log_lines_dropped_total');
    child.stderr?.resume();
    await until(() => countLines(stderr()).dropped > 0);
    const { requests, dropped } = countLines(stderr());
    expect(requests).to.be.above(1000);
    expect([requests + dropped, counted]).to.deep.equal([TOO_MANY, dropped]);
    await fillLog(url, 10);
    await until(() => countLines(stderr()).requests === requests + 10);
    expect(linesOf(stderr()).filter(({ msg }) => msg === 'log lines were dropped')).to.have.lengthOf(1);
    child.stderr?.destroy();
    await fillLog(url, FEW);
    expect(await ask(url, '/health/ready')).to.equal(200);
    await stop(served!);
  });

  it('standard output and standard error on a full disk: the service starts, answers and stops; a command reports it and ends with 1', async function () {
    if (!existsSync('/dev/full')) skip(this, 'this system has no /dev/full');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const full = openToWrite('/dev/full');
    const started = spawnTickmark(
      ['serve'],
      { PORT: String(port), HOST: '127.0.0.1', DATA_DIR: folder, RUNTIME_BACKEND: 'wasm' },
      { out: full, err: full },
    );
    served = { ...started, url };
    await until(() =>
      ask(url, '/health/ready')
        .then((status) => status === 200)
        .catch(() => false),
    );
    await fillLog(url, FEW);
    expect(await ask(url, '/health/ready')).to.equal(200);
    await stop(served);
    const { code, stderr } = await spawnTickmark(['--help'], {}, { out: openToWrite('/dev/full') }).ended;
    expect([code, stderr]).to.deep.equal([1, 'tickmark: standard output cannot be written: ENOSPC: no space left on device, write\n']);
  });

  it('two workers and a socket that is not read: a worker that is killed is replaced', async function () {
    if (!tellsChildren) skip(this, 'this system does not tell the children of a process');
    const metricsPort = await freePort();
    // On a backend that holds tensors, which tell below that the models of both workers are loaded.
    const { url, child, stderr } = await serve({ WORKERS: '2', METRICS_PORT: String(metricsPort), RUNTIME_BACKEND: 'cpu' });
    // The address is printed when the first worker is ready; the first one is killed below.
    await until(() => stderr().includes('worker process is up'));
    child.stderr?.pause();
    await fillLog(url, FULL);
    const tensors = await metric(metricsPort, 'tickmark_live_tensors');
    const workers = (): number[] => childrenOf(child.pid ?? 0);
    const [first = 0] = workers();
    process.kill(first, 'SIGKILL');
    await until(() => !workers().includes(first) && workers().length === 2);
    // Lines of both workers: the new one is ready.
    await until(async () => (await metric(metricsPort, 'tickmark_live_tensors')) === tensors);
    await fillLog(url, FEW);
    expect(await ask(url, '/health/ready')).to.equal(200);
    await stop(served!);
  });
});
