import * as path from 'node:path';
import { expect } from 'chai';
import { briefingOf } from '../../src/app/judgeVersion.ts';
import { judgeThreshold } from '../../src/forecast/judgeThreshold.ts';
import { judgeRemotely } from '../../src/forecast/remote/judgeRemotely.ts';
import { WindowSlot } from '../../src/forecast/WindowSlot.ts';
import type { ServedModel } from '../../src/model/ModelManifest.ts';
import type { NetworkOutput } from '../../src/model/NetworkSpec.ts';
import { systemClock } from '../../src/core/Clock.ts';
import { silentLogger } from '../../src/core/Logger.ts';
import { type ServiceError } from '../../src/core/ServiceError.ts';
import { openChildHost, type ChildHost } from '../../src/inference/child/openChildHost.ts';
import { openInProcessHost } from '../../src/inference/openInProcessHost.ts';
import type { ModelFolder } from '../../src/model/modelFiles.ts';
import { createLogger } from '../../src/observability/createLogger.ts';
import { openRuntime } from '../../src/runtime/openRuntime.ts';
import { parseRuleSet } from '../../src/rules/parseRuleSet.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { ruleSetJson, tickRequest } from '../support/fakeForecaster.ts';
import { refusalOf } from '../support/refusalOf.ts';
import { goldenOf, randomBatch, randomWeights, SMALL_SPEC, smallManifest } from '../support/smallModel.ts';
import { ROOT } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';

const PROGRAM = path.join(ROOT, 'src', 'app', 'networkProcess.ts');

const COMMON = { source: { json: ruleSetJson(), source: 'test' }, isOperators: false };

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the network in a process of its own', function () {
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
    return openChildHost({ program, backend, clock: systemClock, logger, briefing: (each) => briefingOf(each, COMMON) });
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

  it('answers as the network in this process does, bit for bit, whatever is asked together', async () => {
    const here = openInProcessHost([version]);
    const rows = Array.from({ length: 40 }, (_, i) => rowOf(i, i % SMALL_SPEC.heads));
    const wanted: NetworkOutput[] = [];
    for (const row of rows) wanted.push(await here.infer('one', row));
    expect(await Promise.all(rows.map((row) => host.infer('one#1', row)))).to.deep.equal(wanted);
    await here.close();
    expect(host.runtime.backend).to.equal('cpu');
    expect(host.warmed[0]?.batch).to.equal(1);
    expect(host.tensors().count).to.be.above(5);
  });

  it('judges windows as this thread does, beside rows that are asked at the same time', async () => {
    const model = { id: 'one', networkId: 'one#1', manifest: version.manifest, card: '' } satisfies ServedModel;
    const ruleSet = parseRuleSet(ruleSetJson(), 'test');
    const deps = { host, rulesOf: () => ruleSet, clock: systemClock, slot: new WindowSlot() };
    const requests = Array.from({ length: 24 }, (_, seed) => tickRequest({ seed, count: 200 + 100 * seed, horizonS: 20 + seed }));
    const remote = requests.map((request) => judgeRemotely(host.program!, systemClock, model, { request, theta: null }, undefined));
    expect(host.program?.inHand).to.equal(24);
    const local = requests.map((request) => judgeThreshold(deps, model, request, { theta: null, asking: undefined, wantsTrace: false }));
    for (const [i, answer] of (await Promise.all(remote)).entries()) {
      const wanted = (await local[i]) as Exclude<Awaited<(typeof local)[number]>, string>;
      const { theta, probability, decision } = wanted;
      expect(answer.verdict).to.deep.include({ theta, probability, decision, reasons: wanted.reasons.map(({ code }) => ({ code })) });
      expect(answer.ownContext).to.equal(null);
    }
    expect(host.program?.inHand).to.equal(0);
  });

  it('refuses a window for a network that is not there', async () => {
    const gone = { id: 'none', networkId: 'none', manifest: version.manifest, card: '' } satisfies ServedModel;
    const question = { request: tickRequest(), theta: null };
    expect((await refusalOf(judgeRemotely(host.program!, systemClock, gone, question, undefined))).code).to.equal('model.unknown');
  });

  it('forgets a version that was dropped, and its rules', async () => {
    await host.open('two#1', version);
    const model = { id: 'two', networkId: 'two#1', manifest: version.manifest, card: '' } satisfies ServedModel;
    const request = tickRequest();
    // Its features are refused before the network is asked.
    const still = { ...request, series: { ...request.series, prices: request.series.prices.map(() => 2) } };
    const judge = () => judgeRemotely(host.program!, systemClock, model, { request: still, theta: null }, undefined);
    expect((await judge()).verdict).to.equal('constant_price');
    host.drop('two#1');
    expect((await refusalOf(judge())).code).to.equal('model.unknown');
  });

  it('fails a poisoned row alone, and names a network that is not there', async () => {
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map((i) => host.infer('one#1', i === 2 ? { ...rowOf(i), baseline: NaN } : rowOf(i))),
    );
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect((await refusalOf(host.infer('none', rowOf(1)))).code).to.equal('model.unknown');
  });

  it('refuses a version whose golden answers are off, and goes on', async () => {
    const rows = version.golden.rows.map((row) => ({ ...row, residualLogit: row.residualLogit + 1 }));
    const refusal = await refusalOf(host.open('bad#1', { ...version, golden: { rows } }));
    expect([refusal.code, refusal.message.includes('golden row 0')]).to.deep.equal(['model.refused', true]);
    expect((await host.infer('one#1', rowOf(1))).head).to.equal(0);
  });

  it('is killed under load: nobody hangs, all are told 503, and it comes back with what was open (row 29)', async () => {
    const { pid = 0 } = host;
    const model = { id: 'one', networkId: 'one#1', manifest: version.manifest, card: '' } satisfies ServedModel;
    const judge = () => judgeRemotely(host.program!, systemClock, model, { request: tickRequest(), theta: null }, undefined);
    const before = await host.infer('one#1', rowOf(1));
    const { verdict } = await judge();
    const asked = Array.from({ length: 50 }, (_, i) =>
      (i % 2 === 0 ? host.infer('one#1', rowOf(i)) : judge()).then(
        () => 'answered',
        (error: unknown) => (error as ServiceError).code,
      ),
    );
    process.kill(pid, 'SIGKILL');
    const outcomes = new Set(await Promise.all(asked));
    expect(
      [...outcomes].every((outcome) => outcome === 'answered' || outcome === 'service.not_ready'),
      [...outcomes].join(),
    ).to.equal(true);
    await until(() => !host.isUp());
    expect((await refusalOf(host.infer('one#1', rowOf(1)))).status).to.equal(503);
    expect((await refusalOf(judge())).status).to.equal(503);
    await until(() => host.isUp());
    expect(host.pid).to.not.equal(pid);
    expect(await host.infer('one#1', rowOf(1))).to.deep.equal(before);
    expect((await judge()).verdict)
      .to.have.property('probability')
      .that.equals((verdict as { probability: number }).probability);
    expect(logged.filter((line) => line.includes('"error"'))).to.have.length(1);
  });

  it('waits longer from one failed start to the next', async () => {
    for (let i = 0; i < 3; i++) {
      await until(() => host.isUp());
      process.kill(host.pid ?? 0, 'SIGKILL');
      await until(() => !host.isUp());
    }
    await until(() => host.isUp());
    const pauses = logged.flatMap((line) => (JSON.parse(line) as { startAgainInMs?: number }).startAgainInMs ?? []);
    expect(pauses).to.deep.equal([100, 200, 400, 800]);
  });

  it('refuses to start where no backend opens, with the reason', async () => {
    const refusal = await refusalOf(open('nonsense'));
    expect(refusal.code).to.equal('runtime.refused');
    const broken = await refusalOf(open('cpu', path.join(ROOT, 'test', 'support', 'endingProgram.ts')));
    expect(broken.code).to.equal('service.not_ready');
  });

  it('logs what the process writes to standard error, also its last words', async () => {
    await refusalOf(open('crash', path.join(ROOT, 'test', 'support', 'crashingProbe.ts')));
    await until(() => logged.some((line) => line.includes('wrote')));
    const line = JSON.parse(logged.find((each) => each.includes('wrote')) ?? '') as object;
    expect(line).to.include({ level: 'warn', msg: 'the inference process wrote', text: 'fatal: the library is broken' });
  });

  it('ends a process that is silent for half a minute within a batch: nobody waits for ever', async () => {
    const clock = new FakeClock();
    const program = path.join(ROOT, 'test', 'support', 'silentNetwork.ts');
    const silent = await openChildHost({ program, backend: 'cpu', clock, logger: silentLogger });
    await silent.open('one#1', version);
    const { pid = 0 } = silent;
    const answer = refusalOf(silent.infer('one#1', rowOf(1)));
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(29_999);
    expect(isAlive(pid)).to.equal(true);
    clock.advance(1);
    expect((await answer).code).to.equal('service.not_ready');
    await until(() => !isAlive(pid));
    await silent.close();
  });

  it('ends with what asked for it', async () => {
    const other = await open();
    const { pid = 0 } = other;
    await other.close();
    await until(() => !isAlive(pid));
    expect((await refusalOf(other.infer('one', rowOf(1)))).code).to.equal('service.not_ready');
    expect(
      logged.filter((line) => line.includes('ended')),
      'as it was told to',
    ).to.deep.equal([]);
  });
});
