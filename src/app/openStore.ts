import type { AccountStore } from '../accounts/AccountStore.ts';
import { MemoryCounter } from '../accounts/limits/MemoryCounter.ts';
import type { CounterOf } from '../accounts/limits/createLimits.ts';
import { openSqliteStore } from '../accounts/openSqliteStore.ts';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../core/Clock.ts';

export type OpenStore = {
  readonly store: AccountStore;
  /** Where limits are counted. */
  readonly counterOf: CounterOf;
  /** Where limits are counted that ask no store. */
  readonly nearCounterOf: CounterOf;
  close(): Promise<void>;
};

type StoreSettings = Pick<Settings, 'mongodbUri' | 'mongodbPoolSize' | 'storeTimeoutMs' | 'dataDir' | 'limits'>;

/**
 * `nearCounterOf`: counts where no store does; left out: in this process. MongoDB where MONGODB_URI names one, a file in DATA_DIR otherwise. The driver is loaded by those who need it. Throws ServiceError
 * `store.unavailable` or `store.refused`.
 */
export async function openStore(
  settings: StoreSettings,
  clock: Clock,
  nearCounterOf: CounterOf = (policy) => new MemoryCounter(policy, clock),
): Promise<OpenStore> {
  const { mongodbUri, mongodbPoolSize: poolSize, storeTimeoutMs, dataDir, limits } = settings;
  if (mongodbUri === '') {
    const store = openSqliteStore(dataDir, { clock, waitMs: storeTimeoutMs });
    return { store, counterOf: nearCounterOf, nearCounterOf, close: () => store.close() };
  }
  const { openMongo } = await import('../accounts/openMongo.ts');
  const { store, client, database } = await openMongo(mongodbUri, { answerMs: storeTimeoutMs, poolSize, clock });
  if (!limits.areShared) return { store, counterOf: nearCounterOf, nearCounterOf, close: () => store.close() };
  const { MongoCounter, sweepCounts } = await import('../accounts/limits/MongoCounter.ts');
  const stopSweeping = sweepCounts(client, database, clock);
  return {
    store,
    counterOf: (policy) => new MongoCounter(policy, { client, database, clock, fallback: nearCounterOf(policy) }),
    nearCounterOf,
    close: async () => {
      stopSweeping();
      await store.close();
    },
  };
}
