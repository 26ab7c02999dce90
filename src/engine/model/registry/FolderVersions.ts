import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { writing } from '../../../core/fileErrors.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import type { Clock } from '../../../core/Clock.ts';
import { makeFolder } from '../../../core/makeFolder.ts';
import { syncFolder } from '../../../core/writeDurably.ts';
import { loadModelFolder } from '../loadModelFolder.ts';
import { MODEL_FILES } from '../modelFiles.ts';
import { changeCurrent, currentIdOf, readCurrentVersion } from './currentVersion.ts';
import { readHistory, type Change, type HistoryEntry, type RegistryState } from './history.ts';
import { lockRegistry } from './lockRegistry.ts';
import { registryPaths, unknownVersion, versionFolders } from './registryPaths.ts';

/**
 * The user's versions, and which one is the default: folders in MODELS_DIR, with `current.json` and `history.jsonl`. A lock file excludes other
 * commands, also those of other machines that share the folder. Methods that write throw ServiceError `file.unwritable` and `model.registry_busy`.
 */
export class FolderVersions {
  /** Where they are, for messages. */
  readonly place: string;
  readonly #clock: Clock;

  constructor(modelsDir: string, clock: Clock) {
    this.place = modelsDir;
    this.#clock = clock;
  }

  /**
   * Makes `id` the default, if it is a version or in `shippedIds`, and if the default is still that of `before`. Throws ServiceError
   * `model.registry_busy` or `model.unknown`; nothing changes then.
   */
  change(before: RegistryState, id: string | null, by: HistoryEntry['by'], shippedIds: readonly string[]): Promise<Change> {
    return this.#locked(before, () => {
      // The version may have been removed meanwhile.
      if (id !== null && !shippedIds.includes(id) && !this.list().includes(id)) throw unknownVersion(id, [...shippedIds, ...this.list()]);
      return changeCurrent(this.place, this.#clock, id, by);
    });
  }

  /** Ids, sorted. */
  list(): string[] {
    return versionFolders(this.place).map((folder) => path.basename(folder));
  }

  /** What lies among the versions and is none: for `models verify`. */
  invalidEntries(): readonly { path: string; fault: string }[] {
    if (!existsSync(this.place)) return [];
    const links = readdirSync(this.place, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    return links.map(({ name }) => ({ path: path.join(this.place, name), fault: 'it is a link; links are not served.' }));
  }

  /** Throws ServiceError `model.unknown`. */
  folderOf(id: string): string {
    if (!this.list().includes(id)) throw unknownVersion(id, this.list());
    return path.join(this.place, id);
  }

  /** Adds the version in `folder`, which has been loaded and checked. False if it was there. Throws ServiceError `model.refused` if another one has its id. */
  async push(folder: string): Promise<boolean> {
    const { manifest } = loadModelFolder(folder);
    const [target, incoming] = [path.join(this.place, manifest.id), path.join(this.place, `.${manifest.id}.incoming`)];
    const names = [MODEL_FILES.manifest, ...Object.keys(manifest.files)];
    const isSame = (name: string): boolean =>
      existsSync(path.join(target, name)) && readFileSync(path.join(target, name)).equals(readFileSync(path.join(folder, name)));
    return lockRegistry(this.place, this.#clock, () => {
      if (existsSync(target)) {
        if (names.every(isSame)) return false;
        throw new ServiceError('model.refused', `${target} exists with other content. Give the new version another id.`);
      }
      writing(target, () => {
        rmSync(incoming, { recursive: true, force: true });
        makeFolder(incoming);
        for (const name of names) copyFileSync(path.join(folder, name), path.join(incoming, name));
        syncFolder(incoming);
        renameSync(incoming, target);
        syncFolder(this.place);
      });
      return true;
    });
  }

  /** Removes versions, if the default is still that of `before`. */
  remove(before: RegistryState, ids: readonly string[]): Promise<void> {
    return this.#locked(before, () => {
      for (const id of ids) removeVersion(this.place, id);
    });
  }

  #locked<T>(before: RegistryState, act: () => T): Promise<T> {
    return lockRegistry(this.place, this.#clock, () => {
      const now = this.state();
      if (now.currentId !== before.currentId || now.history.length !== before.history.length) throw changedMeanwhile();
      return act();
    });
  }

  /** Throws nothing for broken records, because a promotion repairs them: they are in `faults`. */
  state(): RegistryState {
    const faults: string[] = [];
    const tolerant = <T>(read: () => T, otherwise: T): T => {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        faults.push(error.message);
        return otherwise;
      }
    };
    tolerant(() => readCurrentVersion(this.place), null);
    const currentId = currentIdOf(this.place);
    const { entries, unfinished, broken } = tolerant(() => readHistory(this.place, currentId), {
      entries: [],
      unfinished: null,
      broken: [],
    });
    const { history: file } = registryPaths(this.place);
    if (broken.length > 0) faults.push(`${file} has broken lines: ${broken.slice(0, 10).join(', ')}.`);
    if (unfinished !== null) {
      const [said, is] = [unfinished.id, currentId].map((id) => id ?? 'the shipped default');
      faults.push(`${file} ends with ${said}, but the default is ${is}: a change was interrupted. The next promotion repairs it.`);
    }
    return { currentId, history: entries, faults };
  }
}

const changedMeanwhile = (): ServiceError =>
  new ServiceError('model.registry_busy', 'Another command changed the model versions at the same time. Nothing was changed by this one.');

/** Renames the folder first, so that no reader sees it half removed. */
function removeVersion(modelsDir: string, id: string): void {
  const [folder, doomed] = [path.join(modelsDir, id), path.join(modelsDir, `.${id}.removed`)];
  try {
    rmSync(doomed, { recursive: true, force: true });
    renameSync(folder, doomed);
    rmSync(doomed, { recursive: true, force: true });
  } catch (cause) {
    throw new ServiceError('file.unwritable', `${folder} cannot be removed: ${(cause as Error).message}.`, { cause });
  }
}
