import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import type { NetworkOutput } from '../../src/engine/model/NetworkWeights.ts';
import { systemClock } from '../../src/core/Clock.ts';
import { connectInference, spawnInference, type InferenceProcess } from '../../src/engine/inference/child/InferenceProcess.ts';
import { InferenceSupervisor } from '../../src/engine/inference/child/InferenceSupervisor.ts';
import { openChildHost, type ChildHost } from '../../src/engine/inference/child/openChildHost.ts';
import { openInProcessHost } from '../../src/engine/inference/openInProcessHost.ts';
import type { ModelFolder } from '../../src/engine/model/modelFiles.ts';
import { createLogger } from '../../src/core/observability/createLogger.ts';
import { openRuntime } from '../../src/engine/runtime/openRuntime.ts';
import type { PuppetScript } from '../support/puppetNetwork.ts';
import { serviceErrorOf } from '../support/serviceErrorOf.ts';
import { goldenOf, randomBatch, randomWeights, SMALL_SPEC, smallManifest } from '../support/smallModel.ts';
import { bundleScript } from '../support/bundleScript.ts';
import { ROOT } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';
import { isAlive } from '../support/childrenOf.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Bundled once: the loader of TypeScript would take longer to start than all that the processes do. */
const [PROGRAM = '', PUPPET = '', CRASHING = ''] = await Promise.all(
  ['src/service/app/inferenceProcess.ts', 'test/support/puppetNetwork.ts', 'test/support/crashingProbe.ts'].map(bundleScript),
);

describe('the inference process', function () {
  this.timeout(180_000);
  let version: ModelFolder;
  let host: ChildHost;
  let logged: string[];
  const rowOf = (seed: number, head = 0) => {
    const { sequence, context, baseline } = randomBatch(SMALL_SPEC, 1, seed);
    return { sequence, context, baseline: baseline[0] ?? 0, head };
  };
  const open = async (backend = 'cpu', program = PROGRAM): Promise<ChildHost> => {
    logged = [];
    const logger = createLogger('debug', { write: (line: string) => void logged.push(line) });
    const start = (): InferenceProcess => spawnInference(program, [backend, '20000'], logger);
    return openChildHost({ name: 'inference process', open: start, startMs: 60_000, clock: systemClock, logger });
  };

  before(async () => {
    await openRuntime('cpu');
    const weights = randomWeights(SMALL_SPEC, 7);
    version = { manifest: { ...smallManifest('one'), files: {} }, weights, golden: goldenOf(SMALL_SPEC, weights), card: '' };
    host = await open();
    await host.open('one#1', version);
  });
  after(async () => {
    const { pid = 0 } = host;
    await host.close();
    await until(() => !isAlive(pid));
  });

  it('returns the same results as the network in this process, within 1e-6, for any batches', async () => {
    const here = openInProcessHost([version]);
    const rows = Array.from({ length: 40 }, (_, i) => rowOf(i, i % SMALL_SPEC.heads));
    const wanted: NetworkOutput[] = [];
    for (const row of rows) wanted.push(await here.infer('one', row));
    const answers = await Promise.all(rows.map((row) => host.infer('one#1', row)));
    // Each process measures which readout is fastest; two processes may differ in the last bits of a float.
    for (const [i, { head, ...logits }] of answers.entries()) {
      expect(head).to.equal(wanted[i]?.head);
      for (const [name, logit] of Object.entries(logits)) expect(logit, name).to.be.closeTo(wanted[i][name as keyof typeof logits], 1e-6);
    }
    await here.close();
    expect(host.runtime.backend).to.equal('cpu');
    expect(host.warmed[0]?.batch).to.equal(1);
    expect(host.tensors().count).to.be.above(5);
  });

  it('fails an invalid row alone, and reports an unknown network', async () => {
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map((i) => host.infer('one#1', i === 2 ? { ...rowOf(i), baseline: NaN } : rowOf(i))),
    );
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect((await serviceErrorOf(host.infer('none', rowOf(1)))).code).to.equal('model.unknown');
  });

  it('refuses a version that does not reproduce its golden answers, and continues', async () => {
    const rows = version.golden.rows.map((row) => ({ ...row, residualLogit: row.residualLogit + 1 }));
    const refusal = await serviceErrorOf(host.open('bad#1', { ...version, golden: { rows } }));
    expect([refusal.code, refusal.message.includes('golden row 0')]).to.deep.equal(['model.refused', true]);
    expect((await host.infer('one#1', rowOf(1))).head).to.equal(0);
  });

  it('refuses to start if no backend opens or the process ends, with the reason', async () => {
    const refusal = await serviceErrorOf(open('nonsense'));
    expect(refusal.code).to.equal('runtime.refused');
    const broken = await serviceErrorOf(open('cpu', path.join(ROOT, 'test', 'support', 'endingProgram.ts')));
    expect([broken.code, broken.message]).to.deep.equal([
      'runtime.refused',
      'The inference process did not start: it ended with exit code 3.',
    ]);
  });

  it('logs what the process writes to standard error, including its last lines', async () => {
    await serviceErrorOf(open('crash', CRASHING));
    await until(() => logged.some((line) => line.includes('wrote')));
    const line = JSON.parse(logged.find((each) => each.includes('wrote')) ?? '') as object;
    expect(line).to.include({ level: 'warn', msg: 'the inference process wrote', text: 'fatal: the library is broken' });
  });

  it('ends with its parent', async () => {
    const other = await open();
    const { pid = 0 } = other;
    await other.close();
    await until(() => !isAlive(pid));
    expect((await serviceErrorOf(other.infer('one', rowOf(1)))).code).to.equal('service.not_ready');
    expect(
      logged.filter((line) => line.includes('ended')),
      'a requested end is not logged',
    ).to.deep.equal([]);
  });
});

describe('the host of a fake inference process', function () {
  this.timeout(60_000);
  const manifest = (id: string) => ({ manifest: { id }, weights: new Map(), golden: { rows: [] }, card: '' }) as unknown as ModelFolder;
  const rowOf = (baseline: number) => ({ sequence: Float32Array.of(1), context: Float32Array.of(2), baseline, head: 0 });
  let folder: string;
  let logged: string[];
  let refused: string[];
  let host: ChildHost;

  beforeEach(() => {
    folder = temporaryFolder();
    [logged, refused] = [[], []];
  });
  afterEach(async () => {
    await host.close();
  });
  const play = async (script: Omit<PuppetScript, 'counter'> = {}): Promise<ChildHost> => {
    const counter = path.join(folder, 'starts');
    writeFileSync(counter, '0');
    const logger = createLogger('debug', { write: (line: string) => void logged.push(line) });
    const start = (): InferenceProcess => spawnInference(PUPPET, [JSON.stringify({ ...script, counter })], logger);
    const onRefused = (networkId: string): void => void refused.push(networkId);
    host = await openChildHost({ name: 'inference process', open: start, startMs: 30_000, clock: systemClock, logger, onRefused });
    return host;
  };
  const killAndWait = async (): Promise<void> => {
    const { pid = 0 } = host;
    process.kill(pid, 'SIGKILL');
    await until(() => host.pid !== pid && host.isUp());
  };

  it('assigns each reply to its request, in any order of replies', async () => {
    await play({ isReversed: true });
    await host.open('a#1', manifest('a'));
    const outputs = await Promise.all([1, 2].map((baseline) => host.infer('a#1', rowOf(baseline))));
    expect(outputs.map(({ baselineLogit }) => baselineLogit)).to.deep.equal([1, 2]);
  });

  it('refuses to open a version while the process restarts, and opens it once afterwards', async () => {
    await play({ failsAt: [2, 3] });
    await host.open('a#1', manifest('a'));
    process.kill(host.pid ?? NaN, 'SIGKILL');
    await until(() => !host.isUp());
    expect((await serviceErrorOf(host.open('b#1', manifest('b')))).code).to.equal('service.not_ready');
    await until(() => host.isUp());
    await host.open('b#1', manifest('b'));
    expect((await host.infer('a#1', rowOf(1))).directionLogit, 'the fourth process').to.equal(4);
    expect(logged.filter((line) => line.includes('inference process failed'))).to.have.lengthOf(3);
  });

  it('serves the other versions if a restarted process refuses one, and names it', async () => {
    await play({ refusesLater: 'b' });
    for (const id of ['a', 'b', 'c']) await host.open(`${id}#1`, manifest(id));
    await killAndWait();
    expect(refused).to.deep.equal(['b#1']);
    for (const id of ['a', 'c']) expect((await host.infer(`${id}#1`, rowOf(1))).directionLogit).to.equal(2);
    await killAndWait();
    expect(refused, 'it is not retried').to.deep.equal(['b#1']);
  });

  it('reports the backend and uses the batch sizes of the current process', async () => {
    await play();
    await host.open('a#1', manifest('a'));
    const sizes = async (): Promise<number> => {
      const outputs = await Promise.all(Array.from({ length: 16 }, (_, i) => host.infer('a#1', rowOf(i))));
      return Math.max(...outputs.map(({ residualLogit }) => residualLogit));
    };
    expect([host.runtime.description, await sizes()], 'the largest batch pays off, and two batches share the rows').to.deep.equal([
      'puppet 1',
      2,
    ]);
    await killAndWait();
    expect([host.runtime.description, await sizes()]).to.deep.equal(['puppet 2', 1]);
  });

  it('waits for one that opens a version for longer than a silent one may take', async () => {
    await play({ opensAfterMs: 7000 });
    const { pid } = host;
    await host.open('a#1', manifest('a'));
    expect([host.pid, host.isUp()]).to.deep.equal([pid, true]);
    expect(logged.filter((line) => line.includes('failed'))).to.deep.equal([]);
  });
});

describe('a host that is connected to an inference process of another one', function () {
  this.timeout(60_000);
  const version = { manifest: { id: 'a' }, weights: new Map(), golden: { rows: [] }, card: '' } as unknown as ModelFolder;
  const rowOf = (baseline: number) => ({ sequence: Float32Array.of(1), context: Float32Array.of(2), baseline, head: 0 });
  let folder: string;
  let logged: string[];
  let supervisor: InferenceSupervisor;
  let hosts: ChildHost[];

  beforeEach(async () => {
    folder = temporaryFolder();
    logged = [];
    const logger = createLogger('debug', { write: (line: string) => void logged.push(line) });
    const [counter, socketPath] = [path.join(folder, 'starts'), path.join(folder, 'inference')];
    writeFileSync(counter, '0');
    const common = { startMs: 30_000, clock: systemClock, logger };
    const open = (): InferenceProcess => spawnInference(PUPPET, [JSON.stringify({ counter, socketPath })], logger);
    supervisor = new InferenceSupervisor({ ...common, name: 'inference process', open });
    await supervisor.start();
    const connect = (): Promise<ChildHost> => openChildHost({ ...common, name: 'connection', open: () => connectInference(socketPath) });
    hosts = await Promise.all([connect(), connect()]);
    for (const host of hosts) await host.open('a#1', version);
  });
  afterEach(async () => {
    for (const host of hosts) await host.close();
    await supervisor.stop();
  });

  it('answers as one that started it, and goes on where another one is closed', async () => {
    const [first, second] = hosts as [ChildHost, ChildHost];
    const outputs = await Promise.all(hosts.map((host, i) => host.infer('a#1', rowOf(i))));
    expect(outputs.map(({ baselineLogit }) => baselineLogit)).to.deep.equal([0, 1]);
    await first.close();
    expect((await second.infer('a#1', rowOf(5))).baselineLogit).to.equal(5);
    expect(logged.filter((line) => line.includes('failed'))).to.deep.equal([]);
  });

  it('refuses rows with 503 while the process restarts, connects to the next one and opens its versions there', async () => {
    process.kill(supervisor.latest?.pid ?? NaN, 'SIGKILL');
    await until(() => hosts.every((host) => !host.isUp()));
    for (const host of hosts) expect((await serviceErrorOf(host.infer('a#1', rowOf(1)))).status).to.equal(503);
    await until(() => hosts.every((host) => host.isUp()));
    for (const host of hosts) {
      expect((await host.infer('a#1', rowOf(1))).directionLogit, 'the second process').to.equal(2);
      expect(host.runtime.description).to.equal('puppet 2');
    }
    expect(logged.filter((line) => line.includes('"inference process failed"'))).to.have.lengthOf(1);
  });

  it('does not start where nothing listens', async () => {
    const open = (): InferenceProcess => connectInference(path.join(folder, 'none'));
    const logger = createLogger('silent');
    const refusal = await serviceErrorOf(openChildHost({ name: 'connection', open, startMs: 30_000, clock: systemClock, logger }));
    expect([refusal.code, refusal.message.includes('ENOENT')]).to.deep.equal(['runtime.refused', true]);
  });
});
