import { readdirSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { MODEL_FILES } from '../model/modelFiles.ts';
import { registryPaths } from '../model/registry/registryPaths.ts';

/** Detects changes of MODELS_DIR without reading any file. */
export type ModelSignatures = {
  readonly current: string;
  /** By name of the version's folder. */
  readonly folders: ReadonlyMap<string, string>;
};

/** null if the folder does not exist or cannot be listed. */
export function readModelSignatures(modelsDir: string): ModelSignatures | null {
  try {
    const names = readdirSync(modelsDir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .sort();
    // Every file: one that was still being copied when it was looked at is read again when it is whole.
    const signatureOf = (name: string): string =>
      Object.values(MODEL_FILES)
        .map((file) => fileSignature(path.join(modelsDir, name, file)))
        .join();
    return {
      current: fileSignature(registryPaths(modelsDir).current),
      folders: new Map(names.map((name) => [name, signatureOf(name)])),
    };
  } catch {
    return null;
  }
}

export function isSameSignatures(one: ModelSignatures, other: ModelSignatures): boolean {
  if (one.current !== other.current || one.folders.size !== other.folders.size) return false;
  return [...one.folders].every(([name, signature]) => other.folders.get(name) === signature);
}

/** Empty if the file does not exist or cannot be read. */
function fileSignature(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch {
    return '';
  }
}
