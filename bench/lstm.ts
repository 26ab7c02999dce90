import type * as tfcore from '@tensorflow/tfjs-core';
import * as layers from '@tensorflow/tfjs-layers';
import { tensorflowEnvironment } from '../src/core/config/settings.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import type { BackendName } from '../src/engine/runtime/Runtime.ts';
import { benchedBackends } from './backends.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { fusedSides, lstmSides, type LstmSize, type Pass, valuesOf } from './lstmSides.ts';
import { measure } from './measure.ts';
import type { LstmPeer } from './peers/LstmPeer.ts';
import { openKerasPeer } from './peers/openKerasPeer.ts';
import { openNativePeer } from './peers/openNativePeer.ts';
import { openOnnxPeer } from './peers/openOnnxPeer.ts';

type Plan = {
  readonly pass: Pass;
  readonly size: LstmSize;
  readonly targets?: Partial<Record<BackendName, string>>;
  /** For a GPU: the stock layer runs one op at a time and is skipped, so that the bench ends within minutes. */
  readonly isLarge?: boolean;
  /** The stock layer would take minutes per call. */
  readonly isSlowOnWasm?: boolean;
};

const forward = (batch: number, more: Omit<Plan, 'pass' | 'size'> = {}): Plan[] => [
  { pass: 'forward', size: [batch, 96, 12, 48], isLarge: more.isLarge === true },
  { pass: 'forward', size: [batch, 500, 8, 64], ...more },
];
const PLANS: readonly Plan[] = [
  ...forward(1, { targets: { native: '>= 50x', wasm: '>= 40x' } }),
  ...forward(8, { targets: { native: '>= 30x' } }),
  ...forward(32, { targets: { native: '>= 15x' } }),
  ...forward(64),
  ...forward(256, { isLarge: true }),
  ...forward(1024, { isLarge: true }),
  { pass: 'step', size: [64, 96, 12, 48], targets: { native: '>= 15x' } },
  { pass: 'step', size: [64, 500, 8, 64], targets: { native: '>= 15x' }, isSlowOnWasm: true },
];
/** The stock layer is slow: few rounds are enough, and keep the run within minutes. */
const FEW = { rounds: 5, roundMs: 5 };

function openSides(tf: typeof tfcore, size: LstmSize) {
  const [batch, steps, columns, units] = size;
  const layer = layers.layers.lstm({ units, recurrentActivation: 'sigmoid', recurrentInitializer: 'glorotUniform' });
  const x = tf.randomUniform([batch, steps, columns], -1, 1, 'float32', 1) as tfcore.Tensor3D;
  (layer.apply(x) as tfcore.Tensor).dispose();
  const weights = layer.trainableWeights.map((weight) => weight.read()) as [tfcore.Variable, tfcore.Variable, tfcore.Variable];
  return {
    ours: fusedSides(tf, x, weights),
    stock: lstmSides(tf, weights, () => layer.apply(x) as tfcore.Tensor),
    x: x.dataSync<'float32'>(),
    weights: valuesOf(weights, size),
    close() {
      layer.dispose();
      x.dispose();
    },
  };
}

async function rowsOf(tf: typeof tfcore, backend: BackendName, plan: Plan, peers: readonly LstmPeer[]): Promise<BenchRow[]> {
  const { pass, size, targets, isLarge } = plan;
  const [batch, steps, columns, units] = size;
  const sides = openSides(tf, size);
  try {
    const stock = isLarge === true ? [] : [{ name: 'tf.layers.lstm', side: sides.stock[pass] }];
    for (const { name, load } of peers) compare(name, await load(sides.weights, sides.x, [batch, steps, columns]), sides.ours.last());
    const others = peers.flatMap(({ name, side, stepSide }) => {
      const chosen = pass === 'forward' ? side : stepSide;
      return chosen === undefined ? [] : [{ name, side: chosen }];
    });
    const all = [...stock, ...others];
    const [ours, ...theirs] = (await measure([sides.ours[pass], ...all.map(({ side }) => side)], FEW)) as [number, ...number[]];
    const target = targets?.[backend];
    return theirs.map((peerValue, index) => ({
      what: `${backend} ${pass === 'step' ? 'forward + gradients' : 'forward'}, T=${steps} F=${columns} H=${units} B=${batch}`,
      value: ours,
      unit: 'us',
      peer: all[index]!.name,
      peerValue,
      ratio: peerValue / ours,
      ...(target === undefined || index > 0 ? {} : { target }),
    }));
  } finally {
    sides.close();
  }
}

/** A time is only comparable for equal results. */
function compare(name: string, theirs: Float32Array, ours: Float32Array): void {
  if (theirs.length !== ours.length) throw new Error(`${name} gives ${theirs.length} values, expected ${ours.length}`);
  const at = theirs.findIndex((value, index) => !(Math.abs(value - ours[index]!) <= 1e-5 * Math.max(1, Math.abs(value))));
  if (at >= 0) throw new Error(`${name} gives ${theirs[at]} at ${at}, ours is ${ours[at]}`);
}

async function openPeers(backend: BackendName): Promise<LstmPeer[]> {
  const peers: LstmPeer[] = [];
  const opened = [openOnnxPeer(), await openKerasPeer(), ...(backend === 'native' ? [] : [await openNativePeer()])];
  for (const peer of opened)
    if ('missing' in peer) process.stderr.write(`${peer.missing}\n`);
    else peers.push(peer);
  return peers;
}

export const bench: Bench = {
  name: 'lstm',
  about:
    'FusedLSTM compared with stock tf.layers.lstm of the same backend and weights: forward, and forward with the gradients of the weights. Also compared with ONNX Runtime and Keras (predict_on_batch), one thread each, if they are installed, and other backends with our native CPU.',
  async run(only = '') {
    const rows: BenchRow[] = [];
    // The kernels of each backend, without the selection that a service makes at its start.
    for (const backend of benchedBackends()) {
      const peers = await openPeers(backend);
      try {
        const { tf } = await openRuntime(backend, { environment: tensorflowEnvironment() });
        for (const plan of PLANS) {
          if (plan.isLarge === true && (backend !== 'tensorflow-cuda' || peers.length === 0)) continue;
          if (plan.isSlowOnWasm === true && backend === 'wasm') continue;
          const name = `${backend} ${plan.pass} ${plan.size.join(' x ')}`;
          if (!name.includes(only)) continue;
          // A run takes minutes, so the progress is printed.
          process.stderr.write(`${name}\n`);
          rows.push(...(await rowsOf(tf, backend, plan, peers)));
        }
      } finally {
        for (const peer of peers) peer.close();
      }
    }
    return rows;
  },
};
