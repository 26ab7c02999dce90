import * as path from 'node:path';
import type { Settings } from '../config/settings.ts';
import { packageRoot } from '../core/packageRoot.ts';

/** The folders that are searched for model versions: the shipped ones, then the owner's. */
export function modelFolders(settings: Pick<Settings, 'modelsDir'>): readonly string[] {
  return [path.join(packageRoot(), 'models'), settings.modelsDir];
}
