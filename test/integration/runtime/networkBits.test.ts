import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../src/core/packageRoot.ts';
import { seededRandom } from '../../../src/core/Random.ts';
import { warmUp } from '../../../src/engine/inference/warmUp.ts';
import { loadModelFolder } from '../../../src/engine/model/loadModelFolder.ts';
import { Network, ReadoutChoice } from '../../../src/engine/model/Network.ts';
import { openRuntime } from '../../../src/engine/runtime/openRuntime.ts';

const BASE = 'base-2026-11-25';
const ROWS = 64;

describe('the network on WebAssembly', () => {
  it('gives a row the same bits in a batch of any size, whatever the warm-up measures', async () => {
    const { tune } = await openRuntime('wasm');
    const { manifest, weights } = loadModelFolder(path.join(packageRoot(), 'models', BASE));
    const choice = new ReadoutChoice();
    const network = new Network(manifest.network, weights, choice);
    const warmed = warmUp(network, tune, choice);
    expect(warmed.map(({ readout }) => Object.keys(readout.timesMs))).to.deep.equal(warmed.map(() => ['fused']));

    const { steps, sequenceColumns, contextColumns, heads } = manifest.network;
    const random = seededRandom(1);
    const columns = (count: number): Float32Array => Float32Array.from({ length: count }, () => random.normal());
    const width = steps * sequenceColumns;
    const [sequence, context, baseline] = [columns(ROWS * width), columns(ROWS * contextColumns), columns(ROWS)];
    const run = (from: number, to: number) =>
      network.run({
        size: to - from,
        sequence: sequence.slice(from * width, to * width),
        context: context.slice(from * contextColumns, to * contextColumns),
        baseline: baseline.slice(from, to),
        heads: Array.from({ length: to - from }, (_, i) => (from + i) % heads),
      });
    const single = Array.from({ length: ROWS }, (_, row) => run(row, row + 1)[0]);
    for (const size of [2, 3, 5, 8, 32, ROWS]) {
      const together: unknown[] = [];
      for (let from = 0; from < ROWS; from += size) together.push(...run(from, Math.min(ROWS, from + size)));
      expect(together, `batches of ${size}`).to.deep.equal(single);
    }
    network.dispose();
  });
});
