import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { buildLayersModel } from './buildLayersModel.ts';
import { MODEL_FILES, type Golden } from './modelFiles.ts';
import type { ModelManifest } from './ModelManifest.ts';
import type { WeightArrays } from './NetworkWeights.ts';

/**
 * Writes a version as `parent/<id>`, whole or not at all: into a folder beside it first, then renamed. An existing version
 * is replaced only when `replace` says so. Returns the manifest with the hashes of the files.
 */
export async function saveModelFolder(
  parent: string,
  version: { manifest: Omit<ModelManifest, 'files'>; weights: WeightArrays; golden: Golden; card: string },
  { replace = false } = {},
): Promise<ModelManifest> {
  const files: Record<string, Uint8Array> = {
    ...(await layersModelFiles(version.manifest, version.weights)),
    [MODEL_FILES.golden]: Buffer.from(JSON.stringify(version.golden)),
    [MODEL_FILES.card]: Buffer.from(version.card),
  };
  const hashes = Object.entries(files).map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]);
  const manifest: ModelManifest = { ...version.manifest, files: Object.fromEntries(hashes) as Record<string, string> };
  const target = path.join(parent, manifest.id);
  const draft = path.join(parent, `.${manifest.id}.draft`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) writeFileSync(path.join(draft, name), bytes);
  writeFileSync(path.join(draft, MODEL_FILES.manifest), JSON.stringify(manifest, null, 2) + '\n');
  if (replace) rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);
  return manifest;
}

/** The two files of a plain TF.js LayersModel: topology with weights manifest, and the weights. */
async function layersModelFiles(manifest: Omit<ModelManifest, 'files'>, weights: WeightArrays): Promise<Record<string, Uint8Array>> {
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
  if (artifacts?.weightData === undefined || artifacts.weightSpecs === undefined) throw new Error('TF.js gave no weights to save');
  const topology = {
    format: artifacts.format,
    generatedBy: artifacts.generatedBy,
    convertedBy: artifacts.convertedBy ?? null,
    modelTopology: artifacts.modelTopology,
    weightsManifest: [{ paths: [MODEL_FILES.weights], weights: artifacts.weightSpecs }],
  };
  return {
    [MODEL_FILES.topology]: Buffer.from(JSON.stringify(topology)),
    [MODEL_FILES.weights]: new Uint8Array(tf.io.CompositeArrayBuffer.join(artifacts.weightData)),
  };
}
