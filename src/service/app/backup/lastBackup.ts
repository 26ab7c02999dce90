import * as path from 'node:path';
import { STORE_FILE, type AccountStore } from '../../accounts/AccountStore.ts';
import { ALL_ACCOUNTS, auditEvent } from '../../accounts/AuditEvent.ts';
import type { Clock } from '../../../core/Clock.ts';
import { every } from '../../../core/every.ts';
import type { Settings } from '../../../core/config/settings.ts';
import { canWrite } from '../../../core/canWrite.ts';

const LOOK_MS = 60_000;

/** Notes in the audit log of the store that a backup of it was made. Resolves to the reason why that was impossible. */
export async function noteBackup(
  store: Pick<AccountStore, 'appendEvent'>,
  { mongodbUri, dataDir }: Pick<Settings, 'mongodbUri' | 'dataDir'>,
  clock: Clock,
): Promise<string | undefined> {
  // A file that cannot be written is read from a private copy.
  if (mongodbUri === '' && !(canWrite(dataDir) && canWrite(path.join(dataDir, STORE_FILE)))) return `${dataDir} cannot be written.`;
  try {
    await store.appendEvent(auditEvent('backup.made', { actor: 'operator', requestId: null }, ALL_ACCOUNTS, clock.nowMs()));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** When the last backup of a store was made, looked up now and once a minute, for the metrics; 0: none is known. */
export async function followBackups(
  store: Pick<AccountStore, 'listEvents'>,
  clock: Clock,
): Promise<{ readonly atMs: number; close(): void }> {
  let atMs = 0;
  const look = async (): Promise<void> => {
    try {
      const [event] = await store.listEvents({ accountId: ALL_ACCOUNTS, limit: 1 });
      atMs = event?.atMs ?? 0;
    } catch {
      // Without an answer, the last one stays.
    }
  };
  const close = every(clock, LOOK_MS, () => void look());
  await look();
  return {
    get atMs() {
      return atMs;
    },
    close,
  };
}
