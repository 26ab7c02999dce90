import * as path from 'node:path';
import { ServiceError } from '../../core/ServiceError.ts';
import type { ModelFolder, Refuse } from './modelFiles.ts';
import { parseManifest, parseModelFiles } from './parseModelFiles.ts';
import { readHashedFiles, readManifestFile } from './readModelFiles.ts';

/**
 * Reads and checks the folder of a version: the manifest against its schema, every file against its hash, the weights against the shapes
 * in the manifest, the input columns against the program, and the folder name against the id. Throws ServiceError `model.refused`.
 */
export function loadModelFolder(folder: string): ModelFolder {
  const refuse: Refuse = (why, cause) => {
    throw new ServiceError('model.refused', `Model folder ${folder}: ${why}`, { cause });
  };
  try {
    return readFolder(folder, refuse);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // Every other error that a hostile file causes counts as a fault of the folder.
    return refuse('it cannot be read.', error);
  }
}

function readFolder(folder: string, refuse: Refuse): ModelFolder {
  const manifest = parseManifest(readManifestFile(folder, refuse), refuse);
  if (manifest.id !== path.basename(folder)) return refuse(`its manifest has the id ${manifest.id}; the folder must have the same name.`);
  return parseModelFiles(manifest, readHashedFiles(folder, manifest, refuse), refuse);
}
