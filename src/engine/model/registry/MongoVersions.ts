import { readFileSync, renameSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import type { Collection, Db } from 'mongodb';
import type { Clock } from '../../../core/Clock.ts';
import { makeFolder } from '../../../core/makeFolder.ts';
import { quoteValue, ServiceError } from '../../../core/ServiceError.ts';
import { writeDurably } from '../../../core/writeDurably.ts';
import { loadModelFolder } from '../loadModelFolder.ts';
import { FILE_NAME, MODEL_FILES } from '../modelFiles.ts';
import type { CurrentVersion } from './currentVersion.ts';
import { changedMeanwhile } from './FolderVersions.ts';
import {
  EMPTY_REGISTRY,
  MODEL_REGISTRY,
  MOST_VERSIONS,
  replaceRegistry,
  type RegistryDocument,
  type StoredFile,
  type StoredVersion,
} from './mongoRecords.ts';
import { isVersionId, unknownVersion } from './Registry.ts';
import { answer, damagedVersion, sha256Of, StoredFiles } from './StoredFiles.ts';
import type { Change, HistoryEntry, RegistryState, VersionStore } from './VersionStore.ts';

/** Attempts of a push that conflicts with other changes. */
const MAX_TRIES = 10;
const ANY_FILE = new RegExp(FILE_NAME);

type State = RegistryState & { readonly document: RegistryDocument };

/**
 * Versions in a MongoDB database, for several machines: files in GridFS, and one document that names versions, default and history. A change
 * replaces that document if it still has the revision that was read, so of two concurrent changes one fails. `cacheDir` holds the copies of
 * this machine, in the form of MODELS_DIR.
 */
export class MongoVersions implements VersionStore {
  readonly place = `MongoDB ${MODEL_REGISTRY}`;
  readonly cacheDir: string;
  readonly #db: Db;
  readonly #registry: Collection<RegistryDocument>;
  readonly #files: StoredFiles;
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor(db: Db, { cacheDir, clock }: { readonly cacheDir: string; readonly clock: Pick<Clock, 'nowMs'> }) {
    this.#db = db;
    this.#registry = db.collection<RegistryDocument>(MODEL_REGISTRY);
    this.#files = new StoredFiles(db);
    this.cacheDir = cacheDir;
    this.#clock = clock;
  }

  /** Rises with every change; 0 before the first. */
  revision(): Promise<number> {
    return answer(async () => (await this.#registry.findOne({ _id: 'registry' }, { projection: { revision: 1 } }))?.revision ?? 0);
  }

  document(): Promise<RegistryDocument> {
    return answer(async () => (await this.#registry.findOne({ _id: 'registry' })) ?? EMPTY_REGISTRY);
  }

  async state(): Promise<State> {
    const document = await this.document();
    return { currentId: document.current?.id ?? null, history: document.history, faults: [], document };
  }

  async change(before: RegistryState, id: string | null, by: HistoryEntry['by'], shippedIds: readonly string[]): Promise<Change> {
    const { document } = before as State;
    const { versions, history } = document;
    const ids = versions.map((version) => version.id);
    if (id !== null && !shippedIds.includes(id) && !ids.includes(id)) throw unknownVersion(id, [...shippedIds, ...ids]);
    const previous = before.currentId;
    if (id === previous && document.current !== null) return { id, previous, changed: false };
    const sinceMs = this.#clock.nowMs();
    const entries = id === previous ? [] : [{ id, previous, at: new Date(sinceMs).toISOString(), by }];
    await this.#replace(document, { versions, current: { id, sinceMs, by }, history: [...history, ...entries] });
    return { id, previous, changed: true };
  }

  async list(): Promise<readonly string[]> {
    return (await this.document()).versions.map(({ id }) => id).sort();
  }

  async invalidEntries(): Promise<readonly { path: string; fault: string }[]> {
    return [];
  }

  async folderOf(id: string): Promise<string> {
    const { versions } = await this.document();
    const version = versions.find((each) => each.id === id);
    if (version !== undefined) return this.download(version);
    const known = versions.map((each) => each.id);
    throw unknownVersion(id, known);
  }

  /** The folder of a version in `cacheDir`; verified before it appears there. Throws ServiceError `model.refused`, `store.unavailable`, `file.unwritable`. */
  async download(version: StoredVersion): Promise<string> {
    // The id becomes the name of a folder.
    if (!isVersionId(version.id)) throw damagedVersion(quoteValue(version.id), 'it is no id of a version.');
    const folder = path.join(this.cacheDir, version.id);
    if (isCopyOf(folder, version)) return folder;
    // Another process may download the same version.
    const staging = path.join(this.cacheDir, `.incoming-${process.pid}-${this.#clock.nowMs()}-${version.id}`);
    const incoming = path.join(staging, version.id);
    try {
      makeFolder(incoming);
      for (const file of version.files) {
        if (file.name !== MODEL_FILES.manifest && !ANY_FILE.test(file.name))
          throw damagedVersion(version.id, `${file.name} is no file of a version.`);
        writeDurably(path.join(incoming, file.name), await this.#files.read(version.id, file));
      }
      loadModelFolder(incoming);
      replaceFolder(folder, incoming, path.join(staging, 'replaced'));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (!isCopyOf(folder, version))
        throw new ServiceError('file.unwritable', `${folder} cannot be written: ${(error as Error).message}.`, { cause: error });
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
    return folder;
  }

  async push(folder: string): Promise<boolean> {
    const { manifest } = loadModelFolder(folder);
    const files = [MODEL_FILES.manifest, ...Object.keys(manifest.files)].map((name) => {
      const content = readFileSync(path.join(folder, name));
      return { name, content, sha256: sha256Of(content) };
    });
    /** Files that are stored as they are in `folder` need no second copy; damaged ones are replaced. */
    const isThere = async (document: RegistryDocument): Promise<boolean> => {
      const found = document.versions.find(({ id }) => id === manifest.id);
      if (found === undefined) {
        if (document.versions.length < MOST_VERSIONS) return false;
        throw new ServiceError('model.refused', `The registry has ${MOST_VERSIONS} versions, its maximum: tickmark models prune.`);
      }
      const isSame = files.length === found.files.length && files.every(({ sha256 }) => found.files.some((file) => file.sha256 === sha256));
      if (!isSame) throw new ServiceError('model.refused', `The registry has another version ${manifest.id}. Give the new one another id.`);
      return this.#isWhole(found);
    };
    let document = await this.document();
    if (await isThere(document)) return false;
    const stored: StoredFile[] = [];
    for (const { name, content, sha256 } of files)
      stored.push({ name, bytes: content.length, sha256, fileId: await this.#files.write(`${manifest.id}/${name}`, content) });
    const version: StoredVersion = { id: manifest.id, pushedAt: new Date(this.#clock.nowMs()).toISOString(), files: stored };
    for (let tries = 1; ; tries++) {
      const { current, history, versions } = document;
      const after = { current, history, versions: [...versions.filter(({ id }) => id !== version.id), version] };
      if (await answer(() => replaceRegistry(this.#registry, document, after))) return true;
      document = await this.document();
      if (tries === MAX_TRIES || (await isThere(document))) {
        await this.#files.delete(stored);
        if (tries === MAX_TRIES) throw changedMeanwhile();
        return false;
      }
    }
  }

  async remove(before: RegistryState, ids: readonly string[]): Promise<void> {
    const { document } = before as State;
    const versions = document.versions.filter(({ id }) => !ids.includes(id));
    await this.#replace(document, { ...document, versions });
    // A crash from here on leaves files that no version names: the next removal finds them.
    await this.#files.deleteOrphans(versions, this.#clock.nowMs());
    await this.#files.delete(document.versions.filter(({ id }) => ids.includes(id)).flatMap(({ files }) => files));
  }

  /** The same registry with its copies in another folder. */
  over(cacheDir: string): MongoVersions {
    return new MongoVersions(this.#db, { cacheDir, clock: this.#clock });
  }

  /** Takes over default and history of a backup. False if there was a change before: then nothing happens. */
  async adopt(current: CurrentVersion | null, history: readonly HistoryEntry[]): Promise<boolean> {
    const document = await this.document();
    if (document.current !== null || document.history.length > 0) return false;
    await this.#replace(document, { versions: document.versions, current, history });
    return true;
  }

  async #replace(document: RegistryDocument, { current, versions, history }: Omit<RegistryDocument, '_id' | 'revision'>): Promise<void> {
    if (!(await answer(() => replaceRegistry(this.#registry, document, { current, versions, history })))) throw changedMeanwhile();
  }

  async #isWhole(version: StoredVersion): Promise<boolean> {
    try {
      for (const file of version.files) await this.#files.read(version.id, file);
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'model.refused') return false;
      throw error;
    }
  }
}

/** By the manifest, which has the hash of every other file. */
function isCopyOf(folder: string, { files }: StoredVersion): boolean {
  const wanted = files.find(({ name }) => name === MODEL_FILES.manifest)?.sha256;
  try {
    loadModelFolder(folder);
    return sha256Of(readFileSync(path.join(folder, MODEL_FILES.manifest))) === wanted;
  } catch {
    return false;
  }
}

function replaceFolder(target: string, incoming: string, away: string): void {
  try {
    renameSync(target, away);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  renameSync(incoming, target);
}
