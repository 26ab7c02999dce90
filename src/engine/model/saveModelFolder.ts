import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { unwritable } from '../../core/fileErrors.ts';
import { makeFolder } from '../../core/makeFolder.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { syncFolder, writeDurably } from '../../core/writeDurably.ts';
import { MEMORY_FORMAT, type MemoryLine } from '../memory/memoryLine.ts';
import type { ModelManifest } from './ModelManifest.ts';
import type { WeightArrays } from './NetworkWeights.ts';
import { BARS_FORMAT, type BarModel } from './BarModel.ts';
import { buildLayersModel } from './buildLayersModel.ts';
import { MODEL_FILES, type ExtraFile, type Golden } from './modelFiles.ts';
import type { SeenTicksJson } from './SeenTicks.ts';

/** A version without a folder yet. `extra`: its optional files by name; `seen`: the sample of its training ticks. */
export type NewVersion = {
  readonly manifest: Omit<ModelManifest, 'files'>;
  readonly weights: WeightArrays;
  readonly golden: Golden;
  readonly card: string;
  readonly extra?: Partial<Readonly<Record<ExtraFile, string>>>;
  readonly seen?: SeenTicksJson | undefined;
  /** How the memory of a series changes its log-odds. */
  readonly memory?: MemoryLine | undefined;
  readonly bars?: BarModel | undefined;
};

export type SaveOptions = {
  /** Whether to replace an existing version with this id. */
  readonly replace?: boolean;
  /** Writes one file durably. Tests pass their own. */
  readonly write?: (file: string, bytes: Uint8Array) => void;
};

/**
 * Writes a version atomically as `parent/<id>`: durably into a draft folder in `parent`, which is then renamed. Returns the manifest with
 * the hashes of the files. Throws ServiceError `file.unwritable`; the draft is then removed, and an existing version stays.
 */
export async function saveModelFolder(
  parent: string,
  version: NewVersion,
  { replace = false, write = writeDurably }: SaveOptions = {},
): Promise<ModelManifest> {
  const files: Record<string, Uint8Array> = {
    ...(await layersModelFiles(version)),
    [MODEL_FILES.golden]: Buffer.from(JSON.stringify(version.golden)),
    [MODEL_FILES.card]: Buffer.from(version.card),
    ...Object.fromEntries(Object.entries(version.extra ?? {}).map(([name, text]) => [name, Buffer.from(text)])),
  };
  const hashes = Object.entries(files).map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]);
  const manifest: ModelManifest = { ...version.manifest, files: Object.fromEntries(hashes) as Record<string, string> };
  files[MODEL_FILES.manifest] = Buffer.from(JSON.stringify(manifest, null, 2) + '\n');
  const target = path.join(parent, manifest.id);
  const draft = path.join(parent, `.${manifest.id}.draft`);
  try {
    rmSync(draft, { recursive: true, force: true });
    makeFolder(draft);
    for (const [name, bytes] of Object.entries(files)) write(path.join(draft, name), bytes);
    syncFolder(draft);
    moveInto(draft, target, replace);
    syncFolder(parent);
  } catch (cause) {
    if (existsSync(draft)) rmSync(draft, { recursive: true, force: true });
    throw unwritable(target, cause);
  }
  return manifest;
}

/** Renames an existing version first, so that no reader sees it half removed. */
function moveInto(draft: string, target: string, replace: boolean): void {
  if (!existsSync(target)) return renameSync(draft, target);
  if (!replace) throw new Error('a version with this id already exists');
  const old = path.join(path.dirname(target), `.${path.basename(target)}.replaced`);
  rmSync(old, { recursive: true, force: true });
  renameSync(target, old);
  renameSync(draft, target);
  rmSync(old, { recursive: true, force: true });
}

/** The two files of a plain TF.js LayersModel: topology with weights manifest, and the weights. */
async function layersModelFiles({ manifest, weights, seen, memory, bars }: NewVersion): Promise<Record<string, Uint8Array>> {
  const model = buildLayersModel(manifest.network, weights);
  let artifacts: tf.io.ModelArtifacts | undefined;
  const handler = tf.io.withSaveHandler((given) => {
    artifacts = given;
    return Promise.resolve({ modelArtifactsInfo: { dateSaved: new Date(manifest.createdAt), modelTopologyType: 'JSON' as const } });
  });
  try {
    await model.save(handler);
  } finally {
    model.dispose();
  }
  if (artifacts?.weightData === undefined || artifacts.weightSpecs === undefined) throw new Error('TF.js returned no weights to save');
  const metadata = {
    seenTicks: seen,
    ...(memory === undefined ? {} : { memory: { format: MEMORY_FORMAT, ...memory } }),
    ...(bars === undefined ? {} : { bars: { format: BARS_FORMAT, ...bars, memory: { format: MEMORY_FORMAT, ...bars.memory } } }),
  };
  const topology = {
    format: artifacts.format,
    generatedBy: artifacts.generatedBy,
    convertedBy: artifacts.convertedBy ?? null,
    modelTopology: artifacts.modelTopology,
    weightsManifest: [{ paths: [MODEL_FILES.weights], weights: artifacts.weightSpecs }],
    ...(Object.keys(metadata).length === 0 ? {} : { userDefinedMetadata: metadata }),
  };
  return {
    [MODEL_FILES.topology]: Buffer.from(JSON.stringify(topology)),
    [MODEL_FILES.weights]: new Uint8Array(tf.io.CompositeArrayBuffer.join(artifacts.weightData)),
  };
}

/**
 * Adds an extra file to an existing version, then its hash to the manifest, each by a rename. Until the second rename, the file is ignored,
 * because the manifest does not name it. Throws ServiceError `file.unwritable`.
 */
export function addVersionFile(folder: string, name: ExtraFile, text: string): void {
  const put = (file: string, content: string): void => {
    const draft = path.join(folder, `.${file}.draft`);
    rmSync(draft, { force: true });
    writeDurably(draft, Buffer.from(content));
    renameSync(draft, path.join(folder, file));
    syncFolder(folder);
  };
  try {
    const manifest = JSON.parse(readFileSync(path.join(folder, MODEL_FILES.manifest), 'utf8')) as ModelManifest;
    const files = { ...manifest.files, [name]: createHash('sha256').update(text).digest('hex') };
    put(name, text);
    put(MODEL_FILES.manifest, JSON.stringify({ ...manifest, files }, null, 2) + '\n');
  } catch (cause) {
    throw new ServiceError('file.unwritable', `${name} cannot be added to ${folder}: ${(cause as Error).message}.`, { cause });
  }
}
