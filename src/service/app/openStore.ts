import type { AccountStore, StoreAccess } from '../accounts/AccountStore.ts';
import { LocalCounter } from '../accounts/limits/LocalCounter.ts';
import { MemoryCounter } from '../accounts/limits/MemoryCounter.ts';
import type { CounterOf } from '../accounts/limits/createLimits.ts';
import { StoreOutage } from '../accounts/StoreOutage.ts';
import { openSqliteStore } from '../accounts/openSqliteStore.ts';
import type { Settings } from '../../core/config/settings.ts';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';

export type OpenStore = {
  readonly store: AccountStore;
  /** Where limits are counted. */
  readonly counterOf: CounterOf;
  /** Where limits are counted that should not wait for a store. */
  readonly nearCounterOf: CounterOf;
  /** What other processes change, where the database can tell; returns a function that stops it. Absent for a file. */
  readonly watch?: (onAccount: (emailKey: string) => void, logger: Logger) => () => void;
  /** The clock of the database. Absent for a file. */
  readonly databaseMs?: () => Promise<number>;
  close(): Promise<void>;
};

/** Between two reports of one key to the database: four writes a second for each key and process, however fast it forecasts. */
const LIMIT_REPORT_MS = 250;

type StoreSettings = Pick<Settings, 'mongodbUri' | 'mongodbPoolSize' | 'storeTimeoutMs' | 'dataDir' | 'limits'>;

/**
 * MongoDB if MONGODB_URI names one, otherwise a file in DATA_DIR. `nearCounterOf` counts where no store does; left out: in this process. The
 * driver is loaded only where it is needed. `countsOutage` is told whether MongoDB counts. Without
 * `access.onMigration`, a store of an earlier version is refused. Throws ServiceError `store.unavailable` or `store.refused`.
 */
export async function openStore(
  settings: StoreSettings,
  clock: Clock,
  nearCounterOf: CounterOf = (policy) => new MemoryCounter(policy, clock),
  countsOutage: StoreOutage = new StoreOutage(clock),
  access: StoreAccess = {},
): Promise<OpenStore> {
  const { mongodbUri, mongodbPoolSize: poolSize, storeTimeoutMs, dataDir, limits } = settings;
  if (mongodbUri === '') {
    const store = openSqliteStore(dataDir, { clock, waitMs: storeTimeoutMs, ...access });
    return { store, counterOf: nearCounterOf, nearCounterOf, close: () => store.close() };
  }
  const [{ openMongo }, { ACCOUNTS }, { watchChanges }] = await Promise.all([
    import('../accounts/openMongo.ts'),
    import('../accounts/mongoSchema.ts'),
    import('../accounts/watchChanges.ts'),
  ]);
  const { store, client, database } = await openMongo(mongodbUri, { answerMs: storeTimeoutMs, poolSize, clock, ...access });
  const db = client.db(database);
  const watch: OpenStore['watch'] = (onAccount, logger) =>
    watchChanges(db.collection(ACCOUNTS), { onChange: (id) => onAccount(String(id)), clock, logger });
  const databaseMs = async (): Promise<number> => ((await db.command({ hello: 1 })) as { localTime: Date }).localTime.getTime();
  const common = { store, watch, databaseMs };
  if (!limits.areShared) return { ...common, counterOf: nearCounterOf, nearCounterOf, close: () => store.close() };
  const { MongoCounter, sweepCounts } = await import('../accounts/limits/MongoCounter.ts');
  const stopSweeping = sweepCounts(client, database, clock);
  // A round trip for each forecast would make the database the limit of a large installation.
  const counterOf: CounterOf = (policy) =>
    new LocalCounter(
      policy,
      new MongoCounter(policy, { client, database, clock, fallback: nearCounterOf(policy), outage: countsOutage }),
      clock,
      LIMIT_REPORT_MS,
    );
  return {
    ...common,
    counterOf,
    nearCounterOf: counterOf,
    close: async () => {
      stopSweeping();
      await store.close();
    },
  };
}
