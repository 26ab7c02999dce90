import type * as tfcore from '@tensorflow/tfjs-core';
import * as layers from '@tensorflow/tfjs-layers';
import { tensorflowEnvironment } from '../src/core/config/settings.ts';
import { fusedLSTM } from '../src/engine/runtime/lstm/fusedLSTM.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import type { BackendName } from '../src/engine/runtime/Runtime.ts';
import { benchedBackends } from './backends.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { measure } from './measure.ts';

type Pass = 'forward' | 'step';
type LstmSize = readonly [batch: number, steps: number, columns: number, units: number];
type Plan = {
  readonly pass: Pass;
  readonly size: LstmSize;
  readonly targets?: Partial<Record<BackendName, string>>;
  /** The stock layer would take minutes per call. */
  readonly isSlowOnWasm?: boolean;
};

const forward = (batch: number, targets: Plan['targets'] = {}): Plan[] => [
  { pass: 'forward', size: [batch, 96, 12, 48] },
  { pass: 'forward', size: [batch, 500, 8, 64], targets },
];
const PLANS: readonly Plan[] = [
  ...forward(1, { native: '>= 50x', wasm: '>= 40x' }),
  ...forward(8, { native: '>= 30x' }),
  ...forward(32, { native: '>= 15x' }),
  ...forward(64),
  { pass: 'step', size: [64, 96, 12, 48], targets: { native: '>= 15x' } },
  { pass: 'step', size: [64, 500, 8, 64], targets: { native: '>= 15x' }, isSlowOnWasm: true },
];
/** The stock layer is slow: few rounds are enough, and keep the run within minutes. */
const FEW = { rounds: 5, roundMs: 5 };

type Tf = typeof tfcore;
type Weights = [tfcore.Variable, tfcore.Variable, tfcore.Variable];

/** A forward pass of `run`, and one with the gradients of `weights`; each result is read into an array. */
function sidesOf(tf: Tf, weights: Weights, run: () => tfcore.Tensor): Record<Pass, () => unknown> {
  return {
    forward: () => tf.tidy(() => void run().dataSync()),
    step: () =>
      tf.tidy(() => {
        const { grads } = tf.variableGrads(() => tf.sum(run()) as tfcore.Scalar, weights);
        for (const gradient of Object.values(grads)) gradient.dataSync();
      }),
  };
}

/** A time is only comparable for equal results. */
function compare(tf: Tf, ours: () => tfcore.Tensor, theirs: () => tfcore.Tensor): void {
  tf.tidy(() => {
    const [a, b] = [ours().dataSync(), theirs().dataSync()];
    const at = b.findIndex((value, index) => !(Math.abs(value - a[index]) <= 1e-5 * Math.max(1, Math.abs(value))));
    if (at >= 0) throw new Error(`tf.layers.lstm gives ${b[at]} at ${at}, FusedLSTM ${a[at]}`);
  });
}

async function rowOf(tf: Tf, backend: BackendName, { pass, size, targets }: Plan): Promise<BenchRow> {
  const [batch, steps, columns, units] = size;
  const layer = layers.layers.lstm({ units, recurrentActivation: 'sigmoid', recurrentInitializer: 'glorotUniform' });
  const x = tf.randomUniform([batch, steps, columns], -1, 1, 'float32', 1) as tfcore.Tensor3D;
  const stock = () => layer.apply(x) as tfcore.Tensor;
  stock().dispose();
  const weights = layer.trainableWeights.map((weight) => weight.read()) as Weights;
  const fused = () => fusedLSTM(x, ...weights, false);
  compare(tf, fused, stock);
  const [value, peerValue] = (await measure([sidesOf(tf, weights, fused)[pass], sidesOf(tf, weights, stock)[pass]], FEW)) as [
    number,
    number,
  ];
  layer.dispose();
  x.dispose();
  const target = targets?.[backend];
  return {
    what: `${backend} ${pass === 'step' ? 'forward + gradients' : 'forward'}, T=${steps} F=${columns} H=${units} B=${batch}`,
    value,
    unit: 'us',
    peer: 'tf.layers.lstm',
    peerValue,
    ratio: peerValue / value,
    target,
  };
}

export const bench: Bench = {
  name: 'lstm',
  about:
    'FusedLSTM compared with stock tf.layers.lstm of the same backend and weights: forward, and forward with the gradients of the weights.',
  async run(only = '') {
    const rows: BenchRow[] = [];
    // The kernels of each backend, without the selection that a service makes at its start.
    for (const backend of benchedBackends()) {
      const { tf } = await openRuntime(backend, { environment: tensorflowEnvironment() });
      for (const plan of PLANS) {
        const name = `${backend} ${plan.pass} ${plan.size.join(' x ')}`;
        if ((plan.isSlowOnWasm === true && backend === 'wasm') || !name.includes(only)) continue;
        // A run takes minutes, so the progress is printed.
        process.stderr.write(`${name}\n`);
        rows.push(await rowOf(tf, backend, plan));
      }
    }
    return rows;
  },
};
