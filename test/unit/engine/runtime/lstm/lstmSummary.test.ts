import { expect } from 'chai';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-layers';
import fc from 'fast-check';
import { openRuntime } from '../../../../../src/engine/runtime/openRuntime.ts';
import { fusedLSTM } from '../../../../../src/engine/runtime/lstm/fusedLSTM.ts';
import { lstmSummary } from '../../../../../src/engine/runtime/lstm/lstmSummary.ts';
import { wave } from '../../../../../src/engine/runtime/lstm/probeLstm.ts';

type Size = { readonly batch: number; readonly steps: number; readonly columns: number; readonly units: number };
type Inputs = Parameters<typeof lstmSummary>[0];

/** The same function in ops of TensorFlow.js, after the LSTM. */
function ofOps({ x, kernel, recurrentKernel, bias, attention }: Inputs): tf.Tensor {
  const states = fusedLSTM(x, kernel, recurrentKernel, bias, true) as tf.Tensor3D;
  const [batch, steps, units] = states.shape;
  const last = tf.reshape(tf.slice(states, [0, steps - 1, 0], [batch, 1, units]), [batch, units]);
  const shares = tf.softmax(tf.reshape(tf.matMul(tf.reshape(states, [batch * steps, units]), attention as tf.Tensor2D), [batch, steps]));
  const mean = tf.reshape(tf.matMul(tf.reshape(shares, [batch, 1, steps]), states), [batch, units]);
  return tf.concat([last, mean], 1);
}

const inputsOf = ({ batch, steps, columns, units }: Size, pitch: number): Inputs => ({
  x: tf.tensor(wave(batch * steps * columns, pitch), [batch, steps, columns]),
  kernel: tf.tensor(wave(columns * 4 * units, 1.3 * pitch), [columns, 4 * units]),
  recurrentKernel: tf.tensor(wave(units * 4 * units, 2.1 * pitch), [units, 4 * units]),
  bias: tf.tensor(wave(4 * units, 0.4 * pitch), [4 * units]),
  attention: tf.tensor(wave(units, 1.7 * pitch), [units, 1]),
});

const sizes: fc.Arbitrary<Size> = fc.record({
  batch: fc.integer({ min: 1, max: 5 }),
  steps: fc.integer({ min: 1, max: 20 }),
  columns: fc.integer({ min: 1, max: 9 }),
  units: fc.integer({ min: 1, max: 19 }),
});

describe('LstmSummary', () => {
  before(() => openRuntime('wasm'));

  const gradientsOf = (run: (inputs: Inputs) => tf.Tensor, { x, ...weights }: Inputs, dy: tf.Tensor): tf.Tensor[] => {
    const names = Object.keys(weights) as (keyof typeof weights)[];
    const loss = (...given: tf.Tensor[]): tf.Tensor =>
      run({ x, ...weights, ...Object.fromEntries(names.map((name, i) => [name, given[i]])) } as Inputs);
    return tf.grads(loss)(
      names.map((name) => weights[name]),
      dy,
    );
  };
  const expectNear = (actual: tf.Tensor, expected: tf.Tensor, what: string): void => {
    expect(actual.shape, what).to.deep.equal(expected.shape);
    const [ours, theirs] = [actual.dataSync<'float32'>(), expected.dataSync<'float32'>()];
    const size = theirs.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
    expect(Math.max(...ours.map((value, i) => Math.abs(value - theirs[i]))) / size, what).to.be.at.most(1e-5);
  };

  it('gives the values and gradients of the same ops', () => {
    fc.assert(
      fc.property(sizes, fc.double({ min: 0.1, max: 2, noNaN: true }), (size, pitch) => {
        tf.tidy(() => {
          const inputs = inputsOf(size, pitch);
          const dy = tf.tensor(wave(size.batch * 2 * size.units, 0.9), [size.batch, 2 * size.units]);
          expectNear(lstmSummary(inputs), ofOps(inputs), 'summary');
          const expected = gradientsOf(ofOps, inputs, dy);
          for (const [i, gradient] of gradientsOf(lstmSummary, inputs, dy).entries()) expectNear(gradient, expected[i], `gradient ${i}`);
        });
      }),
      { numRuns: 20, seed: 49 },
    );
  });

  it('gives the same bits when run twice, also when another forward pass came between', () => {
    tf.tidy(() => {
      const size = { batch: 3, steps: 7, columns: 5, units: 6 };
      const inputs = inputsOf(size, 0.7);
      const dy = tf.ones([3, 12]);
      const once = gradientsOf(lstmSummary, inputs, dy);
      const between = (given: Inputs): tf.Tensor => {
        const value = lstmSummary(given);
        lstmSummary(inputsOf(size, 1.1));
        return value;
      };
      for (const [i, gradient] of gradientsOf(between, inputs, dy).entries())
        expect(gradient.dataSync(), `gradient ${i}`).to.deep.equal(once[i].dataSync());
    });
  });

  it('keeps NaN in its own row, and leaves no tensor behind', () => {
    const before = tf.memory().numTensors;
    tf.tidy(() => {
      const { x, ...weights } = inputsOf({ batch: 2, steps: 3, columns: 5, units: 6 }, 0.7);
      const values = x.dataSync().slice();
      values[0] = NaN;
      const y = lstmSummary({ x: tf.tensor(values, x.shape), ...weights }).dataSync();
      expect([...y.slice(0, 12)].every(Number.isNaN), 'the row with it').to.equal(true);
      expect([...y.slice(12)].every(Number.isFinite), 'the other row').to.equal(true);
    });
    expect(tf.memory().numTensors).to.equal(before);
  });

  it('has no gradient of its sequence', () => {
    tf.tidy(() => {
      const { x, ...weights } = inputsOf({ batch: 1, steps: 2, columns: 1, units: 2 }, 0.7);
      expect(() => tf.grad((given) => lstmSummary({ x: given, ...weights }))(x)).to.throw('lstmSummary has no gradient of x');
    });
  });
});
