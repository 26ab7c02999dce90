import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import type * as tfcore from '@tensorflow/tfjs-core';
import { tensorflowEnvironment } from '../src/core/config/settings.ts';
import { packageRoot } from '../src/core/packageRoot.ts';
import { US_PER_SECOND } from '../src/core/units.ts';
import { FeatureBuilder } from '../src/engine/features/FeatureBuilder.ts';
import { warmUp } from '../src/engine/inference/warmUp.ts';
import { loadModelFolder } from '../src/engine/model/loadModelFolder.ts';
import type { ModelFolder } from '../src/engine/model/modelFiles.ts';
import { Network, ReadoutChoice } from '../src/engine/model/Network.ts';
import { fusedLSTM } from '../src/engine/runtime/lstm/fusedLSTM.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import type { Runtime } from '../src/engine/runtime/Runtime.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import { initialWeights } from '../training/loop/scaling.ts';
import { benchedBackends } from './backends.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { measure } from './measure.ts';

const BATCHES = [1, 8, 32, 64] as const;

function shippedModel(): ModelFolder {
  const folder = path.join(packageRoot(), 'models');
  const [name] = readdirSync(folder).filter((entry) => entry.startsWith('base-'));
  if (name === undefined) throw new Error(`no base model in ${folder}`);
  return loadModelFolder(path.join(folder, name));
}

/** Rows of one backend as in a service: after the warm-up has selected the implementation for each batch size. */
async function rowsOf({ backend, tf, tune }: Runtime, { manifest, weights }: ModelFolder): Promise<BenchRow[]> {
  const choice = new ReadoutChoice();
  const network = new Network(manifest.network, weights, choice);
  const warmed = warmUp(network, tune, choice);
  const rows: BenchRow[] = [];
  for (const size of BATCHES) {
    const [whole, alone] = (await measure([() => runNetwork(network, size), lstmAlone(tf, manifest.network, weights, size)])) as [
      number,
      number,
    ];
    const { lstm, readout } = warmed.findLast(({ batch }) => batch <= size)!;
    rows.push({
      what: `${backend} whole network B=${size} (${lstm === undefined ? '' : `LSTM ${lstm.chosen}, `}readout ${readout.chosen})`,
      value: whole,
      unit: 'us',
      peer: 'only its LSTM',
      peerValue: alone,
      ratio: alone / whole,
      target: size === 1 && backend === 'native' ? '<= 450 us, >= 0.50x' : '>= 0.50x',
    });
  }
  network.dispose();
  return rows;
}

/** The network of the first base, base-2026-11-21. */
const FIRST_BASE = { units: 48, dense: 48 };
const COST_BATCHES = [1, 64] as const;
const COST_TICKS = 500;

/** Features and network of one row, compared with the same features and the network of the first base. Weights do not change the time. */
async function costRows({ backend, tune }: Runtime, { manifest, weights }: ModelFolder): Promise<BenchRow[]> {
  const firstSpec = { ...manifest.network, ...FIRST_BASE };
  const networks = [
    { spec: manifest.network, weights },
    { spec: firstSpec, weights: initialWeights(firstSpec, [], 1) },
  ].map(({ spec, weights: of }) => {
    const choice = new ReadoutChoice();
    const network = new Network(spec, of, choice);
    warmUp(network, tune, choice);
    return network;
  });
  const series = syntheticTicks({ seed: 1, count: COST_TICKS });
  const futureUs = series.timesUs.at(-1)! + 60 * US_PER_SECOND;
  const builder = new FeatureBuilder();
  const sideOf = (network: Network, size: number) => {
    const { steps, sequenceColumns, contextColumns } = network.spec;
    const sequence = new Float32Array(size * steps * sequenceColumns);
    const context = new Float32Array(size * contextColumns);
    const [baseline, heads] = [new Float32Array(size), new Uint8Array(size)];
    return () => {
      for (let row = 0; row < size; row++) {
        const measures = builder.read(series, 0, COST_TICKS, futureUs);
        if (typeof measures === 'string') throw new Error(measures);
        builder.write(measures.thetaDefault, sequence, row * steps * sequenceColumns, context, row * contextColumns);
      }
      return network.run({ size, sequence, context, baseline, heads });
    };
  };
  const rows: BenchRow[] = [];
  for (const size of COST_BATCHES) {
    const [now = NaN, first = NaN] = await measure(networks.map((network) => sideOf(network, size)));
    rows.push({
      what: `${backend} features and network of a row, B=${size}`,
      value: now / size,
      unit: 'us',
      peer: 'the same with 48 units',
      peerValue: first / size,
      ratio: first / now,
      target: '>= 1.43x',
    });
  }
  for (const network of networks) network.dispose();
  return rows;
}

function runNetwork(network: Network, size: number): unknown {
  const { steps, sequenceColumns, contextColumns } = network.spec;
  return network.run({
    size,
    sequence: new Float32Array(size * steps * sequenceColumns),
    context: new Float32Array(size * contextColumns),
    baseline: new Float32Array(size),
    heads: new Uint8Array(size),
  });
}

/** The LSTM from an input array to an array of states. */
function lstmAlone(tf: typeof tfcore, spec: Network['spec'], weights: ModelFolder['weights'], size: number): () => unknown {
  const kernel = tf.tensor(weights['lstm/kernel'], [spec.sequenceColumns, 4 * spec.units]);
  const recurrentKernel = tf.tensor(weights['lstm/recurrent_kernel'], [spec.units, 4 * spec.units]);
  const bias = tf.tensor(weights['lstm/bias'], [4 * spec.units]);
  return () => {
    const x = tf.tensor3d(new Float32Array(size * spec.steps * spec.sequenceColumns), [size, spec.steps, spec.sequenceColumns]);
    const y = fusedLSTM(x, kernel, recurrentKernel, bias, true);
    const states = y.dataSync();
    tf.dispose([x, y]);
    return states;
  };
}

export const bench: Bench = {
  name: 'network',
  about:
    'The whole network of the shipped base, from arrays to logits, compared with only its LSTM, on every backend that works here; and features and network of a row, compared with the first base.',
  async run(only) {
    const model = shippedModel();
    const rows: BenchRow[] = [];
    for (const name of benchedBackends()) {
      const runtime = await openRuntime(name, { environment: tensorflowEnvironment() });
      if (only !== 'features') rows.push(...(await rowsOf(runtime, model)));
      rows.push(...(await costRows(runtime, model)));
    }
    return rows;
  },
};
