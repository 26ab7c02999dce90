import type { Db } from 'mongodb';
import { ServiceError } from '../../core/ServiceError.ts';
import { type Account, notMigrated, type StoreAccess } from './AccountStore.ts';
import type { AuditEvent } from './AuditEvent.ts';
import { checkedAccount, checkedEvent } from './storedRows.ts';

export const ACCOUNTS = 'accounts';
export const AUDIT_LOG = 'audit_log';
export const LIMITS = 'limits';
export const TRACK_RECORD = 'track_record';
export const DELIVERIES = 'deliveries';
/** Without an index of its own: read by `_id` alone. */
export const SERIES_MEMORY = 'series_memory';
export const SEALED_FORECASTS = 'sealed_forecasts';
/** What all processes share, such as the key of the seals; read by `_id`. */
export const INSTALLATION = 'installation';
const SCHEMA = 'schema';

/**
 * An account with its keys in one document, so that a change of either is one write, and a key and its owner are found in one read. `_id`
 * is the normalised form of the e-mail, which is therefore unique without another index.
 */
export type AccountDocument = Omit<Account, 'emailKey'> & {
  readonly _id: string;
  /** Counts the changes: a change is written only if the version is still the one that was read. */
  readonly version: number;
};

export type EventDocument = Omit<AuditEvent, 'id'> & { readonly _id: string };

export function toAccount({ _id, version: _version, ...account }: AccountDocument): Account {
  return checkedAccount({ ...account, emailKey: _id });
}

export function toAccountDocument({ emailKey, ...account }: Account, version: number): AccountDocument {
  const { webhooks = [], markets = [], ...rest } = account;
  const lists = { ...(webhooks.length === 0 ? {} : { webhooks }), ...(markets.length === 0 ? {} : { markets }) };
  return { _id: emailKey, ...rest, ...lists, version };
}

export function toEvent({ _id, ...event }: EventDocument): AuditEvent {
  return checkedEvent({ ...event, id: _id });
}

export function toEventDocument({ id, ...event }: AuditEvent): EventDocument {
  return { _id: id, ...event };
}

type Index = { readonly collection: string; readonly name: string; readonly key: Readonly<Record<string, 1>>; readonly unique?: true };

/**
 * Step i migrates schema version i to i + 1. Never change a released step: add one. Each step is safe to run twice, and only adds, so that
 * the release before works on (docs/adr/0048-a-release-and-the-one-before-share-a-store.md).
 */
const MIGRATIONS: readonly (readonly Index[])[] = [
  [
    { collection: ACCOUNTS, name: 'account_id', key: { id: 1 } },
    { collection: ACCOUNTS, name: 'account_key_digest', key: { 'keys.digest': 1 } },
    { collection: ACCOUNTS, name: 'account_key_id', key: { 'keys.id': 1 } },
    { collection: ACCOUNTS, name: 'account_company', key: { companyId: 1 } },
    { collection: AUDIT_LOG, name: 'audit_time', key: { atMs: 1 } },
    { collection: AUDIT_LOG, name: 'audit_account', key: { accountId: 1, atMs: 1 } },
    // Without it, two processes could count one caller separately.
    { collection: LIMITS, name: 'limit_key', key: { key: 1 }, unique: true },
    { collection: LIMITS, name: 'limit_expire', key: { expire: 1 } },
  ],
  [{ collection: TRACK_RECORD, name: 'track_record_day', key: { day: 1 } }],
  [
    { collection: DELIVERIES, name: 'delivery_due', key: { nextAtMs: 1 } },
    { collection: DELIVERIES, name: 'delivery_webhook', key: { webhookId: 1, createdAtMs: 1 } },
    { collection: DELIVERIES, name: 'delivery_account', key: { accountId: 1 } },
  ],
  [{ collection: SEALED_FORECASTS, name: 'sealed_time', key: { atMs: 1 } }],
  [
    { collection: ACCOUNTS, name: 'account_market', key: { 'markets.id': 1 } },
    { collection: 'market_states', name: 'market_account', key: { accountId: 1 } },
    { collection: 'market_forecasts', name: 'market_change', key: { accountId: 1, id: 1, change: 1 } },
    { collection: 'market_forecasts', name: 'market_number', key: { accountId: 1, id: 1, n: 1 } },
    { collection: 'feed_logs', name: 'feed_first', key: { name: 1, first: 1 } },
  ],
  [{ collection: TRACK_RECORD, name: 'track_record_added', key: { addedDay: 1 } }],
];

const SCHEMA_VERSION = MIGRATIONS.length;

/** The oldest schema version whose programs work with a database of SCHEMA_VERSION: the steps after it only add. */
const OLDEST_PROGRAM = 2;

/** `version`: the oldest program that works with the database; each program refuses a higher one. `steps`: of MIGRATIONS, or of a newer program. */
type SchemaDocument = { readonly _id: 'tickmark'; readonly version: number; readonly steps?: number };

function refused(db: Db, what: string, remedy: string): ServiceError {
  return new ServiceError('store.refused', `The database ${db.databaseName} of MONGODB_URI ${what}. ${remedy}.`);
}

async function makeIndex(db: Db, { collection, name, key, unique }: Index): Promise<void> {
  await db.collection(collection).createIndex(key, { name, ...(unique === undefined ? {} : { unique }) });
}

async function checkIndexes(db: Db): Promise<void> {
  for (const index of MIGRATIONS.flat()) {
    const found = await db.collection(index.collection).indexes();
    const isThere = found.some(
      ({ key, unique }) => JSON.stringify(key) === JSON.stringify(index.key) && (index.unique === undefined || unique === true),
    );
    if (isThere) continue;
    const options = JSON.stringify({ name: index.name, ...(index.unique === undefined ? {} : { unique: true }) });
    const command = `db.${index.collection}.createIndex(${JSON.stringify(index.key)}, ${options})`;
    throw refused(db, `lacks the index ${index.name} of ${index.collection}`, `Restore a backup, or run in it: ${command}`);
  }
}

/**
 * Migrates the database to the schema of this program, index by index, and checks the result. Two processes may run it at the same time.
 * Throws ServiceError `store.refused` that says what to do, or the error of the driver.
 */
export async function migrateMongo(db: Db, onMigration?: StoreAccess['onMigration']): Promise<void> {
  const schema = db.collection<SchemaDocument>(SCHEMA);
  const { version, steps = version } = (await schema.findOne({ _id: 'tickmark' })) ?? { version: 0 };
  if (version > SCHEMA_VERSION) {
    const what = `has schema version ${version}; this tickmark supports versions up to ${SCHEMA_VERSION}`;
    throw refused(db, what, 'Run the newer tickmark that created it, or restore the backup taken before the upgrade');
  }
  // A database without the document is new, or its creation was interrupted.
  if (steps > 0 && steps < SCHEMA_VERSION) {
    if (onMigration === undefined)
      throw new ServiceError('store.refused', `The database ${db.databaseName} of MONGODB_URI ${notMigrated(steps, SCHEMA_VERSION)}.`);
    onMigration({ from: steps, to: SCHEMA_VERSION, copy: null });
  }
  for (const step of MIGRATIONS.slice(steps)) for (const index of step) await makeIndex(db, index);
  // A newer program may have migrated it further meanwhile.
  if (steps < SCHEMA_VERSION)
    await schema.updateOne({ _id: 'tickmark' }, { $max: { version: OLDEST_PROGRAM, steps: SCHEMA_VERSION } }, { upsert: true });
  await checkIndexes(db);
}
