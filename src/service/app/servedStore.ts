import { renameSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { STORE_FILE } from '../accounts/AccountStore.ts';
import { describeDatabase } from '../accounts/mongoAddress.ts';
import type { Settings } from '../../core/config/settings.ts';
import type { Logger } from '../../core/Logger.ts';
import { makeFolder } from '../../core/makeFolder.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { readSmallFile } from '../../engine/model/readRegularFile.ts';

/** In DATA_DIR: the store of the service that ran there last. Commands that were started without its secrets would use another one. */
const MARK = 'store.json';
const MOST_BYTES = 65_536;

type StoreSettings = Pick<Settings, 'dataDir' | 'mongodbUri'>;

/** A folder may have another path for the service, in a container. */
const nameOf = ({ mongodbUri }: StoreSettings): string => (mongodbUri === '' ? STORE_FILE : describeDatabase(mongodbUri));

/** Names the account store of these settings to people. */
export const describeStore = (settings: StoreSettings): string =>
  settings.mongodbUri === '' ? path.join(settings.dataDir, STORE_FILE) : `the ${nameOf(settings)}`;

/** Notes in DATA_DIR that its service uses this store. The service goes on if that cannot be written. */
export function noteServedStore(settings: StoreSettings, logger: Logger): void {
  const file = path.join(settings.dataDir, MARK);
  const unfinished = `${file}.${process.pid}`;
  try {
    makeFolder(settings.dataDir, 0o700);
    if (readServed(file) === nameOf(settings)) return;
    writeFileSync(unfinished, `${JSON.stringify({ store: nameOf(settings) })}\n`, { mode: 0o600 });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    logger.warn('DATA_DIR cannot be written: commands cannot see whether they use the store of this service', {
      dataDir: settings.dataDir,
      reason: (error as Error).message,
    });
  }
}

/** Undefined: no service has run here, or this process may not know. */
function readServed(file: string): string | undefined {
  try {
    const { store } = JSON.parse(readSmallFile(file, MOST_BYTES) ?? '{}') as { store?: unknown };
    return typeof store === 'string' ? store : undefined;
  } catch {
    return undefined;
  }
}

/** Throws ServiceError `store.refused` if the service of DATA_DIR uses another store than these settings name. */
export function requireServedStore(settings: StoreSettings): void {
  const served = readServed(path.join(settings.dataDir, MARK));
  if (served === undefined || served === nameOf(settings)) return;
  const its = served === STORE_FILE ? `the file ${STORE_FILE}` : `the ${served}`;
  throw new ServiceError(
    'store.refused',
    `The service of DATA_DIR ${settings.dataDir} keeps its accounts in ${its}; this command would use ${describeStore(settings)}. ` +
      'Give it MONGODB_URI or MONGODB_URI_FILE, and DATA_DIR, as the service has them. To move the accounts, use accounts import or restore with --other-store, then start the service with its new settings.',
  );
}
