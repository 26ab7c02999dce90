import { expect } from 'chai';
import * as tf from '@tensorflow/tfjs-core';
import { tensorflowEnvironment } from '../../src/core/config/settings.ts';
import { warmUp } from '../../src/engine/inference/warmUp.ts';
import { Network, ReadoutChoice } from '../../src/engine/model/Network.ts';
import { openRuntime } from '../../src/engine/runtime/openRuntime.ts';
import type { Runtime } from '../../src/engine/runtime/Runtime.ts';
import { fusedLSTM } from '../../src/engine/runtime/lstm/fusedLSTM.ts';
import { whyNoNative } from '../support/nativeTensorflow.ts';
import { randomBatch, randomWeights, SMALL_SPEC } from '../support/smallModel.ts';
import { fusedLstmContract } from './fusedLstm.ts';

/** A process loads TensorFlow once, with a GPU or without. On a GPU host: `RUNTIME_BACKEND=cuda npx mocha test/contracts/fusedLstm.native.test.ts`. */
const backend = process.env['RUNTIME_BACKEND'] === 'tensorflow-cuda' ? 'tensorflow-cuda' : 'native';
const skipReason = backend === 'tensorflow-cuda' ? undefined : whyNoNative();
if (skipReason !== undefined)
  describe('FusedLSTM on native', () => {
    it('equals the stock layer', function () {
      process.stdout.write(`    skipped: ${skipReason}\n`);
      this.skip();
    });
  });
else {
  fusedLstmContract(backend);

  describe(`TensorFlow on ${backend}`, () => {
    let runtime: Runtime;
    before(async () => {
      runtime = await openRuntime(backend, { environment: tensorflowEnvironment() });
    });
    /** Tensors in the library itself, including those that we use by id. */
    const heldByTensorflow = (): number => (tf.backend() as unknown as { getNumOfTFTensors(): number }).getNumOfTFTensors();

    it('describes itself', () => {
      expect(runtime.description).to.match(/^TensorFlow 2\.\d+\.\d+ on (native CPU|CUDA.*), TensorFlow\.js 4\./);
    });

    it('keeps no tensor of a forward pass without a gradient', () => {
      const inputs = [[3, 11, 2], [2, 16], [4, 16], [16]].map((shape, at) => tf.randomNormal(shape, 0, 1, 'float32', at));
      const [x, kernel, recurrentKernel, bias] = inputs as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
      const run = (): void => [true, false].forEach((sequences) => fusedLSTM(x, kernel, recurrentKernel, bias, sequences).dispose());
      run();
      const before = heldByTensorflow();
      for (let i = 0; i < 20; i++) run();
      expect(heldByTensorflow()).to.equal(before);
      tf.dispose(inputs);
    });

    it('leaks no tensor when 200 networks are loaded, warmed up, run and unloaded', () => {
      const weights = randomWeights(SMALL_SPEC, 1);
      const batch = randomBatch(SMALL_SPEC, 3, 2);
      const live = (): void => {
        const network = new Network(SMALL_SPEC, weights);
        for (const readout of ['fused', 'tensors'] as const) network.run(batch, readout);
        network.dispose();
      };
      const first = new Network(SMALL_SPEC, weights);
      warmUp(first, runtime.tune, new ReadoutChoice());
      first.dispose();
      live();
      const before = [tf.memory().numTensors, heldByTensorflow()];
      for (let i = 0; i < 200; i++) live();
      expect([tf.memory().numTensors, heldByTensorflow()]).to.deep.equal(before);
    });

    it('leaks no tensor after gradients of many shapes', () => {
      const step = (units: number): void => {
        tf.tidy(() => {
          const spec = { ...SMALL_SPEC, units };
          const network = new Network(spec, randomWeights(spec, units));
          network.run(randomBatch(spec, 2, units));
          network.dispose();
        });
      };
      for (let units = 1; units < 120; units++) step(units);
      const before = heldByTensorflow();
      for (let units = 1; units < 120; units++) step(units);
      // The number of cached shape constants is bounded.
      expect(heldByTensorflow()).to.be.at.most(before);
    });
  });
}
