import { checkSchema } from '../../core/checkSchema.ts';
import { quoteValue } from '../../core/ServiceError.ts';
import type { ModelManifest } from './ModelManifest.ts';
import { BUCKET_NAMES } from '../features/horizonBuckets.ts';
import { type NetworkSpec, isConnected, sizeOf, WEIGHT_NAMES, weightShapes, type WeightArrays, type WeightName } from './NetworkWeights.ts';
import type { Refuse } from './modelFiles.ts';

type WeightEntry = { readonly name: string; readonly shape: readonly number[]; readonly dtype: string };
type Topology = { readonly weightsManifest: readonly { readonly weights: readonly WeightEntry[] }[] };

/** The part of `model.json` that is read here; the rest is for other programs. */
const WEIGHTS_MANIFEST_SCHEMA = {
  type: 'object',
  required: ['weightsManifest'],
  properties: {
    weightsManifest: {
      type: 'array',
      minItems: 1,
      maxItems: 4,
      items: {
        type: 'object',
        required: ['weights'],
        properties: {
          weights: {
            type: 'array',
            maxItems: 64,
            items: {
              type: 'object',
              required: ['name', 'shape', 'dtype'],
              properties: {
                name: { type: 'string', maxLength: 256 },
                shape: { type: 'array', maxItems: 4, items: { type: 'integer', minimum: 0 } },
                dtype: { type: 'string', maxLength: 64 },
              },
            },
          },
        },
      },
    },
  },
} as const;

/**
 * Reads the weights from the files of a LayersModel by name. Each must be finite and have the shape of the manifest's network; shapes are
 * checked before memory is allocated.
 */
export function readWeights(manifest: ModelManifest, topology: unknown, bytes: Uint8Array<ArrayBuffer>, refuse: Refuse): WeightArrays {
  const broken = checkSchema(WEIGHTS_MANIFEST_SCHEMA, topology);
  if (broken !== null) return refuse(`model.json${broken.path} ${broken.message}.`);
  const shapes = weightShapes(manifest.network);
  const arrays: Partial<Record<WeightName, Float32Array>> = {};
  let offset = 0;
  for (const entry of (topology as Topology).weightsManifest.flatMap((group) => group.weights)) {
    const name = WEIGHT_NAMES.find((known) => known === entry.name);
    if (name === undefined) return refuse(`model.json names an unknown weight ${quoteValue(entry.name)}.`);
    if (arrays[name] !== undefined) return refuse(`model.json names the weight ${name} twice.`);
    if (entry.dtype !== 'float32' || String(entry.shape) !== String(shapes[name]))
      return refuse(`weight ${name} is ${quoteValue(entry.dtype)} [${quoteValue(entry.shape)}], not float32 [${shapes[name].join()}].`);
    const size = sizeOf(shapes[name]);
    if (offset + 4 * size > bytes.length) return refuse(`weights.bin ends inside ${name}.`);
    const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset + offset, bytes.byteOffset + offset + 4 * size));
    if (!values.every(Number.isFinite)) return refuse(`weight ${name} contains a value that is not finite.`);
    if (connectsHeads(manifest.network, name, values)) return refuse(`weight ${name} connects a head to the adapter of another head.`);
    arrays[name] = values;
    offset += 4 * size;
  }
  const missing = WEIGHT_NAMES.find((name) => arrays[name] === undefined);
  if (missing !== undefined) return refuse(`model.json does not contain the weight ${missing}.`);
  if (offset !== bytes.length) return refuse(`weights.bin has ${bytes.length - offset} bytes too many.`);
  const weights = arrays as WeightArrays;
  const untrue = manifest.heads.findIndex(({ residual }, head) => residual === 'zero' && !isResidualZero(manifest.network, head, weights));
  if (untrue >= 0) return refuse(`head ${BUCKET_NAMES[untrue] ?? untrue} declares a zero residual, but its weights are not 0.`);
  return weights;
}

/** Whether a head is connected to another head's adapter; serving reads only the connected entries of an output kernel. */
function connectsHeads(network: NetworkSpec, name: WeightName, values: Float32Array): boolean {
  if (name !== 'opportunity/kernel' && name !== 'direction/kernel') return false;
  return values.some((value, at) => value !== 0 && !isConnected(network, Math.floor(at / network.heads), at % network.heads));
}

/** Whether the head's column of the opportunity kernel [D + K r, K] and its bias are 0. */
function isResidualZero({ heads: K }: NetworkSpec, head: number, weights: WeightArrays): boolean {
  return weights['opportunity/bias'][head] === 0 && weights['opportunity/kernel'].every((value, at) => at % K !== head || value === 0);
}
