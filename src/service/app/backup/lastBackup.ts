import * as path from 'node:path';
import { STORE_FILE, type AccountStore } from '../../accounts/AccountStore.ts';
import { ALL_ACCOUNTS, auditEvent } from '../../accounts/AuditEvent.ts';
import type { Clock } from '../../../core/Clock.ts';
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

/** When the last backup of a store was made, looked up once a minute, for the metrics. */
export class LastBackup {
  readonly #store: Pick<AccountStore, 'listEvents'>;
  readonly #clock: Clock;
  #atMs = 0;
  #cancel = (): void => {};

  constructor(store: Pick<AccountStore, 'listEvents'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** 0: none is known. */
  get atMs(): number {
    return this.#atMs;
  }

  /** Looks now and then once a minute, until `close`. Resolves after the first look. */
  async start(): Promise<void> {
    this.#cancel = this.#clock.after(LOOK_MS, () => void this.start());
    try {
      const [event] = await this.#store.listEvents({ accountId: ALL_ACCOUNTS, limit: 1 });
      this.#atMs = event?.atMs ?? 0;
    } catch {
      // Without an answer, the last one stays.
    }
  }

  close(): void {
    this.#cancel();
  }
}
