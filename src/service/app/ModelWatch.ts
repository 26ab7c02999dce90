import { readdirSync, statSync } from 'node:fs';
import * as path from 'node:path';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { ModelSlots } from '../../engine/inference/ModelSlots.ts';
import type { ServedModel } from '../../engine/model/ModelManifest.ts';
import { loadModelFolder } from '../../engine/model/loadModelFolder.ts';
import { MODEL_FILES } from '../../engine/model/modelFiles.ts';
import { readCurrentVersion } from '../../engine/model/registry/currentVersion.ts';
import { registryPaths } from '../../engine/model/registry/registryPaths.ts';

export type ModelWatchDeps = {
  readonly modelsDir: string;
  readonly slots: ModelSlots;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ids that ship: the owner's versions of these names do not count. */
  readonly shippedIds: ReadonlySet<string>;
  /** Answers where nothing is promoted; null: none ships. */
  readonly shippedDefaultId: string | null;
  /** MODEL is set: the default stays as it is. */
  readonly isPinned: boolean;
  /** Taken before the versions were loaded; null: MODELS_DIR was not there. */
  readonly seen: ModelSignatures | null;
};

const POLL_MS = 1000;
const NOTHING: ModelSignatures = { current: '', folders: new Map() };

function isNotReady(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'service.not_ready';
}

/**
 * Polls MODELS_DIR about once a second. New versions are loaded, checked and warmed up, then swapped in in one step, together with the default that current.json
 * names. An invalid version is logged once, and the loaded versions stay.
 */
export class ModelWatch {
  readonly #deps: ModelWatchDeps;
  #seen: ModelSignatures;
  #isLost = false;
  #currentFault = '';
  #stop = (): void => {};
  #isClosed = false;

  constructor(deps: ModelWatchDeps) {
    this.#deps = deps;
    this.#seen = deps.seen ?? NOTHING;
  }

  start(): void {
    if (this.#isClosed) return;
    this.#stop = this.#deps.clock.after(POLL_MS, () => void this.poll().then(() => this.start()));
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  /** Never rejects. */
  async poll(): Promise<void> {
    const now = readModelSignatures(this.#deps.modelsDir);
    if (now === null) return this.#lose();
    this.#isLost = false;
    if (isSameSignatures(now, this.#seen)) return;
    const before = this.#seen;
    this.#seen = now;
    try {
      await this.#change(before, now);
    } catch (error) {
      // The inference process is down: new versions are checked again with the next poll.
      if (isNotReady(error)) this.#seen = before;
      this.#deps.logger.warn('model versions could not be updated', { error });
    }
  }

  /** A folder that never existed is not an error. */
  #lose(): void {
    if (this.#isLost || isSameSignatures(this.#seen, NOTHING)) return;
    this.#isLost = true;
    this.#deps.logger.warn('MODELS_DIR cannot be read; the loaded versions stay', { folder: this.#deps.modelsDir });
  }

  async #change(before: ModelSignatures, now: ModelSignatures): Promise<void> {
    const { slots, logger, shippedIds } = this.#deps;
    const changed = [...now.folders].filter(([name, signature]) => before.folders.get(name) !== signature && !shippedIds.has(name));
    const prepared: ServedModel[] = [];
    // One after the other: the backend serves requests at the same time.
    try {
      for (const [name] of changed) prepared.push(...(await this.#prepare(name)));
    } catch (error) {
      // All of them are prepared again with the next poll.
      for (const model of prepared) slots.discard(model);
      throw error;
    }
    const previous = slots.defaultId;
    const defaultId = this.#chooseDefault(now, prepared);
    const gone = slots.list().flatMap(({ id }) => (shippedIds.has(id) || now.folders.has(id) || id === defaultId ? [] : [id]));
    slots.swap(prepared, gone, defaultId);
    for (const id of gone) logger.info('model version removed', { id });
    if (defaultId !== previous) logger.info('default model changed', { id: defaultId, previous });
  }

  async #prepare(name: string): Promise<ServedModel[]> {
    const { modelsDir, slots, clock, logger } = this.#deps;
    const folder = path.join(modelsDir, name);
    const startMs = clock.monotonicMs();
    try {
      const prepared = await slots.prepare(loadModelFolder(folder));
      logger.info('model version loaded', { id: name, ms: Math.round(clock.monotonicMs() - startMs) });
      return [prepared];
    } catch (error) {
      if (isNotReady(error)) throw error;
      logger.warn('model version skipped', { folder, reason: error instanceof Error ? error.message : String(error) });
      return [];
    }
  }

  #chooseDefault(now: ModelSignatures, prepared: readonly ServedModel[]): string {
    const { modelsDir, slots, logger, shippedIds, shippedDefaultId, isPinned } = this.#deps;
    if (isPinned) return slots.defaultId;
    try {
      const id = readCurrentVersion(modelsDir)?.id ?? shippedDefaultId ?? slots.defaultId;
      const isThere = shippedIds.has(id) || now.folders.has(id);
      const model = prepared.find((other) => other.id === id) ?? (isThere ? slots.find(id) : undefined);
      if (model === undefined) throw new ServiceError('model.refused', `current.json names ${id}, which does not exist or is invalid.`);
      if (model.manifest.synthetic)
        throw new ServiceError('model.not_promotable', `current.json names ${id}, which was trained on generated ticks.`);
      this.#currentFault = '';
      return id;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.#currentFault) logger.warn('default model not changed', { id: slots.defaultId, reason });
      this.#currentFault = reason;
      return slots.defaultId;
    }
  }
}

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

function isSameSignatures(one: ModelSignatures, other: ModelSignatures): boolean {
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
