import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { modelFolders } from '../app/modelFolders.ts';
import type { Settings } from '../config/settings.ts';
import { MODEL_FILES } from '../model/modelFiles.ts';

/** Predictions that a base kept of groups it had not seen. */
export function readOutOfFoldFile(settings: Settings, id: string): string | undefined {
  const file = modelFolders(settings)
    .map((folder) => path.join(folder, id, MODEL_FILES.outOfFold))
    .find((candidate) => existsSync(candidate));
  return file === undefined ? undefined : readFileSync(file, 'utf8');
}
