import { openNamedStore, type StoreKind } from './openNamedStore.ts';
import { sampleAccount, sampleEvent } from './sampleAccount.ts';

/**
 * A process that creates accounts continuously and prints one line for each answer of the store, for tests that kill it. Arguments: kind of
 * store, its location, label of this process, first number. Several of them compete for the same e-mails.
 */
const [kind, place = '', label = '', first = '0'] = process.argv.slice(2);
const store = await openNamedStore(kind as StoreKind, place);
for (let i = Number(first); i < Number(first) + 5000; i++) {
  const account = sampleAccount(`${label}-${i}`, { emailKey: `race-${i}@example.com` });
  const outcome = await store.createAccount(account, sampleEvent(`event-${label}-${i}`, account.id));
  process.stdout.write(`${outcome} ${i}\n`);
}
