import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import type * as tfcore from '@tensorflow/tfjs-core';
import { readSettings, tensorflowEnvironment } from '../src/core/config/settings.ts';
import { packageRoot } from '../src/core/packageRoot.ts';
import { warmUp } from '../src/engine/inference/warmUp.ts';
import { loadModelFolder } from '../src/engine/model/loadModelFolder.ts';
import type { ModelFolder } from '../src/engine/model/modelFiles.ts';
import { Network, ReadoutChoice } from '../src/engine/model/Network.ts';
import { fusedLSTM } from '../src/engine/runtime/lstm/fusedLSTM.ts';
import { BACKENDS, openRuntime } from '../src/engine/runtime/openRuntime.ts';
import type { BackendName, Runtime } from '../src/engine/runtime/Runtime.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { measure } from './measure.ts';

const BATCHES = [1, 8, 32, 64] as const;

/**
 * The backends that a bench measures: the one in RUNTIME_BACKEND, else all that are set up here except plain JavaScript. A process can load
 * TensorFlow only once, with or without a GPU: on a machine with CUDA, use RUNTIME_BACKEND=native to measure the processor.
 */
function benchedBackends(): BackendName[] {
  const { runtimeBackend } = readSettings();
  if (runtimeBackend !== 'auto') return [runtimeBackend];
  const names = BACKENDS.filter(({ name, missing }) => name !== 'cpu' && missing() === undefined).map(({ name }) => name);
  return names.filter((name) => name !== 'native' || !names.includes('tensorflow-cuda'));
}

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
