import type * as tfcore from '@tensorflow/tfjs-core';
import * as layers from '@tensorflow/tfjs-layers';
import { fusedLSTM } from '../src/runtime/fusedLSTM.ts';
import { openRuntime } from '../src/runtime/openRuntime.ts';
import { type Bench, type BenchRow } from './Bench.ts';
import { measure } from './measure.ts';

type Case = { readonly size: readonly [batch: number, steps: number, columns: number, units: number]; readonly target?: string };

const FORWARD: readonly Case[] = [
  { size: [1, 96, 12, 48], target: '<= 350 us' },
  { size: [8, 96, 12, 48] },
  { size: [32, 96, 12, 48] },
  { size: [64, 96, 12, 48] },
  { size: [1, 500, 8, 64], target: '<= 4000 us' },
  { size: [8, 500, 8, 64] },
  { size: [32, 500, 8, 64] },
  { size: [64, 500, 8, 64] },
];
const TRAINING: Case = { size: [64, 96, 10, 48], target: '<= 120000 us' };
/** The stock layer is slow and goes op by op: three rounds tell enough, and keep the whole run near a minute. */
const FEW = { rounds: 3, roundMs: 20 };

function sidesOf(tf: typeof tfcore, [batch, steps, columns, units]: Case['size']) {
  const layer = layers.layers.lstm({ units, recurrentActivation: 'sigmoid', recurrentInitializer: 'glorotUniform' });
  const x = tf.randomUniform([batch, steps, columns], -1, 1, 'float32', 1) as tfcore.Tensor3D;
  (layer.apply(x) as tfcore.Tensor).dispose();
  const [kernel, recurrentKernel, bias] = layer.trainableWeights.map((weight) => weight.read() as tfcore.Variable);
  const fused = () => fusedLSTM(x, kernel!, recurrentKernel!, bias!, false);
  const stock = () => layer.apply(x) as tfcore.Tensor;
  const forward = (run: () => tfcore.Tensor) => () => tf.tidy(() => run().dataSync()[0]);
  const step = (run: () => tfcore.Tensor) => () =>
    tf.tidy(() => {
      const { grads } = tf.variableGrads(() => tf.sum(run()) as tfcore.Scalar, [kernel!, recurrentKernel!, bias!]);
      return Object.values(grads).map((gradient) => gradient.dataSync()[0]);
    });
  const close = () => {
    layer.dispose();
    x.dispose();
  };
  return { forward: [forward(fused), forward(stock)], step: [step(fused), step(stock)], close };
}

async function row(tf: typeof tfcore, pass: 'forward' | 'step', { size, target }: Case): Promise<BenchRow> {
  const sides = sidesOf(tf, size);
  try {
    const [ours, stock] = (await measure(sides[pass], FEW)) as [number, number];
    const [batch, steps, columns, units] = size;
    return {
      what: `${tf.getBackend()} ${pass === 'step' ? 'forward + gradients' : 'forward'}, T=${steps} F=${columns} H=${units} B=${batch}`,
      value: ours,
      unit: 'us',
      peer: 'tf.layers.lstm',
      peerValue: stock,
      ratio: stock / ours,
      ...(target === undefined ? {} : { target }),
    };
  } finally {
    sides.close();
  }
}

export const bench: Bench = {
  name: 'lstm',
  about: 'FusedLSTM against stock tf.layers.lstm with the same weights: forward, and forward with the gradients of the weights.',
  async run() {
    const rows: BenchRow[] = [];
    const wasm = await openRuntime('wasm');
    for (const one of FORWARD) rows.push(await row(wasm.tf, 'forward', one));
    rows.push(await row(wasm.tf, 'step', TRAINING));
    const cpu = await openRuntime('cpu');
    for (const one of [FORWARD[0]!, FORWARD[4]!]) rows.push(await row(cpu.tf, 'forward', { size: one.size }));
    return rows;
  },
};
