import { once } from 'node:events';
import { duplexPair, type Duplex } from 'node:stream';
import * as tf from '@tensorflow/tfjs-core';
import { expect } from 'chai';
import { frameOf } from '../../../../../src/engine/inference/child/frames.ts';
import { NetworkClient } from '../../../../../src/engine/inference/child/NetworkClient.ts';
import { NetworkServer } from '../../../../../src/engine/inference/child/NetworkServer.ts';
import type { ModelFolder } from '../../../../../src/engine/model/modelFiles.ts';
import { openRuntime } from '../../../../../src/engine/runtime/openRuntime.ts';
import type { Runtime } from '../../../../../src/engine/runtime/Runtime.ts';
import { FakeClock } from '../../../../support/FakeClock.ts';
import { serviceErrorOf } from '../../../../support/serviceErrorOf.ts';
import { goldenOf, randomBatch, randomWeights, SMALL_SPEC, smallManifest } from '../../../../support/smallModel.ts';
import { until } from '../../../../support/until.ts';

describe('NetworkServer', () => {
  let runtime: Runtime;
  let server: NetworkServer;
  let shapes: number;
  let heldBefore: number;

  before(async () => {
    runtime = await openRuntime('cpu');
  });
  beforeEach(() => {
    shapes = 0;
    server = new NetworkServer({ ...runtime, tune: (shape) => ((shapes += 1), { ...shape, chosen: 'simd', timesMs: {}, refused: {} }) });
    heldBefore = tf.memory().numTensors;
  });

  /** A connection: the service's end, the stream under it and the server's stream. */
  const connect = (clock = new FakeClock()): { client: NetworkClient; stream: Duplex; far: Duplex } => {
    const [stream, far] = duplexPair();
    server.serve(far);
    const ended = once(stream, 'close').then(() => 'closed');
    // What a socket does, and a pair does not.
    stream.on('close', () => far.destroy());
    far.on('close', () => stream.destroy());
    return { client: new NetworkClient({ stream, ended, pid: undefined, kill: () => void stream.destroy() }, clock), stream, far };
  };
  const versionOf = (id: string, seed = 7): ModelFolder => {
    const weights = randomWeights(SMALL_SPEC, seed);
    return { manifest: { ...smallManifest(id), files: {} }, weights, golden: goldenOf(SMALL_SPEC, weights), card: '' };
  };
  const rowOf = (seed: number) => {
    const { sequence, context, baseline } = randomBatch(SMALL_SPEC, 1, seed);
    return { sequence, context, baseline: baseline[0] ?? 0, head: 1 };
  };
  const logitsOf = async (client: NetworkClient, networkId: string) => (await client.run(networkId, [rowOf(1)])).outputs[0];
  const held = (): number => tf.memory().numTensors - heldBefore;

  it('tells every connection that an open has ended, so that a hang after it is noticed by the next pings', async () => {
    const [{ client: a }, { client: b }] = [connect(), connect()];
    await Promise.all([a.hello, b.hello]);
    const before = b.messagesReceived;
    await a.open('one#1', versionOf('one'));
    await until(() => b.messagesReceived === before + 2);
    expect([a.isBusy, b.isBusy]).to.deep.equal([false, false]);
  });

  it('opens the same weights once for two connections, and frees them after the last one has dropped them', async () => {
    const [{ client: a }, { client: b }] = [connect(), connect()];
    expect(await b.hello).to.deep.equal(await a.hello);
    const first = await a.open('one#1', versionOf('one'));
    const [tensors, measured] = [held(), shapes];
    expect(await b.open('mine', versionOf('one'))).to.deep.equal(first);
    expect([held(), shapes]).to.deep.equal([tensors, measured]);
    expect(await logitsOf(b, 'mine')).to.deep.equal(await logitsOf(a, 'one#1'));
    a.drop('one#1');
    expect((await serviceErrorOf(logitsOf(a, 'one#1'))).code).to.equal('model.unknown');
    expect(await logitsOf(b, 'mine')).to.include({ head: 1 });
    b.drop('mine');
    await until(() => held() === 0);
  });

  it('keeps the names of each connection apart', async () => {
    const [{ client: a }, { client: b }] = [connect(), connect()];
    await a.open('one', versionOf('one'));
    expect((await serviceErrorOf(logitsOf(b, 'one'))).code).to.equal('model.unknown');
    await b.open('one', versionOf('two', 8));
    expect(await logitsOf(b, 'one')).to.not.deep.equal(await logitsOf(a, 'one'));
  });

  it('frees what only a connection that died had open', async () => {
    const [{ client: a }, { client: b, stream }] = [connect(), connect()];
    await a.open('one', versionOf('one'));
    const tensors = held();
    for (const [id, seed] of [
      ['one', 7],
      ['two', 8],
    ] as const)
      await b.open(id, versionOf(id, seed));
    expect(held()).to.be.above(tensors);
    stream.destroy();
    await until(() => held() === tensors);
    expect(await logitsOf(a, 'one')).to.include({ head: 1 });
  });

  it('checks golden rows that differ, also where the weights are open', async () => {
    const { client } = connect();
    const good = versionOf('good');
    await client.open('good', good);
    const tensors = held();
    const rows = good.golden.rows.map((row) => ({ ...row, residualLogit: row.residualLogit + 1 }));
    expect((await serviceErrorOf(client.open('bad', { ...good, golden: { rows } }))).code).to.equal('model.refused');
    expect(held()).to.equal(tensors);
    expect(await logitsOf(client, 'good')).to.include({ head: 1 });
  });

  it('answers one connection after a batch of another one failed, and after another one sent garbage', async () => {
    const [{ client: a }, { client: b, stream }] = [connect(), connect()];
    await a.open('one', versionOf('one'));
    const short = { ...rowOf(1), sequence: new Float32Array(3) };
    expect((await serviceErrorOf(b.run('none', [rowOf(1)]))).code).to.equal('model.unknown');
    const [bad, good] = [serviceErrorOf(a.run('one', [short])), logitsOf(a, 'one')];
    expect((await bad).code).to.equal('inference.failed');
    expect(await good).to.include({ head: 1 });
    stream.write(Buffer.alloc(64, 255));
    expect(await b.ended).to.equal('closed');
    expect((await serviceErrorOf(b.run('one', [rowOf(1)]))).code).to.equal('service.not_ready');
    expect(await logitsOf(a, 'one')).to.include({ head: 1 });
  });

  it('keeps weights whose bytes are used again for the next message', async () => {
    const { client, far } = connect();
    const version = versionOf('one');
    const open = frameOf({ kind: 'open', id: 99, networkId: 'one', version });
    far.emit('data', open);
    open.fill(255);
    const { sequence, context, baseline, head, residualLogit } = version.golden.rows[1];
    const row = { sequence: Float32Array.from(sequence), context: Float32Array.from(context), baseline, head };
    const [output] = (await client.run('one', [row])).outputs;
    expect(output).to.have.property('residualLogit').closeTo(residualLogit, 1e-5);
  });

  it('tells every connection that an open begins; it may last two minutes', async () => {
    const clock = new FakeClock();
    const [{ client: a }, { client: b, far }] = [connect(), connect(clock)];
    await b.hello;
    const received = b.messagesReceived;
    await a.open('one', versionOf('one'));
    await until(() => b.messagesReceived === received + 2);
    // A process that hangs in an open says no more than this.
    far.write(frameOf({ kind: 'busy' }));
    await until(() => b.isBusy);
    clock.advance(120_000);
    expect(await b.ended).to.equal('closed');
  });
});
