import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { SeriesRates } from '../../engine/live/SeriesRates.ts';
import { AccountService } from '../accounts/AccountService.ts';
import { NO_COPY, STORE_FILE } from '../accounts/AccountStore.ts';
import { Argon2Hasher } from '../accounts/Argon2Hasher.ts';
import { ClockCheck } from '../accounts/ClockCheck.ts';
import { createAuthenticate } from '../accounts/createAuthenticate.ts';
import { KeyAuthenticator } from '../accounts/KeyAuthenticator.ts';
import { KeyService } from '../accounts/KeyService.ts';
import { KeyUses } from '../accounts/KeyUses.ts';
import { createLimits } from '../accounts/limits/createLimits.ts';
import { LocalCounter } from '../accounts/limits/LocalCounter.ts';
import { meteredStore } from '../accounts/meteredStore.ts';
import { PasswordLogin } from '../accounts/PasswordLogin.ts';
import { StoreOutage } from '../accounts/StoreOutage.ts';
import { BufferedTrackRecord } from '../live/BufferedTrackRecord.ts';
import type { ForecastEvents } from '../live/ForecastEvents.ts';
import { RememberedForecasts } from '../live/RememberedForecasts.ts';
import { SealedForecasts } from '../live/SealedForecasts.ts';
import { SeriesMemories } from '../live/SeriesMemories.ts';
import { dayOf, NO_TRACK_RECORD } from '../live/TrackRecord.ts';
import { MarketService, type MarketServiceDeps, unknownMarket } from '../markets/MarketService.ts';
import { followBackups } from './backup/lastBackup.ts';
import { joinAlerts } from './joinAlerts.ts';
import type { openStore, OpenStore } from './openStore.ts';
import { forgetDeleted, pruneRegularly } from './pruneRegularly.ts';
import { noteServedStore } from './servedStore.ts';
import type { ServiceBasics } from './ServiceBasics.ts';
import { watchFolder } from './watchFolder.ts';

const MS_PER_DAY = 86_400_000;

/**
 * Opens the store of the accounts, and what belongs to them: keys and limits, alerts, track record, watched markets, and what memory keeps
 * of their series. `isAlone`: no other process serves the store.
 */
export async function openAccounts(
  basics: ServiceBasics,
  { open, isAlone, refusal }: Pick<MarketServiceDeps, 'refusal'> & { readonly open: typeof openStore; readonly isAlone: boolean },
) {
  const { settings, clock, logger, link, opened } = basics;
  const outages = watchOutages(basics);
  const { access, ...watched } = await openAccountStore(basics, open, outages.limits);
  const { store } = access;
  const alerts = opened.add(joinAlerts(basics, store));
  const trackRecord = opened.add(joinTrackRecord(basics, access, alerts.parts.forecastEvents));
  const rates = new SeriesRates();
  // Of MongoDB, other hosts may have replicas.
  const claims = settings.mongodbUri === '' ? link?.claims : undefined;
  const deps = { store, clock, logger, isAlone, claims, forecasts: trackRecord.memory };
  const memories = opened.add(settings.keepsMemory ? new SeriesMemories(deps) : undefined);
  const kept = [rates, memories, trackRecord.memory].filter((memory) => memory !== undefined);
  const { changed: onChange } = opened.add(forgetDeleted(kept, store, { clock, logger }));
  link?.on('forget', ({ accountId }) => onChange(accountId));
  const accounts = opened.add(joinKeys(basics, access, outages.keys, onChange));
  alerts.watch(trackRecord.parts.trackRecord);
  let onMarkets = (): void => {};
  const markets = new MarketService({
    ...{ store, clock, limits: settings.markets, refusal, onChange: () => onMarkets() },
    markets: async (accountId) => (await store.findAccount(accountId))?.markets ?? [],
    change: async (accountId, change) => {
      const changed = await store.changeAccount(accountId, (account) => ({
        account: { ...account, markets: change(account.markets ?? []) },
      }));
      // Deleted since its key was checked.
      if (changed === undefined) throw unknownMarket();
    },
  });
  return {
    ...{ access, outages, ...watched },
    passwordsWaiting: accounts.passwordsWaiting,
    recheckKeys: accounts.recheckKeys,
    parts: { ...accounts.parts, ...alerts.parts, ...trackRecord.parts, rates, memories, markets },
    watchMarkets: (run: () => void) => void (onMarkets = run),
  };
}

/** The store, with what watches its folder and its clock. Each call of it is counted. */
async function openAccountStore(basics: ServiceBasics, open: typeof openStore, limitsOutage: StoreOutage) {
  const { settings, clock, logger, metrics, tracer, link, opened } = basics;
  const isFile = settings.mongodbUri === '';
  const isNew = isFile && !existsSync(path.join(settings.dataDir, STORE_FILE));
  const access = await open(settings, clock, link && ((policy) => new LocalCounter(policy, link.counterOf(policy), clock)), limitsOutage, {
    onMigration: ({ copy, ...versions }) => logger.warn('migrating the account store', { ...versions, copy: copy ?? NO_COPY }),
  });
  opened.add(access);
  noteServedStore(settings, logger);
  const kind = isFile ? `${isNew ? 'new' : 'existing'} file` : 'MongoDB';
  logger.info('account store opened', { dataDir: settings.dataDir, store: kind, accounts: await access.store.countAccounts() });
  // With workers, the primary process stands for all of them. Many replicas share one MongoDB.
  if (link === undefined && isFile) opened.add(watchFolder(settings.dataDir, { clock, logger }));
  const { databaseMs } = access;
  const clockCheck = opened.add(databaseMs && new ClockCheck({ databaseMs, clock, logger }));
  clockCheck?.start();
  const isMetered = metrics !== undefined || tracer !== undefined;
  const metered = meteredStore(access.store, clock, (call, outcome, ms) => {
    metrics?.storeCall(call, outcome, ms);
    tracer?.record(`store ${call}`, ms, { isFailed: outcome === 'failed' });
  });
  const store = isMetered ? metered : access.store;
  const lastBackup = opened.add(metrics && (await followBackups(store, clock)));
  return { access: { ...access, store }, clockCheck, lastBackup };
}

/** Outages of the store for keys and for shared limits; each is logged once when it begins and once when it ends. */
function watchOutages({ settings: { keyOutageMs }, clock, logger }: ServiceBasics) {
  const watch = (began: () => void, ended: string): StoreOutage =>
    new StoreOutage(clock, (lastedMs) => (lastedMs === undefined ? began() : logger.info(ended, { ms: Math.round(lastedMs) })));
  return {
    keys: watch(
      () =>
        logger.warn('the account store does not answer: keys that were valid before are accepted until the time given', {
          until: new Date(clock.nowMs() + keyOutageMs).toISOString(),
        }),
      'the account store answers again; keys are checked again',
    ),
    limits: watch(
      () => logger.warn('MongoDB does not count the limits: this replica counts alone, and answers have RateLimit-Scope: replica'),
      'MongoDB counts the limits again',
    ),
  };
}

/** Keys, passwords and limits. `close` flushes pending writes. */
function joinKeys(
  { settings, clock, logger, link }: ServiceBasics,
  { store, counterOf, nearCounterOf }: OpenStore,
  outage: StoreOutage,
  onAccount: (accountId: string) => void,
) {
  const hasher = new Argon2Hasher(settings.passwordHash, clock);
  const uses = new KeyUses(store, clock);
  const limits = createLimits(settings.limits, counterOf, nearCounterOf, uses.count);
  const authenticator = new KeyAuthenticator({
    ...{ store, clock, cacheLifeMs: settings.keyCacheMs, outageMs: settings.keyOutageMs, outage, uses },
    onValid: (digest) => link?.send({ kind: 'valid', digests: [digest] }),
  });
  const onChange = (accountId: string): void => {
    authenticator.invalidate(accountId);
    link?.send({ kind: 'forget', accountId });
    onAccount(accountId);
  };
  link?.on('forget', ({ accountId }) => authenticator.invalidate(accountId));
  link?.on('valid', ({ digests }) => digests.forEach((digest) => authenticator.rememberValid(digest)));
  const login = new PasswordLogin({ store, hasher, limits, clock, logger });
  const days = settings.auditRetentionDays;
  const prune = (): Promise<number> => store.pruneEvents(clock.nowMs() - days * MS_PER_DAY);
  const stopPruning = days === 0 ? () => {} : pruneRegularly('audit log', prune, { clock, logger });
  return {
    parts: {
      authenticate: createAuthenticate(authenticator, limits.failedKeys, clock),
      knownOwner: (header: string) => authenticator.known(header),
      login: login.verify.bind(login),
      account: (id: string) => store.findAccount(id),
      accounts: new AccountService({ store, hasher, clock, isSignUpOpen: settings.signup === 'open', onChange }),
      keys: new KeyService({ store, clock, graceMs: settings.keyGraceMs, onChange }),
      limits,
    },
    passwordsWaiting: () => hasher.waiting,
    recheckKeys: (emailKey: string) => authenticator.recheck(emailKey),
    close: async () => {
      stopPruning();
      authenticator.close();
      await uses.write();
    },
  };
}

/** `close` writes what was counted. */
function joinTrackRecord({ settings, clock, logger }: ServiceBasics, { store }: OpenStore, events: ForecastEvents) {
  const { keepsTrackRecord, trackRecordRetentionDays: days, sealedLines: mostLines } = settings;
  if (!keepsTrackRecord) {
    const remembered = { settle: () => {}, remember: () => {}, refuseOtherKind: () => {} };
    return { parts: { trackRecord: NO_TRACK_RECORD, keepsTrackRecord, remembered }, memory: undefined, close: () => Promise.resolve() };
  }
  const sealed = mostLines === 0 ? undefined : new SealedForecasts({ store, clock, newBatchId: randomUUID, mostLines });
  const trackRecord = new BufferedTrackRecord({ store, clock, logger, newBatchId: randomUUID, sealed });
  const remembered = new RememberedForecasts(trackRecord, clock, events);
  const stopPruning = pruneRegularly('track record', () => store.pruneRecords(dayOf(clock.nowMs() - days * MS_PER_DAY)), { clock, logger });
  return {
    parts: { trackRecord, keepsTrackRecord, remembered },
    memory: remembered,
    close: async () => {
      stopPruning();
      remembered.close();
      await trackRecord.flush().catch((error: unknown) => logger.warn('track record not written', { error }));
    },
  };
}
