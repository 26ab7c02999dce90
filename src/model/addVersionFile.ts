import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../core/ServiceError.ts';
import { MODEL_FILES, type ExtraFile } from './modelFiles.ts';
import type { ModelManifest } from './ModelManifest.ts';
import { syncFolder, writeDurably } from './writeDurably.ts';

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
