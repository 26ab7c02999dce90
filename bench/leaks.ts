import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as tf from '@tensorflow/tfjs-core';
import { readSettings, tensorflowEnvironment } from '../src/core/config/settings.ts';
import { seededRandom } from '../src/core/Random.ts';
import { Network } from '../src/engine/model/Network.ts';
import { sizeOf, WEIGHT_NAMES, weightShapes, type WeightArrays } from '../src/engine/model/NetworkWeights.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import type { Bench, BenchRow } from './Bench.ts';

const SPEC = { steps: 96, sequenceColumns: 10, contextColumns: 20, units: 48, dense: 48, adapterRank: 4, heads: 4 };
const LOADS = 200;
const FORWARDS = 50_000;
const MIB = 1024 * 1024;

function makeWeights(): WeightArrays {
  const random = seededRandom(1);
  const shapes = weightShapes(SPEC);
  const entries = WEIGHT_NAMES.map(
    (name) => [name, Float32Array.from({ length: sizeOf(shapes[name]) }, () => 0.1 * random.normal())] as const,
  );
  return Object.fromEntries(entries) as WeightArrays;
}

function runOnce(network: Network): void {
  const { steps, sequenceColumns, contextColumns } = SPEC;
  network.run({
    size: 1,
    sequence: new Float32Array(steps * sequenceColumns),
    context: new Float32Array(contextColumns),
    baseline: new Float32Array(1),
    heads: [0],
  });
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Measured after a collection: V8 keeps about 100 MB of garbage, which would look like a leak. */
function rssMiB(): number {
  collectGarbage();
  return process.memoryUsage().rss / MIB;
}

/** Runs `work` in ten parts and compares memory after the second part (warmed up) with memory after the last. */
function watch(what: string, backend: string, count: number, work: () => void): BenchRow[] {
  let warmRss = NaN;
  let warmTensors = NaN;
  for (let part = 1; part <= 10; part++) {
    for (let i = 0; i < count / 10; i++) work();
    if (part === 2) [warmRss, warmTensors] = [rssMiB(), tf.memory().numTensors];
  }
  const lastRss = rssMiB();
  return [
    {
      what: `${backend}: RSS after ${what}`,
      value: lastRss,
      unit: 'MiB',
      peer: 'after a fifth of them',
      peerValue: warmRss,
      ratio: warmRss / lastRss,
    },
    {
      what: `${backend}: live tensors after ${what}`,
      value: tf.memory().numTensors,
      unit: 'tensors',
      peer: 'after a fifth of them',
      peerValue: warmTensors,
    },
  ];
}

export const bench: Bench = {
  name: 'leaks',
  about: `Memory over ${LOADS} loads and unloads of a network and ${FORWARDS} forward passes, on the backend in RUNTIME_BACKEND, or the best one.`,
  async run() {
    const { backend } = await openRuntime(readSettings().runtimeBackend, { environment: tensorflowEnvironment() });
    const weights = makeWeights();
    const loads = watch(`${LOADS} loads`, backend, LOADS, () => {
      const network = new Network(SPEC, weights);
      runOnce(network);
      network.dispose();
    });
    const network = new Network(SPEC, weights);
    const forwards = watch(`${FORWARDS} forward passes`, backend, FORWARDS, () => runOnce(network));
    network.dispose();
    return [...loads, ...forwards];
  },
};
