import { seededRandom } from '../../src/core/Random.ts';
import { CONTEXT_COLUMN_NAMES, CONTEXT_COLUMNS, SEQUENCE_COLUMN_NAMES } from '../../src/engine/features/columns.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../../src/engine/features/WindowMeasures.ts';
import type { Golden } from '../../src/engine/model/modelFiles.ts';
import type { ModelManifest } from '../../src/engine/model/ModelManifest.ts';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import {
  type NetworkSpec,
  isConnected,
  sizeOf,
  WEIGHT_NAMES,
  weightShapes,
  type WeightArrays,
} from '../../src/engine/model/NetworkWeights.ts';
import { Network } from '../../src/engine/model/Network.ts';

/** A network with the real input shape, small enough to run in a millisecond on any backend. */
export const SMALL_SPEC: NetworkSpec = {
  steps: SEQUENCE_STEPS,
  sequenceColumns: SEQUENCE_COLUMNS,
  contextColumns: CONTEXT_COLUMNS,
  units: 6,
  dense: 5,
  adapterRank: 2,
  heads: BUCKET_NAMES.length,
};

export function randomWeights(spec: NetworkSpec, seed: number): WeightArrays {
  const random = seededRandom(seed);
  const shapes = weightShapes(spec);
  const entries = WEIGHT_NAMES.map((name) => {
    const values = Float32Array.from({ length: sizeOf(shapes[name]) }, () => 0.4 * random.normal());
    if (name === 'opportunity/kernel' || name === 'direction/kernel')
      values.forEach((_, at) => {
        if (!isConnected(spec, Math.floor(at / spec.heads), at % spec.heads)) values[at] = 0;
      });
    return [name, values] as const;
  });
  return Object.fromEntries(entries) as WeightArrays;
}

/** Random rows with the input shape of the network. */
export function randomBatch(spec: NetworkSpec, size: number, seed: number) {
  const random = seededRandom(seed);
  const normals = (length: number): Float32Array => Float32Array.from({ length }, () => random.normal());
  return {
    size,
    sequence: normals(size * spec.steps * spec.sequenceColumns),
    context: normals(size * spec.contextColumns),
    baseline: normals(size),
    heads: Uint8Array.from({ length: size }, (_, i) => i % spec.heads),
  };
}

/** Golden rows of random inputs; a runtime must be open. */
export function goldenOf(spec: NetworkSpec, weights: WeightArrays): Golden {
  const network = new Network(spec, weights);
  const rows = Array.from({ length: 4 }, (_, i) => {
    const batch = randomBatch(spec, 1, 50 + i);
    const [output] = network.run({ ...batch, heads: [i] });
    return { sequence: [...batch.sequence], context: [...batch.context], baseline: batch.baseline[0] ?? 0, ...output! };
  });
  network.dispose();
  return { rows };
}

export function smallManifest(id: string, over: Partial<ModelManifest> = {}): Omit<ModelManifest, 'files'> {
  return {
    format: 'tickmark-model/4',
    id,
    createdAt: '2026-01-01T00:00:00.000Z',
    network: SMALL_SPEC,
    sequenceColumns: SEQUENCE_COLUMN_NAMES,
    contextColumns: CONTEXT_COLUMN_NAMES,
    heads: BUCKET_NAMES.map((name) => ({
      name,
      calibration: { slope: 1, intercept: 0 },
      cut: 0.5,
      directionPassed: false,
      residual: 'trained' as const,
    })),
    trained: { horizonS: [5, 2700], horizonToWindow: [0, 20], medianGapS: [0.001, 120], logThetaRatio: [-0.9, 0.9] },
    synthetic: false,
    gate: { verdict: 'passed', against: null, summary: 'It passed.' },
    lineage: { kind: 'base', parent: null, code: 'test', seed: 1, data: [] },
    ...over,
  };
}
