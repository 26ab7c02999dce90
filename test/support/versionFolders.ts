import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../../src/core/ServiceError.ts';
import type { ModelManifest } from '../../src/engine/model/ModelManifest.ts';
import { saveSmallModel } from './saveSmallModel.ts';
import { temporaryFolder } from './temporaryFolder.ts';

type Json = Record<string, unknown>;

/** Temporary folders of versions; each version is a copy of one small network with another id. */
export class VersionFolders {
  readonly root = temporaryFolder();
  readonly shippedDir = path.join(this.root, 'shipped');
  readonly modelsDir = path.join(this.root, 'own');

  /** Call it once, before `add`. */
  async open(): Promise<void> {
    await saveSmallModel(this.root, 'template');
  }

  add(parent: string, id: string, over: Partial<ModelManifest> = {}): string {
    const folder = path.join(parent, id);
    cpSync(path.join(this.root, 'template'), folder, { recursive: true });
    editManifest(folder, (manifest) => Object.assign(manifest, { id, ...over }));
    return folder;
  }

  /** Removes all added versions. */
  clear(): void {
    for (const parent of [this.shippedDir, this.modelsDir]) rmSync(parent, { recursive: true, force: true });
  }
}

export function editManifest(folder: string, edit: (manifest: Json) => void): void {
  const file = path.join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Json;
  edit(manifest);
  writeFileSync(file, JSON.stringify(manifest));
}

/** Changes a hashed file and its hash, so that only the check of the content can detect it. */
export function rewriteFile(folder: string, name: string, content: Uint8Array | string): void {
  writeFileSync(path.join(folder, name), content);
  editManifest(folder, (manifest) => {
    (manifest['files'] as Record<string, string>)[name] = createHash('sha256').update(content).digest('hex');
  });
}

/** Code and message of the ServiceError that `act` throws. */
export async function failureOf(act: () => unknown): Promise<{ code: string; message: string }> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { code: error.code, message: error.message };
  }
  throw new Error('no ServiceError was thrown');
}
