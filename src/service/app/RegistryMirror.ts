import { readdirSync, rmSync, statSync } from 'node:fs';
import * as path from 'node:path';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { readCurrentVersion, writeCurrentVersion, type CurrentVersion } from '../../engine/model/registry/currentVersion.ts';
import type { MongoVersions } from '../../engine/model/registry/MongoVersions.ts';
import type { RegistryDocument, StoredVersion } from '../../engine/model/registry/mongoRecords.ts';
import { shippedIdsOf, versionFolders } from '../../engine/model/registry/Registry.ts';

export type RegistryMirrorDeps = {
  readonly versions: Pick<MongoVersions, 'cacheDir' | 'revision' | 'document' | 'download'>;
  readonly shippedDir: string;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
};

/** A version that does not verify is downloaded again after this time, or when the registry changes. */
const RETRY_MS = 60_000;
/** A download takes seconds: a folder of this age was left by a process that was killed. */
const STALE_MS = 600_000;

/**
 * Copies the registry in MongoDB to the folder that this machine serves from, in the form of MODELS_DIR: what follows such a folder also
 * follows the registry. A version that does not verify is passed over, and the default before it stays in `current.json`.
 */
export class RegistryMirror {
  readonly #deps: RegistryMirrorDeps;
  readonly #shippedIds: readonly string[];
  #revision = -1;
  #wantedId: string | null = null;
  /** By id: why the version is passed over. */
  #refused = new Map<string, string>();
  #retryAtMs = Infinity;
  #isAway = false;

  constructor(deps: RegistryMirrorDeps) {
    this.#deps = deps;
    this.#shippedIds = shippedIdsOf(deps.shippedDir);
    this.#removeStale();
  }

  /** What the registry names, and what this machine could not take from it. Revision -1: not read yet. */
  get standing(): { readonly revision: number; readonly wantedId: string | null; readonly refused: ReadonlyMap<string, string> } {
    return { revision: this.#revision, wantedId: this.#wantedId, refused: this.#refused };
  }

  /** Like `sync`, but while the registry or the disk fails, it warns once and keeps what is there. */
  async follow(): Promise<void> {
    try {
      await this.sync();
      if (this.#isAway) this.#deps.logger.info('model registry is followed again', { revision: this.#revision });
      this.#isAway = false;
    } catch (error) {
      if (!this.#isAway) this.#deps.logger.warn('model registry cannot be followed; the loaded versions stay', { reason: String(error) });
      this.#isAway = true;
    }
  }

  /** One small read if nothing has changed. Throws ServiceError `store.unavailable`, `file.unwritable`. */
  async sync(): Promise<void> {
    const { versions, clock } = this.#deps;
    if ((await versions.revision()) === this.#revision && clock.monotonicMs() < this.#retryAtMs) return;
    const document = await versions.document();
    const refused = new Map<string, string>();
    for (const version of document.versions) {
      const reason = await this.#download(version);
      if (reason === undefined) continue;
      refused.set(version.id, reason);
      if (this.#refused.get(version.id) !== reason)
        this.#deps.logger.warn('model version of the registry passed over', { id: version.id, reason });
    }
    this.#refused = refused;
    this.#retryAtMs = refused.size === 0 ? Infinity : clock.monotonicMs() + RETRY_MS;
    this.#writeCurrent(document);
    this.#removeOthers(document.versions);
    this.#wantedId = document.current?.id ?? null;
    this.#revision = document.revision;
  }

  /** Why the version cannot be served; undefined if it can. */
  async #download(version: StoredVersion): Promise<string | undefined> {
    // The shipped version of that id answers.
    if (this.#shippedIds.includes(version.id)) return undefined;
    try {
      await this.#deps.versions.download(version);
      return undefined;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'model.refused') return error.message;
      throw error;
    }
  }

  /** The default, or the last one before it that this machine has. */
  #writeCurrent({ current, versions, history }: RegistryDocument): void {
    const { cacheDir } = this.#deps.versions;
    if (current === null) return rmSync(path.join(cacheDir, 'current.json'), { force: true });
    const isServed = (id: string | null): boolean =>
      id === null || this.#shippedIds.includes(id) || (versions.some((version) => version.id === id) && !this.#refused.has(id));
    const id = [current.id, ...history.map(({ previous }) => previous).toReversed()].find(isServed) ?? null;
    const next: CurrentVersion = { ...current, id };
    if (JSON.stringify(next) !== JSON.stringify(readOrNull(cacheDir))) writeCurrentVersion(cacheDir, next);
  }

  #removeOthers(versions: readonly StoredVersion[]): void {
    const { cacheDir } = this.#deps.versions;
    for (const folder of versionFolders(cacheDir)) {
      if (!versions.some(({ id }) => id === path.basename(folder))) rmSync(folder, { recursive: true, force: true });
    }
  }

  #removeStale(): void {
    const { versions, clock } = this.#deps;
    for (const name of namesIn(versions.cacheDir)) {
      const folder = path.join(versions.cacheDir, name);
      const madeMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
      if (name.startsWith('.incoming-') && clock.nowMs() - madeMs > STALE_MS) rmSync(folder, { recursive: true, force: true });
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readOrNull(folder: string): CurrentVersion | null {
  try {
    return readCurrentVersion(folder);
  } catch {
    return null;
  }
}
