import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import * as http from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import * as path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { childrenAs, childrenOf, tellsChildren } from '../support/childrenOf.ts';
import { LiveSocket, OPEN, ticksMessage } from '../support/liveSocket.ts';
import { request } from '../support/request.ts';
import { builtFolder, serveTickmark, spawnTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const QUOTA = 12;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Every request of this test has its own connection, so that they alternate between the workers. */
describe('two workers behind one port, with one inference process', function () {
  this.timeout(180_000);
  const account = { email: 'w@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };
  const basic = { Authorization: `Basic ${Buffer.from(`${account.email}:${account.password}`).toString('base64')}` };
  let folder: string;
  /** Where the socket of the inference process lies. */
  let socketsIn: string;
  let served: ServedProcess;
  let metrics: string;
  let sample: TickRequestBody;
  let key: string;

  before(async function () {
    if (!tellsChildren) {
      process.stdout.write('    skipped: this system does not tell the children of a process\n');
      this.skip();
    }
    folder = temporaryFolder();
    socketsIn = path.join(folder, 'tmp');
    mkdirSync(socketsIn);
    const metricsPort = await freePort();
    metrics = `http://127.0.0.1:${metricsPort}`;
    served = await start({ METRICS_PORT: String(metricsPort), LIMIT_FORECASTS_PER_MINUTE: String(QUOTA) });
    sample = (await request(served.url, '/sample')).json as TickRequestBody;
    key = String((await request(served.url, '/signup', { body: account })).json['api_key']);
  });
  after(() => {
    served?.child.kill('SIGKILL');
  });
  const start = (env: NodeJS.ProcessEnv = {}): Promise<ServedProcess> =>
    serveTickmark(folder, { WORKERS: '2', INFERENCE_PROCESS: 'true', RUNTIME_BACKEND: 'wasm', TMPDIR: socketsIn, ...env });
  const ask = (apiKey = key): ReturnType<typeof request> =>
    request(served.url, '/auth/ti-tick', { body: sample, headers: { 'Api-Key': apiKey } });
  const running = (): string[] => readdirSync(folder).filter((name) => name.startsWith('running-'));
  const workers = (): number[] => childrenAs('worker', served.child.pid ?? 0);
  const inference = (): number[] => childrenAs('inference', served.child.pid ?? 0);
  /** One after the other, so that both workers answer. */
  const ready = async (): Promise<number[]> => {
    const statuses = [];
    for (let i = 0; i < 8; i++) statuses.push((await request(served.url, '/health/ready')).status);
    return statuses;
  };
  const allReady = async (status = 200): Promise<boolean> => (await ready()).every((each) => each === status);
  let accounts = 0;
  /** Four forecasts of a new account; by themselves, since on a busy machine several at once may be shed. */
  async function expectForecasts(): Promise<void> {
    const body = { ...account, email: `w${++accounts}@example.com` };
    const fresh = String((await request(served.url, '/signup', { body })).json['api_key']);
    for (let i = 0; i < 4; i++) expect((await ask(fresh)).status).to.equal(200);
  }
  const answered = async (route: string): Promise<number> => {
    const text = await (await fetch(`${metrics}/metrics`)).text();
    const counts = text.matchAll(/^tickmark_request_duration_seconds_count\{(.*)\} (\d+)$/gm);
    return [...counts].filter(([, labels]) => labels?.includes(`route="${route}"`)).reduce((sum, [, , count]) => sum + Number(count), 0);
  };

  it('say at the start where the store is, how many accounts it has, and where the metrics are', async () => {
    const lines = served.stderr().trim().split('\n');
    const logged = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Record<string, unknown>);
    const named = (msg: string) => logged.find((line) => line['msg'] === msg);
    expect(named('account store opened')).to.include({ dataDir: folder, store: 'new file', accounts: 0 });
    expect(named('metrics are served')).to.include({ url: `${metrics}/metrics` });
    expect(named('ready')).to.include.keys('version', 'commit', 'model', 'backend', 'url');
    // One of the service, and none of each worker.
    expect(running()).to.have.length(1);
  });

  it('return equal answers, count a quota together and are summed in the metrics', async () => {
    expect(workers()).to.have.lengthOf(2);
    const answers = await Promise.all(Array.from({ length: QUOTA + 6 }, () => ask()));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).to.have.lengthOf(QUOTA);
    expect(new Set(good.map(({ text }) => text)).size).to.equal(1);
    const remaining = good.map(({ headers }) => Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1]));
    expect(remaining.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: QUOTA }, (_, i) => i));
    for (const { status } of answers.filter((answer) => !good.includes(answer))) expect(status).to.equal(429);
    for (let i = 0; i < 4; i++) {
      const { status, headers } = await request(served.url, '/auth/me', { headers: { 'Api-Key': key } });
      expect([status, String(headers['ratelimit']).slice(0, 15)]).to.deep.equal([200, '"forecasts";r=0']);
    }
    await until(async () => (await answered('/auth/ti-tick')) === QUOTA + 6);
  });

  it('share one inference process: no worker has a child, and its socket is for this user alone', () => {
    expect([workers().length, inference().length, workers().flatMap(childrenOf)]).to.deep.equal([2, 1, []]);
    const [socketFolder] = readdirSync(socketsIn);
    expect(statSync(path.join(socketsIn, socketFolder!)).mode & 0o777).to.equal(0o700);
  });

  it('refuse a key that one of them has revoked', async () => {
    const issued = (await request(served.url, '/account/keys', { body: {}, headers: basic })).json as { api_key: string; id: string };
    const whoAmI = () => request(served.url, '/auth/me', { headers: { 'Api-Key': issued.api_key } });
    // Both have the key in their cache now.
    for (let i = 0; i < 4; i++) expect((await whoAmI()).status).to.equal(200);
    expect((await request(served.url, `/account/keys/${issued.id}`, { method: 'DELETE', headers: basic })).status).to.equal(200);
    // After the delay of one message, much less than KEY_CACHE_MS (5 s).
    await until(async () => (await whoAmI()).status === 401);
    for (let i = 0; i < 4; i++) expect((await whoAmI()).status).to.equal(401);
  });

  it('give one who watches a key the live series that the other worker serves', async () => {
    const body = { ...account, email: 'watch@example.com' };
    const key = String((await request(served.url, '/signup', { body })).json['api_key']);
    const connect = async (): Promise<LiveSocket> => {
      const socket = new LiveSocket(served.url, { key });
      await socket.opened;
      return socket;
    };
    // Connections alternate between the workers: some of four are served by each.
    const producers = [await connect(), await connect(), await connect(), await connect()];
    const watchers = [await connect(), await connect()];
    for (const watcher of watchers) watcher.send({ type: 'watch' });
    for (const [i, producer] of producers.entries()) {
      producer.send({ ...OPEN, series: `s${i}` });
      producer.send(ticksMessage(0, 240, `s${i}`));
      producer.send({ type: 'score', series: `s${i}` });
      await producer.next('score');
    }
    const made = producers.flatMap((producer) => producer.of('forecast'));
    expect(made).to.have.lengthOf(QUOTA);
    const copies = (watcher: LiveSocket) => watcher.of('watched').flatMap((message) => message.copies);
    for (const watcher of watchers) {
      const forecasts = () => copies(watcher).flatMap(({ message }) => (message.type === 'forecast' ? [message] : []));
      await until(() => forecasts().length >= made.length);
      expect(forecasts()).to.have.deep.members(made);
      expect(new Set(copies(watcher).map(({ source }) => source)).size).to.equal(4);
    }
    for (const { socket } of [...producers, ...watchers]) socket.terminate();
  });

  it('continue if one of them is killed, and it is replaced', async () => {
    const [[first = NaN, second = NaN], before] = [workers(), inference()];
    // The second one of the start.
    await until(() => served.stderr().includes('worker process is up'));
    process.kill(first, 'SIGKILL');
    await until(() => workers().length === 2 && !workers().includes(first));
    expect(workers()).to.include(second);
    expect(await allReady()).to.equal(true);
    await until(() => served.stderr().match(/worker process is up/g)?.length === 2);
    expect(await allReady()).to.equal(true);
    await expectForecasts();
    expect(inference()).to.deep.equal(before);
    expect(served.stderr()).to.include('"reason":"it ended with SIGKILL"');
    // It runs the build of the service, and not the command that would build the sources of this moment.
    for (const pid of childrenOf(served.child.pid ?? 0))
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
        .to.include(builtFolder())
        .and.not.include('bin/tickmark');
    const text = await (await fetch(`${metrics}/metrics`)).text();
    expect(text)
      .to.match(/^tickmark_restarts_total\{process="worker"\} 1$/m)
      .and.match(/^process_start_time_seconds \d+/m);
    expect(text).to.match(/^tickmark_store_up 1$/m);
  });

  it('answer 503 while the inference process that was killed is replaced, then 200, and are not replaced themselves', async () => {
    const [both, [killed = NaN]] = [workers(), inference()];
    process.kill(killed, 'SIGKILL');
    await until(() => allReady(503));
    const refused = await ask();
    expect(refused.status).to.be.oneOf([429, 503]);
    expect(refused.headers['retry-after']).to.not.equal(undefined);
    await until(() => allReady());
    await expectForecasts();
    expect(workers()).to.deep.equal(both);
    expect(inference()).to.have.lengthOf(1).and.not.include(killed);
  });

  it('leave no connection open that was assigned to a killed one and not accepted', async () => {
    const [first = NaN] = workers();
    process.kill(first, 'SIGSTOP');
    // New connections alternate between both; one that does not accept gets only one.
    let ended = 0;
    const end = (): void => void ended++;
    const agent = new http.Agent({ keepAlive: false });
    for (let i = 0; i < 6; i++) void request(served.url, '/health/live', { agent }).then(end, end);
    await until(() => ended >= 5);
    process.kill(first, 'SIGKILL');
    await until(() => ended === 6);
    await until(() => served.stderr().match(/worker process is up/g)?.length === 3);
  });

  it('end with their primary: 0 on Ctrl-C, which a terminal sends to each, none is left, and what each has counted of a key is written', async () => {
    await expectForecasts();
    const all = childrenOf(served.child.pid ?? 0);
    expect(all, 'two workers and the inference process').to.have.lengthOf(3);
    const { hostname, port } = new URL(served.url);
    const sockets = await Promise.all(
      Array.from({ length: 32 }, async () => {
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        return socket;
      }),
    );
    const answers = sockets.map(async (socket) => (await text(socket)).slice(0, 12));
    // The last one is sent before the signal.
    await Promise.all(
      sockets.map((socket) => new Promise((sent) => socket.write('GET /sample HTTP/1.1\r\nHost: localhost\r\n\r\n', sent))),
    );
    for (const pid of [...all, served.child.pid ?? NaN]) process.kill(pid, 'SIGINT');
    expect(new Set(await Promise.all(answers))).to.deep.equal(new Set(['HTTP/1.1 200']));
    expect(await served.ended).to.include({ code: 0, signal: null });
    expect(running(), 'it no longer uses the folder').to.deep.equal([]);
    await until(() => all.every((pid) => !existsSync(`/proc/${pid}`)));
    expect(readdirSync(socketsIn)).to.deep.equal([]);
    const listed = spawnTickmark(['keys', 'list', `w${accounts}@example.com`], { DATA_DIR: folder });
    expect((await listed.ended).code).to.equal(0);
    expect(listed.stdout()).to.include('4 forecasts in 30 days');
  });

  it('end if the primary is killed, and leave no socket behind', async () => {
    served = await start();
    const all = childrenOf(served.child.pid ?? 0);
    served.child.kill('SIGKILL');
    await until(() => all.every((pid) => !existsSync(`/proc/${pid}`)));
    expect(readdirSync(socketsIn)).to.deep.equal([]);
  });

  it('report a problem with the port once, and end with the exit code of a single service', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const PORT = String((taken.address() as AddressInfo).port);
    const { ended } = spawnTickmark(['serve'], { PORT, WORKERS: '2', DATA_DIR: folder, RUNTIME_BACKEND: 'wasm', LOG_LEVEL: 'silent' });
    const { code, stderr } = await ended;
    taken.close();
    expect(code).to.equal(1);
    expect(stderr.match(/Cannot listen on/g)).to.have.lengthOf(1);
  });
});
