import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import * as path from 'node:path';
import type { ModelManifest } from './ModelManifest.ts';
import { MAX_FILE_BYTES, MODEL_FILES, type Refuse } from './modelFiles.ts';
import { readRegularFile } from './readRegularFile.ts';

const MAX_MANIFEST_BYTES = 8 * 1024 * 1024;
/** Of inputs.json. */
const MAX_SMALL_BYTES = 256 * 1024;

/** The bytes of `manifest.json`. */
export function readManifestFile(folder: string, refuse: Refuse): Buffer<ArrayBuffer> {
  // Checks the folder itself, because a link could lead the whole version elsewhere.
  if (!lstatSync(folder).isDirectory()) refuse('it is not a folder.');
  return readPlainFile(folder, MODEL_FILES.manifest, MAX_MANIFEST_BYTES, refuse);
}

/** The bytes of every file that the manifest names, after comparing the hashes. */
export function readHashedFiles(folder: string, { files }: ModelManifest, refuse: Refuse): ReadonlyMap<string, Buffer<ArrayBuffer>> {
  const contents = new Map<string, Buffer<ArrayBuffer>>();
  for (const name of Object.keys(files)) {
    const content = readPlainFile(folder, name, name === MODEL_FILES.inputs ? MAX_SMALL_BYTES : MAX_FILE_BYTES, refuse);
    const hash = createHash('sha256').update(content).digest('hex');
    if (files[name] !== hash) refuse(`${name} has SHA-256 ${hash}, but the manifest has ${files[name] ?? 'none'}.`);
    contents.set(name, content);
  }
  return contents;
}

function readPlainFile(folder: string, name: string, limit: number, refuse: Refuse): Buffer<ArrayBuffer> {
  return readRegularFile(path.join(folder, name), limit, (why, cause) =>
    refuse(`${name} ${cause === undefined ? why : 'cannot be read.'}`, cause),
  );
}
