import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../src/core/packageRoot.ts';
import { seededRandom } from '../../../src/core/Random.ts';
import { warmUp } from '../../../src/engine/inference/warmUp.ts';
import { loadModelFolder } from '../../../src/engine/model/loadModelFolder.ts';
import { KernelNetwork } from '../../../src/engine/model/KernelNetwork.ts';
import { Network, ReadoutChoice } from '../../../src/engine/model/Network.ts';
import { openKernel } from '../../../src/engine/runtime/lstm/openTrunkProgram.ts';
import { openRuntime } from '../../../src/engine/runtime/openRuntime.ts';

const BASE = 'base-2026-11-27';
const ROWS = 64;

describe('the network on WebAssembly', () => {
  it('gives a row the same bits in a batch of any size, whatever the warm-up measures, with TensorFlow.js and without', async () => {
    const { tune } = await openRuntime('wasm');
    const { manifest, weights, golden } = loadModelFolder(path.join(packageRoot(), 'models', BASE));
    const choice = new ReadoutChoice();
    const network = new Network(manifest.network, weights, choice);
    const warmed = warmUp(network, tune, choice);
    expect(warmed.map(({ readout }) => Object.keys(readout.timesMs))).to.deep.equal(warmed.map(() => ['fused']));

    const { steps, sequenceColumns, contextColumns, heads } = manifest.network;
    const random = seededRandom(1);
    const columns = (count: number): Float32Array => Float32Array.from({ length: count }, () => random.normal());
    const width = steps * sequenceColumns;
    const [sequence, context, baseline] = [columns(ROWS * width), columns(ROWS * contextColumns), columns(ROWS)];
    const run = (from: number, to: number, runs: Pick<Network, 'run'> = network) =>
      runs.run({
        size: to - from,
        sequence: sequence.slice(from * width, to * width),
        context: context.slice(from * contextColumns, to * contextColumns),
        baseline: baseline.slice(from, to),
        heads: Array.from({ length: to - from }, (_, i) => (from + i) % heads),
      });
    const alone = new KernelNetwork(manifest.network, weights, await openKernel());
    for (const row of golden.rows) {
      const inputs = { sequence: Float32Array.from(row.sequence), context: Float32Array.from(row.context) };
      const [output] = alone.run({ size: 1, ...inputs, baseline: Float32Array.of(row.baseline), heads: [row.head] });
      for (const name of ['baselineLogit', 'residualLogit', 'directionLogit'] as const)
        expect(output![name], name).to.be.closeTo(row[name], 1e-6 * Math.max(1, Math.abs(row[name])));
    }
    const single = Array.from({ length: ROWS }, (_, row) => run(row, row + 1)[0]);
    for (const size of [1, 2, 3, 5, 8, 32, ROWS]) {
      for (const runs of [network, alone]) {
        const together: unknown[] = [];
        for (let from = 0; from < ROWS; from += size) together.push(...run(from, Math.min(ROWS, from + size), runs));
        expect(together, `batches of ${size}, ${runs.constructor.name}`).to.deep.equal(single);
      }
    }
    network.dispose();
  });
});
