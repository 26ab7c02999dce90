import * as path from 'node:path';

/** What MODELS_DIR holds beside the versions. */
export function registryPlaces(modelsDir: string): { readonly current: string; readonly history: string; readonly lock: string } {
  return {
    current: path.join(modelsDir, 'current.json'),
    history: path.join(modelsDir, 'history.jsonl'),
    lock: path.join(modelsDir, 'registry.lock'),
  };
}
