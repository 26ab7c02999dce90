import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import Database from 'libsql';
import { sqliteStore } from '../../src/service/accounts/openSqliteStore.ts';
import { SqliteDatabase } from '../../src/service/accounts/SqliteDatabase.ts';
import { openForecaster } from '../../src/service/app/openForecaster.ts';
import { openStore as openRealStore } from '../../src/service/app/openStore.ts';
import { startService, type RunningService, type ServiceOverrides } from '../../src/service/app/startService.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import { createLogger } from '../../src/core/observability/createLogger.ts';
import type { BarModel } from '../../src/engine/model/BarModel.ts';
import type { MemoryLine } from '../../src/engine/memory/memoryLine.ts';
import { makeStoreLocation, type StoreLocation } from './eachStore.ts';
import type { StoreKind } from './openNamedStore.ts';
import { request, type Answer, type Ask } from './request.ts';
import { saveSmallModel } from './saveSmallModel.ts';
import { keepLog } from './serviceLogs.ts';
import { smallInputs } from './smallInputs.ts';

export const PASSWORD = 'correct horse 42';

/**
 * High limits for tests of other parts. A forecast is refused for 60 ms after the event loop was blocked for a quarter of the deadline, which a
 * busy machine does.
 */
const NO_LIMITS = {
  FORECAST_DEADLINE_MS: '60000',
  LIMIT_FORECASTS_PER_MINUTE: '0',
  LIMIT_SIGNUPS_PER_HOUR: '0',
  LIMIT_LOGINS_PER_MINUTE: '0',
  LIMIT_FAILED_LOGINS_PER_HOUR: '0',
  LIMIT_FAILED_KEYS_PER_MINUTE: '0',
};

/** Below what the settings allow: a hash of the default cost takes 25 ms of a processor. */
const CHEAP_HASH = { memoryKib: 256, passes: 1 };

export type AccountRig = {
  readonly service: RunningService;
  /** All log lines. */
  readonly logged: string[];
  /** All answers as text. */
  readonly answered: string[];
  ask(path: string, ask?: Ask): Promise<Answer>;
  signUp(email: string, headers?: Record<string, string>): Promise<Answer>;
  /** With e-mail and password. */
  asOwner(email: string, path: string, ask?: Ask & { password?: string }): Promise<Answer>;
  withKey(apiKey: unknown, path: string, ask?: Ask): Promise<Answer>;
  /** Limits the size of the SQLite file of the service to slightly more than its current size. */
  fillStore(): void;
  /** Refuses writes to the SQLite file of the service, as a read-only file system does. */
  makeStoreReadOnly(): void;
  close(): Promise<void>;
};

type Overrides = Pick<ServiceOverrides, 'clock' | 'isAlone' | 'findMarket'> & { memory?: MemoryLine; bars?: BarModel };

/** `startAccountService` over an empty store, from before the first test of the suite that is being defined until after its last one. */
export function suiteService(
  kind: StoreKind,
  env: Record<string, string> = {},
  overrides: Overrides = {},
): AccountRig & { place: StoreLocation } {
  const rig = {} as AccountRig & { place: StoreLocation };
  before(async function () {
    rig.place = await makeStoreLocation(kind, this);
    Object.assign(rig, await startAccountService(rig.place, env, overrides));
  });
  after(async () => {
    await rig.close?.();
    await rig.place?.dispose();
  });
  return rig;
}

/** The whole service over a store, with a small network; limits are off except those in `env`. */
export async function startAccountService(
  { env: places }: StoreLocation,
  env: Record<string, string> = {},
  { memory, bars, ...overrides }: Overrides = {},
): Promise<AccountRig> {
  const models = mkdtempSync(path.join(tmpdir(), 'tickmark-models-'));
  await saveSmallModel(models, 'small', {}, 7, { 'inputs.json': JSON.stringify(smallInputs()) }, undefined, memory, bars);
  const logged: string[] = [];
  const answered: string[] = [];
  const logger = createLogger('debug', { write: (line: string) => void logged.push(line) });
  const given = {
    PORT: '0',
    MODEL: 'small',
    MODELS_DIR: models,
    RUNTIME_BACKEND: 'wasm',
    INFERENCE_PROCESS: 'false',
    ...NO_LIMITS,
    ...places,
    ...env,
  };
  let database: Database.Database | undefined;
  const openStore: NonNullable<ServiceOverrides['openStore']> = async (settings, clock, ...rest) => {
    if (settings.mongodbUri !== '') return openRealStore(settings, clock, ...rest);
    const opened = await openRealStore(settings, clock);
    await opened.store.close();
    database = new Database(path.join(settings.dataDir, 'tickmark.sqlite'));
    const store = sqliteStore(new SqliteDatabase(database, { clock, waitMs: settings.storeTimeoutMs }));
    return { ...opened, store, close: () => store.close() };
  };
  let hasEnded = false;
  keepLog({ name: 'the service', tail: () => logged.slice(-100).join(''), hasEnded: () => hasEnded });
  const settings = readSettings(given);
  const passwordHash = { ...settings.passwordHash, ...CHEAP_HASH };
  const service = await startService(
    { ...settings, passwordHash },
    { logger, openStore, openForecaster: (given, deps) => openForecaster(given, { ...deps, batches: [1] }), warmUpRounds: 1, ...overrides },
  );
  const ask = async (route: string, how?: Ask): Promise<Answer> => {
    const answer = await request(service.url, route, how);
    answered.push(answer.text);
    return answer;
  };
  return {
    service,
    logged,
    answered,
    ask,
    signUp: (email, headers = {}) => ask('/signup', { body: { email, password: PASSWORD, confirm_password: PASSWORD }, headers }),
    asOwner: (email, route, { password = PASSWORD, headers, ...how } = {}) =>
      ask(route, { ...how, headers: { Authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`, ...headers } }),
    withKey: (apiKey, route, { headers, ...how } = {}) => ask(route, { ...how, headers: { 'Api-Key': String(apiKey), ...headers } }),
    fillStore: () => {
      const [{ page_count: pages } = { page_count: 0 }] = database?.prepare('PRAGMA page_count').all() as { page_count: number }[];
      database?.prepare(`PRAGMA max_page_count = ${pages + 2}`).all();
    },
    makeStoreReadOnly: () => void database?.prepare('PRAGMA query_only = ON').all(),
    close: async () => {
      await service.close();
      hasEnded = true;
      rmSync(models, { recursive: true, force: true });
    },
  };
}
