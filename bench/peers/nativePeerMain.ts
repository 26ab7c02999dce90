import type * as tfcore from '@tensorflow/tfjs-core';
import { tensorflowEnvironment } from '../../src/core/config/settings.ts';
import { openRuntime } from '../../src/engine/runtime/openRuntime.ts';
import { fusedSides, type Pass } from '../lstmSides.ts';
import type { LstmWeights } from './onnxLstm.ts';

/** Messages of openNativePeer. */
export type NativeQuestion =
  | { readonly weights: LstmWeights; readonly x: Float32Array; readonly shape: readonly [number, number, number] }
  | { readonly pass: Pass; readonly calls: number };

/** FusedLSTM on the processor in a separate process, next to a process whose TensorFlow uses a GPU or WebAssembly. */
const { tf, description } = await openRuntime('native', { environment: tensorflowEnvironment(), probe: async () => undefined });
let held: tfcore.Tensor[] = [];
let sides: Record<Pass, () => unknown> | undefined;

process.on('message', (question: NativeQuestion) => {
  if ('calls' in question) {
    const startMs = performance.now();
    for (let call = 0; call < question.calls; call++) sides![question.pass]();
    process.send!((performance.now() - startMs) * 1000);
    return;
  }
  tf.dispose(held);
  const { weights, shape } = question;
  const { columns: F, units: H } = weights;
  const x = tf.tensor3d(question.x, [...shape]);
  const made = [
    tf.variable(tf.tensor2d(weights.kernel, [F, 4 * H])),
    tf.variable(tf.tensor2d(weights.recurrentKernel, [H, 4 * H])),
    tf.variable(tf.tensor1d(weights.bias)),
  ] as const;
  held = [x, ...made];
  const { forward, step, last } = fusedSides(tf, x, made);
  sides = { forward, step };
  process.send!(last());
});
process.send!(description);
