import { expect } from 'chai';
import type * as tfcore from '@tensorflow/tfjs-core';
import * as layers from '@tensorflow/tfjs-layers';
import fc from 'fast-check';
import { tensorflowEnvironment } from '../../src/core/config/settings.ts';
import { fusedLSTM } from '../../src/engine/runtime/lstm/fusedLSTM.ts';
import { openRuntime } from '../../src/engine/runtime/openRuntime.ts';
import type { BackendName } from '../../src/engine/runtime/Runtime.ts';

type Size = readonly [batch: number, steps: number, columns: number, units: number, returnSequences: boolean];

/** Covers B (1, 3, 8), T (1, 7, 33), F (1, 5, 12), H (1, 4, 6, 16, 48) with both flags. Few are long, because the stock layer is slow. */
const SIZES: readonly Size[] = [
  [1, 1, 1, 1, false],
  [3, 7, 5, 1, true],
  [8, 33, 12, 1, false],
  [3, 7, 1, 4, true],
  [8, 1, 5, 4, false],
  [1, 7, 12, 4, true],
  [8, 7, 1, 6, true],
  [1, 7, 5, 6, false],
  [3, 1, 12, 6, true],
  [1, 7, 5, 16, false],
  [3, 7, 12, 16, false],
  [8, 1, 1, 16, true],
  [8, 7, 12, 48, false],
  [1, 1, 5, 48, true],
  [3, 33, 1, 48, true],
];

/** Uniform in (-scale, scale), equal in every run. */
function numbers(count: number, seed: number, scale: number): Float32Array {
  let state = seed >>> 0;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 31 - 1) * scale;
  });
}

function expectNear(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number, what: string): void {
  expect(actual.length, what).to.equal(expected.length);
  let worst = 0;
  for (let index = 0; index < expected.length; index++) {
    const error = Math.abs(actual[index] - expected[index]) / Math.max(1, Math.abs(expected[index]));
    worst = error <= worst ? worst : error;
  }
  expect(worst, what).to.be.at.most(tolerance);
}

function expectSameBits(actual: ArrayLike<number>, expected: ArrayLike<number>, what = 'values'): void {
  const bytes = (values: ArrayLike<number>): Buffer => Buffer.from(Float32Array.from(values).buffer);
  expect(bytes(actual).equals(bytes(expected)), what).to.equal(true);
}

/** Contract for the FusedLSTM of every backend. */
export function fusedLstmContract(backend: BackendName): void {
  describe(`FusedLSTM on ${backend}`, () => {
    let tf: typeof tfcore;
    before(async () => {
      tf = (await openRuntime(backend, { environment: tensorflowEnvironment() })).tf;
    });

    const inputsOf = ([batch, steps, columns, units]: Size, scale = 1): [tfcore.Tensor, tfcore.Tensor, tfcore.Tensor, tfcore.Tensor] => [
      tf.tensor(numbers(batch * steps * columns, 1, 2 * scale), [batch, steps, columns]),
      tf.tensor(numbers(columns * 4 * units, 2, scale), [columns, 4 * units]),
      tf.tensor(numbers(units * 4 * units, 3, scale / Math.sqrt(units)), [units, 4 * units]),
      tf.tensor(numbers(4 * units, 4, scale), [4 * units]),
    ];
    const dyOf = ([batch, steps, , units, returnSequences]: Size): tfcore.Tensor =>
      tf.tensor(numbers(batch * (returnSequences ? steps : 1) * units, 5, 1), returnSequences ? [batch, steps, units] : [batch, units]);
    const run = (inputs: tfcore.Tensor[], returnSequences: boolean): tfcore.Tensor =>
      fusedLSTM(inputs[0], inputs[1], inputs[2], inputs[3], returnSequences);
    const gradientsOf = (inputs: tfcore.Tensor[], size: Size): tfcore.Tensor[] =>
      tf.grads((...given: tfcore.Tensor[]) => run(given, size[4]))(inputs, dyOf(size));

    /** Stock layer with the same weights. Not the orthogonal initializer, which needs chained ops that are not loaded. */
    const stockOf = (inputs: tfcore.Tensor[], size: Size) => {
      const layer = layers.layers.lstm({
        units: size[3],
        recurrentActivation: 'sigmoid',
        returnSequences: size[4],
        recurrentInitializer: 'glorotUniform',
        inputShape: [size[1], size[2]],
      });
      // The first call builds the layer; after a separate call of build, it would be built twice.
      layer.apply(inputs[0]);
      layer.setWeights(inputs.slice(1));
      return layer;
    };

    /** The first step from a zero state, in stock ops. The recurrent kernel multiplies zeros. */
    const oneStep = (x: tfcore.Tensor, kernel: tfcore.Tensor, recurrent: tfcore.Tensor, bias: tfcore.Tensor): tfcore.Tensor => {
      const [batch, , columns] = x.shape as [number, number, number];
      const units = recurrent.shape[0];
      const before = tf.matMul(tf.zeros([batch, units]), recurrent);
      const gates = tf.add(tf.add(tf.matMul(tf.reshape(x, [batch, columns]), kernel), before), bias);
      const gate = (index: number): tfcore.Tensor => tf.slice(gates, [0, index * units], [batch, units]);
      const c = tf.mul(tf.sigmoid(gate(0)), tf.tanh(gate(2)));
      return tf.mul(tf.sigmoid(gate(3)), tf.tanh(c));
    };

    for (const size of SIZES) {
      it(`equals tf.layers.lstm and its gradients at B, T, F, H, sequences = ${size.join(', ')}`, () => {
        tf.tidy(() => {
          const inputs = inputsOf(size);
          const layer = stockOf(inputs, size);
          const stock = layer.apply(inputs[0]) as tfcore.Tensor;
          const fused = run(inputs, size[4]);
          expect(fused.shape).to.deep.equal(stock.shape);
          expectNear(fused.dataSync(), stock.dataSync(), 1e-5, 'output');

          const dy = dyOf(size);
          const actual = gradientsOf(inputs, size);
          const expectGradients = (expected: readonly tfcore.Tensor[]): void =>
            ['x', 'kernel', 'recurrentKernel', 'bias'].forEach((name, index) => {
              expectNear(actual[index].dataSync(), expected[index].dataSync(), 1e-4, `gradient of ${name}`);
            });
          if (size[1] === 1) {
            // TF.js 4.22 cannot differentiate its layer over one step (the gradient of unstack treats its only part as a list).
            expectGradients(tf.grads(oneStep)(inputs, tf.reshape(dy, [size[0], size[3]])));
            layer.dispose();
            return;
          }
          // One pass for all four, because the stock layer runs op by op and takes most of the time of this file.
          const variables = [tf.variable(inputs[0]), ...layer.trainableWeights.map((weight) => weight.read() as tfcore.Variable)];
          const loss = (): tfcore.Scalar => tf.sum(tf.mul(layer.apply(variables[0]) as tfcore.Tensor, dy));
          const byName = tf.variableGrads(loss, variables).grads;
          expectGradients(variables.map((variable) => byName[variable.name]));
          variables[0].dispose();
          layer.dispose();
        });
      });
    }

    it('has the gradients of finite differences', () => {
      const size: Size = [2, 4, 3, 5, true];
      tf.tidy(() => {
        const inputs = inputsOf(size);
        const loss = (given: tfcore.Tensor[]): number => {
          const y = run(given, true).dataSync();
          const dy = Float32Array.from(dyOf(size).dataSync());
          return dy.reduce((sum, weight, index) => sum + weight * y[index], 0);
        };
        gradientsOf(inputs, size).forEach((gradient, which) => {
          const slopes = gradient.dataSync();
          for (const at of [0, 1, Math.floor(slopes.length / 2), slopes.length - 1]) {
            const step = 1e-2;
            const moved = [step, -step].map((by) => {
              const values = inputs[which].dataSync().slice();
              values[at] += by;
              return loss(inputs.map((input, index) => (index === which ? tf.tensor(values, input.shape) : input)));
            });
            expect(slopes[at], `input ${which}, index ${at}`).to.be.closeTo((moved[0] - moved[1]) / (2 * step), 1e-3);
          }
        });
      });
    });

    it('gives each row the same values as alone', () => {
      const size: Size = [8, 33, 5, 6, true];
      tf.tidy(() => {
        const [x, ...weights] = inputsOf(size);
        const together = run([x, ...weights], true);
        for (let row = 0; row < 8; row++) {
          const alone = run([tf.slice(x, [row, 0, 0], [1, 33, 5]), ...weights], true);
          expectNear(tf.slice(together, [row, 0, 0], [1, 33, 6]).dataSync(), alone.dataSync(), 1e-6, `row ${row}`);
        }
      });
    });

    it('computes more rows than one pass takes', () => {
      tf.tidy(() => {
        const [x, ...weights] = inputsOf([131, 2, 3, 5, false]);
        const y = run([x, ...weights], false).dataSync();
        const last = run([tf.slice(x, [130, 0, 0], [1, 2, 3]), ...weights], false).dataSync();
        expectNear(y.slice(-5), last, 1e-6, 'last row');
      });
    });

    it('gives equal bits when run twice', () => {
      const size: Size = [3, 7, 5, 6, true];
      tf.tidy(() => {
        const inputs = inputsOf(size);
        expectSameBits(run(inputs, true).dataSync(), run(inputs, true).dataSync());
        const [first, second] = [gradientsOf(inputs, size), gradientsOf(inputs, size)];
        first.forEach((gradient, index) => expectSameBits(gradient.dataSync(), second[index].dataSync(), `gradient ${index}`));
      });
    });

    it('keeps the gradients of two layers separate', () => {
      tf.tidy(() => {
        const lower: Size = [3, 7, 5, 6, true];
        const [x, ...first] = inputsOf(lower);
        const [, ...second] = inputsOf([3, 7, 6, 4, false]);
        const dy = dyOf([3, 7, 6, 4, false]);
        const between = run([x, ...first], true);
        const upper = tf.grads((...given: tfcore.Tensor[]) => run(given, false))([between, ...second], dy);
        const expected = tf.grads((...given: tfcore.Tensor[]) => run(given, true))([x, ...first], upper[0]);
        const actual = tf.grads((...given: tfcore.Tensor[]) => run([run(given.slice(0, 4), true), ...given.slice(4)], false))(
          [x, ...first, ...second],
          dy,
        );
        [...expected, ...upper.slice(1)].forEach((gradient, index) => {
          expectSameBits(actual[index].dataSync(), gradient.dataSync(), `gradient ${index}`);
        });
      });
    });

    it('uses weights that changed between two calls', () => {
      tf.tidy(() => {
        const inputs = inputsOf([1, 7, 5, 6, false]);
        const before = run(inputs, false).dataSync();
        const variable = tf.variable(inputs[2]);
        variable.assign(tf.mul(inputs[2], 2));
        const changed = run([inputs[0], inputs[1], variable, inputs[3]], false).dataSync();
        expect(changed).to.not.deep.equal(before);
        expectSameBits(run(inputs, false).dataSync(), before);
        variable.dispose();
      });
    });

    it('stays finite for very large inputs', () => {
      const size: Size = [3, 7, 5, 6, true];
      tf.tidy(() => {
        const inputs = inputsOf(size, 1e6);
        const values = [run(inputs, true), ...gradientsOf(inputs, size)].flatMap((tensor) => [...tensor.dataSync()]);
        expect(values.every(Number.isFinite)).to.equal(true);
      });
    });

    it('propagates NaN', () => {
      tf.tidy(() => {
        const [x, ...weights] = inputsOf([2, 3, 5, 6, false]);
        const values = x.dataSync().slice();
        values[0] = NaN;
        const y = run([tf.tensor(values, x.shape), ...weights], false).dataSync();
        expect([...y.slice(0, 6)].every(Number.isNaN), 'the row with it').to.equal(true);
        expect([...y.slice(6)].every(Number.isFinite), 'the other row').to.equal(true);
      });
    });

    it('leaves no tensor behind', () => {
      const size: Size = [3, 7, 5, 6, true];
      const start = tf.memory().numTensors;
      const inputs = inputsOf(size);
      run(inputs, true).dispose();
      gradientsOf(inputs, size).forEach((gradient) => gradient.dispose());
      tf.dispose(inputs);
      // dyOf creates one tensor per call, which gradientsOf does not own.
      expect(tf.memory().numTensors - start).to.equal(1);
    });

    it('keeps states between 0 and 1 for any size', () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 9 }),
          fc.integer({ min: 1, max: 9 }),
          fc.integer({ min: 1, max: 19 }),
          (batch, columns, units) => {
            tf.tidy(() => {
              const y = run(inputsOf([batch, 3, columns, units, false], 3), false).dataSync();
              expect(y.every((value) => Math.abs(value) < 1)).to.equal(true);
            });
          },
        ),
        { numRuns: 30, seed: 3 },
      );
    });

    it('refuses shapes that do not match, and names them', () => {
      tf.tidy(() => {
        const [x, kernel, recurrentKernel, bias] = inputsOf([2, 3, 5, 6, false]);
        expect(() => fusedLSTM(x, recurrentKernel, recurrentKernel, bias, false)).to.throw('kernel has shape [6,24], expected [5,24]');
        expect(() => fusedLSTM(x, kernel, recurrentKernel, tf.zeros([6]), false)).to.throw('bias has shape [6], expected [24]');
        expect(() => fusedLSTM(x, kernel, kernel, bias, false)).to.throw('recurrentKernel');
        expect(() => fusedLSTM(bias, kernel, recurrentKernel, bias, false)).to.throw('x has shape [24]');
        expect(() => fusedLSTM(tf.cast(x, 'int32'), kernel, recurrentKernel, bias, false)).to.throw('x is int32');
      });
    });
  });
}
