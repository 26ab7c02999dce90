import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { Ajv } from 'ajv';
import { ServiceError, shown } from '../core/ServiceError.ts';
import { CONTEXT_COLUMN_NAMES, SEQUENCE_COLUMN_NAMES } from '../features/columns.ts';
import { SEQUENCE_STEPS } from '../features/WindowMeasures.ts';
import { MANIFEST_SCHEMA } from './manifestSchema.ts';
import { HASHED_FILES, MODEL_FILES, type Golden, type ModelFolder } from './modelFiles.ts';
import type { ModelManifest } from './ModelManifest.ts';
import { BUCKET_NAMES, type NetworkSpec } from './NetworkSpec.ts';
import { isConnected, sizeOf, WEIGHT_NAMES, weightShapes, type WeightArrays, type WeightName } from './NetworkWeights.ts';

/** No file of a version is near this; a larger one is refused before it is read. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

/**
 * Reads and checks one version's folder: manifest against its schema, every file against its hash, weights against the shapes
 * that the manifest's network has, input columns against the program's. Throws ServiceError `model.refused`.
 */
export function loadModelFolder(folder: string): ModelFolder {
  const refuse = (why: string, cause?: unknown): never => {
    throw new ServiceError('model.refused', `Model folder ${folder}: ${why}`, { cause });
  };
  const read = (name: string): Buffer => {
    try {
      const file = path.join(folder, name);
      const stat = lstatSync(file);
      if (!stat.isFile()) return refuse(`${name} is not a plain file.`);
      if (stat.size > MAX_FILE_BYTES) return refuse(`${name} has ${stat.size} bytes, more than ${MAX_FILE_BYTES}.`);
      return readFileSync(file);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      return refuse(`${name} cannot be read.`, error);
    }
  };
  const parse = (name: string, bytes: Buffer): unknown => {
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch (error) {
      return refuse(`${name} is not valid JSON.`, error);
    }
  };

  const manifest = parse(MODEL_FILES.manifest, read(MODEL_FILES.manifest));
  const fault = manifestFault(manifest);
  if (fault !== null) return refuse(fault);
  const checked = manifest as ModelManifest;
  const bytes = new Map<string, Buffer>();
  for (const name of HASHED_FILES) {
    const content = read(name);
    const hash = createHash('sha256').update(content).digest('hex');
    if (checked.files[name] !== hash) return refuse(`${name} has SHA-256 ${hash}, the manifest says ${checked.files[name] ?? 'nothing'}.`);
    bytes.set(name, content);
  }
  const content = (name: string): Buffer => bytes.get(name) ?? refuse(`${name} is missing.`);
  const topology = parse(MODEL_FILES.topology, content(MODEL_FILES.topology));
  return {
    manifest: checked,
    weights: readWeights(checked, topology, content(MODEL_FILES.weights), refuse),
    golden: parse(MODEL_FILES.golden, content(MODEL_FILES.golden)) as Golden,
    card: content(MODEL_FILES.card).toString('utf8'),
  };
}

function manifestFault(manifest: unknown): string | null {
  const validate = new Ajv({ allErrors: false, allowUnionTypes: true }).compile(MANIFEST_SCHEMA);
  if (!validate(manifest)) {
    const error = validate.errors?.[0];
    return `manifest.json${error?.instancePath ?? ''} ${error?.message ?? 'is wrong'}.`;
  }
  const checked = manifest as unknown as ModelManifest;
  const sameNames = (left: readonly string[], right: readonly string[]): boolean => left.join() === right.join();
  const { network, heads } = checked;
  if (!sameNames(checked.sequenceColumns, SEQUENCE_COLUMN_NAMES) || network.sequenceColumns !== SEQUENCE_COLUMN_NAMES.length)
    return 'its sequence columns are not those of this program: train it again.';
  if (!sameNames(checked.contextColumns, CONTEXT_COLUMN_NAMES) || network.contextColumns !== CONTEXT_COLUMN_NAMES.length)
    return 'its context columns are not those of this program: train it again.';
  if (network.steps !== SEQUENCE_STEPS) return `it has ${network.steps} steps, this program makes ${SEQUENCE_STEPS}.`;
  if (network.heads !== BUCKET_NAMES.length || heads.length !== network.heads)
    return `it has ${heads.length} heads, not ${BUCKET_NAMES.length}.`;
  const uneven = heads.find((head) => head.bands.upper.length !== head.bands.decision.length);
  return uneven === undefined
    ? null
    : `head ${uneven.name} has ${uneven.bands.upper.length} bands and ${uneven.bands.decision.length} decisions.`;
}

/** Heads are apart: serving reads only the connected entries of an output kernel. */
function seesAnotherHead(network: NetworkSpec, name: WeightName, values: Float32Array): boolean {
  if (name !== 'opportunity/kernel' && name !== 'direction/kernel') return false;
  return values.some((value, at) => value !== 0 && !isConnected(network, Math.floor(at / network.heads), at % network.heads));
}

type WeightEntry = { readonly name: string; readonly shape: readonly number[]; readonly dtype: string };

/** Takes the weights out of a LayersModel's files by name; each must have its shape and be finite. */
function readWeights(manifest: ModelManifest, topology: unknown, bytes: Buffer, refuse: (why: string) => never): WeightArrays {
  const groups = (topology as { weightsManifest?: { weights?: WeightEntry[] }[] } | null)?.weightsManifest;
  if (!Array.isArray(groups)) return refuse('model.json has no weightsManifest.');
  const shapes = weightShapes(manifest.network);
  const arrays: Partial<Record<WeightName, Float32Array>> = {};
  let offset = 0;
  for (const entry of groups.flatMap((group) => group.weights ?? [])) {
    const name = WEIGHT_NAMES.find((known) => known === entry.name);
    if (name === undefined) return refuse(`model.json names an unknown weight ${shown(entry.name)}.`);
    if (entry.dtype !== 'float32' || String(entry.shape) !== String(shapes[name]))
      return refuse(`weight ${name} is ${shown(entry.dtype)} [${shown(entry.shape)}], not float32 [${shapes[name].join()}].`);
    const size = sizeOf(shapes[name]);
    if (offset + 4 * size > bytes.length) return refuse(`weights.bin ends inside ${name}.`);
    const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset + offset, bytes.byteOffset + offset + 4 * size));
    if (!values.every(Number.isFinite)) return refuse(`weight ${name} holds a value that is not finite.`);
    if (seesAnotherHead(manifest.network, name, values)) return refuse(`weight ${name} joins a head to the adapter of another.`);
    arrays[name] = values;
    offset += 4 * size;
  }
  const missing = WEIGHT_NAMES.find((name) => arrays[name] === undefined);
  if (missing !== undefined) return refuse(`model.json lacks the weight ${missing}.`);
  if (offset !== bytes.length) return refuse(`weights.bin has ${bytes.length - offset} bytes too many.`);
  return arrays as WeightArrays;
}
