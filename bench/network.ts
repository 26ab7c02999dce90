import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import type * as tfcore from '@tensorflow/tfjs-core';
import { tensorflowEnvironment } from '../src/core/config/settings.ts';
import { packageRoot } from '../src/core/packageRoot.ts';
import { warmUp } from '../src/engine/inference/warmUp.ts';
import { loadModelFolder } from '../src/engine/model/loadModelFolder.ts';
import type { ModelFolder } from '../src/engine/model/modelFiles.ts';
import { Network, ReadoutChoice } from '../src/engine/model/Network.ts';
import { fusedLSTM } from '../src/engine/runtime/lstm/fusedLSTM.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import type { Runtime } from '../src/engine/runtime/Runtime.ts';
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
  about: 'The whole network of the shipped base, from arrays to logits, compared with only its LSTM, on every backend that works here.',
  async run() {
    const model = shippedModel();
    const rows: BenchRow[] = [];
    for (const name of benchedBackends()) {
      const runtime = await openRuntime(name, { environment: tensorflowEnvironment() });
      rows.push(...(await rowsOf(runtime, model)));
    }
    return rows;
  },
};
