import { copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import * as path from 'node:path';
import type { AccountStore } from '../../accounts/AccountStore.ts';
import { checkTransferFile, importAccounts, type AccountImport } from '../../accounts/transfer/importAccounts.ts';
import { canWrite } from '../../../core/canWrite.ts';
import type { Clock } from '../../../core/Clock.ts';
import { makeFolder } from '../../../core/makeFolder.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import { lockRegistry } from '../../../engine/model/registry/lockRegistry.ts';
import { syncFolder } from '../../../core/writeDurably.ts';
import {
  ACCOUNTS_FILE,
  backupRefused,
  fingerprint,
  madeByAnother,
  placeOf,
  readBackup,
  type Backup,
  type BackupFile,
} from './backupFiles.ts';

export type RestoreTarget = {
  readonly store: AccountStore;
  readonly modelsDir: string;
  readonly clock: Clock;
};

export type RestoreOptions = {
  /** Leaves accounts, versions and pointers that are there, and differ, as they are. */
  readonly skipsExisting?: boolean;
};

export type RestoreReport = {
  readonly accounts: AccountImport;
  /** Ids of restored versions. */
  readonly versions: readonly string[];
  /** `current.json` and `history.jsonl`, where they were. */
  readonly pointers: readonly string[];
  /** Paths that differ and were kept. */
  readonly leftAlone: readonly string[];
};

type Plan = {
  readonly versions: ReadonlyMap<string, readonly BackupFile[]>;
  readonly pointers: readonly BackupFile[];
  readonly differing: string[];
};

function isSame(file: BackupFile, modelsDir: string): boolean {
  return fingerprint(placeOf(file.path, { modelsDir })).sha256 === file.sha256;
}

/** Lists what is missing and what differs. A version differs if one of its files differs or is missing. */
function plan(files: readonly BackupFile[], modelsDir: string): Plan {
  const versions = new Map<string, BackupFile[]>();
  const pointers: BackupFile[] = [];
  const differing: string[] = [];
  for (const file of files) {
    const [, id = '', name] = file.path.split('/');
    if (file.path === ACCOUNTS_FILE) continue;
    if (name !== undefined) versions.set(id, [...(versions.get(id) ?? []), file]);
    else if (!existsSync(placeOf(file.path, { modelsDir }))) pointers.push(file);
    else if (!isSame(file, modelsDir)) differing.push(file.path);
  }
  for (const [id, members] of [...versions]) {
    if (!existsSync(path.join(modelsDir, id))) continue;
    versions.delete(id);
    if (!members.every((file) => existsSync(placeOf(file.path, { modelsDir })) && isSame(file, modelsDir))) differing.push(`models/${id}`);
  }
  return { versions, pointers, differing };
}

/** A version appears whole: a running service may be looking. */
function bringVersion(folder: string, id: string, files: readonly BackupFile[], modelsDir: string): void {
  const unfinished = path.join(modelsDir, `.restoring-${id}`);
  rmSync(unfinished, { recursive: true, force: true });
  makeFolder(unfinished);
  for (const file of files) copyFileSync(path.join(folder, ...file.path.split('/')), path.join(unfinished, path.basename(file.path)));
  syncFolder(unfinished);
  renameSync(unfinished, path.join(modelsDir, id));
}

function refuseDiffering(place: string, differing: readonly string[], { skipsExisting = false }: RestoreOptions): void {
  if (differing.length === 0 || skipsExisting) return;
  throw backupRefused(
    `These already exist in ${place} with different content: ${differing.join(', ')}. Move them away, or keep them with --skip-existing.`,
  );
}

/** The accounts come first, and would be restored without the versions. */
function requireWritable(modelsDir: string, { versions, pointers }: Plan): void {
  let existing = modelsDir;
  while (!existsSync(existing)) existing = path.dirname(existing);
  if (versions.size + pointers.length > 0 && !(statSync(existing).isDirectory() && canWrite(existing)))
    throw new ServiceError('file.unwritable', `${modelsDir} cannot be written.`);
}

/**
 * Checks all that can be checked without a store, so that a refused backup leaves none where there was none. `modelsDir` undefined: it is
 * not restored now. Throws ServiceError `backup.refused`, `file.unreadable`, `file.unwritable`.
 */
export async function checkBackup(modelsDir: string | undefined, folder: string, options: RestoreOptions = {}): Promise<Backup> {
  const backup = readBackup(folder);
  if (modelsDir !== undefined) {
    const planned = plan(backup.files, modelsDir);
    refuseDiffering(modelsDir, planned.differing, options);
    requireWritable(modelsDir, planned);
  }
  try {
    await checkTransferFile(path.join(folder, ACCOUNTS_FILE));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, `${error.message} ${madeByAnother(backup)}`.trimEnd(), { cause: error });
  }
  return backup;
}

/**
 * Restores what is missing: accounts with their keys, audit log, versions, pointers; the service may run. All is checked first, the backup itself
 * and conflicts with existing data: then either all is restored or nothing is changed. If interrupted, it can be run again. Throws ServiceError
 * `backup.refused`, `accounts.conflict`, `store.unavailable`, `file.unwritable`, `model.registry_busy`.
 */
export async function restoreBackup(
  { store, modelsDir, clock }: RestoreTarget,
  folder: string,
  { skipsExisting = false }: RestoreOptions = {},
): Promise<RestoreReport> {
  const { files } = readBackup(folder);
  refuseDiffering(modelsDir, plan(files, modelsDir).differing, { skipsExisting });
  const accounts = await importAccounts(store, path.join(folder, ACCOUNTS_FILE), clock, { skipsExisting });
  if (files.length === 1) return { accounts, versions: [], pointers: [], leftAlone: [] };
  try {
    return await lockRegistry(modelsDir, clock, () => {
      const { versions, pointers, differing: leftAlone } = plan(files, modelsDir);
      for (const [id, members] of versions) bringVersion(folder, id, members, modelsDir);
      // The pointer last: what it names is there by then. The history before it, as a promotion does.
      const inOrder = pointers.toSorted((a, b) => (a.path > b.path ? -1 : 1));
      for (const { path: name } of inOrder) {
        const target = placeOf(name, { modelsDir });
        copyFileSync(path.join(folder, ...name.split('/')), `${target}.restoring`);
        renameSync(`${target}.restoring`, target);
      }
      syncFolder(modelsDir);
      return { accounts, versions: [...versions.keys()], pointers: pointers.map(({ path: name }) => path.basename(name)), leftAlone };
    });
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('file.unwritable', `${modelsDir} cannot be written: ${(error as Error).message}.`, { cause: error });
  }
}
