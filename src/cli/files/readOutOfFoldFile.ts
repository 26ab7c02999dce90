import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { modelFolders } from '../../service/app/openRegistry.ts';
import type { Settings } from '../../core/config/settings.ts';
import { MODEL_FILES } from '../../engine/model/modelFiles.ts';

/** The out-of-fold predictions that a base version stores: of groups it was not trained on. */
export function readOutOfFoldFile(settings: Settings, id: string): string | undefined {
  const file = modelFolders(settings)
    .map((folder) => path.join(folder, id, MODEL_FILES.outOfFold))
    .find((candidate) => existsSync(candidate));
  return file === undefined ? undefined : readFileSync(file, 'utf8');
}
