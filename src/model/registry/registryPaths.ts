import * as path from 'node:path';

/** Paths of the files in MODELS_DIR that are not versions. */
export function registryPaths(modelsDir: string): { readonly current: string; readonly history: string; readonly lock: string } {
  return {
    current: path.join(modelsDir, 'current.json'),
    history: path.join(modelsDir, 'history.jsonl'),
    lock: path.join(modelsDir, 'registry.lock'),
  };
}
