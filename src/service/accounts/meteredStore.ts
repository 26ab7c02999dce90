import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { AccountStore } from './AccountStore.ts';

/** Called after every store call with its name, whether it was answered, and its duration. */
export type OnStoreCall = (call: string, outcome: 'answered' | 'failed', ms: number) => void;

/** An answer to the caller, such as `key.unknown`: the store itself works. */
const isRefusal = (error: unknown): boolean => error instanceof ServiceError && !error.code.startsWith('store.');

/** Wraps a store so that `onCall` is called after each call. */
export function meteredStore(store: AccountStore, clock: Clock, onCall: OnStoreCall): AccountStore {
  const metered =
    <Args extends readonly unknown[], T>(name: string, call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const startMs = clock.monotonicMs();
      try {
        const answer = await call(...args);
        onCall(name, 'answered', clock.monotonicMs() - startMs);
        return answer;
      } catch (error) {
        onCall(name, isRefusal(error) ? 'answered' : 'failed', clock.monotonicMs() - startMs);
        throw error;
      }
    };
  return {
    createAccount: metered('createAccount', (account, event) => store.createAccount(account, event)),
    findAccount: metered('findAccount', (id) => store.findAccount(id)),
    findAccountByEmailKey: metered('findAccountByEmailKey', (emailKey) => store.findAccountByEmailKey(emailKey)),
    findAccountByDigest: metered('findAccountByDigest', (digest) => store.findAccountByDigest(digest)),
    findAccountByKeyId: metered('findAccountByKeyId', (keyId) => store.findAccountByKeyId(keyId)),
    listAccounts: metered('listAccounts', (page) => store.listAccounts(page)),
    countAccounts: metered('countAccounts', () => store.countAccounts()),
    changeAccount: metered('changeAccount', (id, change) => store.changeAccount(id, change)),
    deleteAccount: metered('deleteAccount', (id, event) => store.deleteAccount(id, event)),
    appendEvent: metered('appendEvent', (event) => store.appendEvent(event)),
    listEvents: metered('listEvents', (query) => store.listEvents(query)),
    pruneEvents: metered('pruneEvents', (beforeMs) => store.pruneEvents(beforeMs)),
    addRecords: metered('addRecords', (rows, batch) => store.addRecords(rows, batch)),
    importRecords: metered('importRecords', (rows) => store.importRecords(rows)),
    listRecords: metered('listRecords', (page) => store.listRecords(page)),
    pruneRecords: metered('pruneRecords', (beforeDay) => store.pruneRecords(beforeDay)),
    sealKey: metered('sealKey', (candidate) => store.sealKey(candidate)),
    lastSealed: metered('lastSealed', (accountId) => store.lastSealed(accountId)),
    listSealed: metered('listSealed', (page) => store.listSealed(page)),
    addSealed: metered('addSealed', (blocks) => store.addSealed(blocks)),
    trimSealed: metered('trimSealed', (accountId, mostLines) => store.trimSealed(accountId, mostLines)),
    readMemory: metered('readMemory', (key, known) => store.readMemory(key, known)),
    writeMemory: metered('writeMemory', (row, before, atMs) => store.writeMemory(row, before, atMs)),
    listMemories: metered('listMemories', (accountId) => store.listMemories(accountId)),
    importMemories: metered('importMemories', (rows, atMs) => store.importMemories(rows, atMs)),
    listMarkets: metered('listMarkets', () => store.listMarkets()),
    marketStates: metered('marketStates', (accountId) => store.marketStates(accountId)),
    marketForecasts: metered('marketForecasts', (key, after, limit) => store.marketForecasts(key, after, limit)),
    pendingForecasts: metered('pendingForecasts', (key) => store.pendingForecasts(key)),
    dropMarket: metered('dropMarket', (key) => store.dropMarket(key)),
    leases: metered('leases', () => store.leases()),
    claimFeed: metered('claimFeed', (feed, owner, seen) => store.claimFeed(feed, owner, seen)),
    beatFeeds: metered('beatFeeds', (owner) => store.beatFeeds(owner)),
    releaseFeeds: metered('releaseFeeds', (released) => store.releaseFeeds(released)),
    commitFeeds: metered('commitFeeds', (commit) => store.commitFeeds(commit)),
    feedLog: metered('feedLog', (name) => store.feedLog(name)),
    addDeliveries: metered('addDeliveries', (deliveries) => store.addDeliveries(deliveries)),
    claimDeliveries: metered('claimDeliveries', (claim) => store.claimDeliveries(claim)),
    settleDeliveries: metered('settleDeliveries', (settled) => store.settleDeliveries(settled)),
    postponeDeliveries: metered('postponeDeliveries', (ids, nextAtMs) => store.postponeDeliveries(ids, nextAtMs)),
    listFailed: metered('listFailed', (webhookId) => store.listFailed(webhookId)),
    dropDeliveries: metered('dropDeliveries', (webhookId) => store.dropDeliveries(webhookId)),
    ping: metered('ping', () => store.ping()),
    close: () => store.close(),
  };
}
