import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { NO_COPY, STORE_FILE } from '../../accounts/AccountStore.ts';
import { ClockCheck } from '../../accounts/ClockCheck.ts';
import { LocalCounter } from '../../accounts/limits/LocalCounter.ts';
import { meteredStore } from '../../accounts/meteredStore.ts';
import { followBackups } from '../backup/lastBackup.ts';
import { FolderUsers } from '../FolderUsers.ts';
import type { openStore } from '../openStore.ts';
import { noteServedStore } from '../servedStore.ts';
import { watchOutages } from '../watchOutages.ts';
import type { ServiceBasics } from './ServiceBasics.ts';

/** Opens the store of the accounts, with what watches its folder, its outages and its clock. Each call of it is counted. */
export async function openAccountStore(basics: ServiceBasics, open: typeof openStore) {
  const { settings, clock, logger, metrics, link, opened } = basics;
  const isFile = settings.mongodbUri === '';
  const isNew = isFile && !existsSync(path.join(settings.dataDir, STORE_FILE));
  const outages = watchOutages(settings, { clock, logger });
  const store = await open(settings, clock, link && ((policy) => new LocalCounter(policy, link.counterOf(policy), clock)), outages.limits, {
    onMigration: ({ copy, ...versions }) => logger.warn('migrating the account store', { ...versions, copy: copy ?? NO_COPY }),
  });
  opened.add(store);
  noteServedStore(settings, logger);
  const kind = isFile ? `${isNew ? 'new' : 'existing'} file` : 'MongoDB';
  logger.info('account store opened', { dataDir: settings.dataDir, store: kind, accounts: await store.store.countAccounts() });
  // With workers, the primary process stands for all of them. Many replicas share one MongoDB.
  if (link === undefined && isFile) opened.add(new FolderUsers(settings.dataDir, { clock, logger })).start();
  const { databaseMs } = store;
  const clockCheck = opened.add(databaseMs && new ClockCheck({ databaseMs, clock, logger }));
  clockCheck?.start();
  const access = { ...store, store: meteredBy(basics, store.store) };
  const lastBackup = opened.add(metrics && (await followBackups(access.store, clock)));
  return { access, outages, clockCheck, lastBackup };
}

function meteredBy({ clock, metrics, tracer }: ServiceBasics, store: Parameters<typeof meteredStore>[0]) {
  if (metrics === undefined && tracer === undefined) return store;
  return meteredStore(store, clock, (call, outcome, ms) => {
    metrics?.storeCall(call, outcome, ms);
    tracer?.record(`store ${call}`, ms, { isFailed: outcome === 'failed' });
  });
}
