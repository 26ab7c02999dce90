import { chmodSync, copyFileSync, constants, existsSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import type { AccountStore } from '../../accounts/AccountStore.ts';
import { exportAccounts } from '../../accounts/transfer/exportAccounts.ts';
import type { Clock } from '../../../core/Clock.ts';
import { makeFolder } from '../../../core/makeFolder.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import { syncFolder, writeDurably, writeLines } from '../../../core/writeDurably.ts';
import { canWrite } from '../../../core/canWrite.ts';
import { lockRegistry } from '../../../engine/model/registry/lockRegistry.ts';
import { ACCOUNTS_FILE, backupRefused, fingerprint, MANIFEST, modelPaths, newBackup, placeOf, type Backup } from './backupFiles.ts';

export type BackupSource = {
  readonly store: AccountStore;
  readonly modelsDir: string;
  readonly clock: Clock;
  /** Version of the program, for the record. */
  readonly tickmark: string;
  /** Names `store`, for the record. */
  readonly storeName: string;
};

function copyInto(folder: string, modelsDir: string): void {
  for (const name of modelPaths(modelsDir)) {
    const target = path.join(folder, ...name.split('/'));
    makeFolder(path.dirname(target), 0o700);
    copyFileSync(placeOf(name, { modelsDir }), target, constants.COPYFILE_EXCL);
    chmodSync(target, 0o600);
  }
}

/**
 * Writes accounts, audit log, the owner's model versions and their pointers into a new folder, while the service runs. The folder appears whole or
 * not at all; only its owner can read it. Throws ServiceError `backup.refused`, `file.unwritable`, `store.unavailable`, `model.registry_busy`.
 */
export async function makeBackup({ store, modelsDir, clock, tickmark, storeName }: BackupSource, folder: string): Promise<Backup> {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw backupRefused(`${folder} already exists and is not empty.`);
  const unfinished = `${folder}.unfinished-${process.pid}`;
  try {
    makeFolder(unfinished, 0o700);
    await writeLines(path.join(unfinished, ACCOUNTS_FILE), exportAccounts(store, clock));
    // Pointers and versions of one moment: no promotion comes between.
    if (existsSync(modelsDir) && !canWrite(modelsDir)) copyInto(unfinished, modelsDir);
    else if (existsSync(modelsDir)) await lockRegistry(modelsDir, clock, () => copyInto(unfinished, modelsDir));
    const names = [ACCOUNTS_FILE, ...modelPaths(path.join(unfinished, 'models'))];
    const files = names.map((name) => ({ path: name, ...fingerprint(path.join(unfinished, ...name.split('/'))) }));
    const backup = newBackup({ tickmark, store: storeName }, clock.nowMs(), files);
    writeDurably(path.join(unfinished, MANIFEST), Buffer.from(`${JSON.stringify(backup, null, 2)}\n`));
    if (existsSync(folder)) rmdirSync(folder);
    renameSync(unfinished, folder);
    syncFolder(path.dirname(path.resolve(folder)));
    return backup;
  } catch (error) {
    if (existsSync(unfinished)) rmSync(unfinished, { recursive: true, force: true });
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('file.unwritable', `The backup ${folder} cannot be written: ${(error as Error).message}.`, { cause: error });
  }
}
