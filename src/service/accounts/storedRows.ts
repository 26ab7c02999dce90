import { checkSchema } from '../../core/checkSchema.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { tallyFault } from '../../engine/live/tallyFault.ts';
import type { RecordRow } from '../live/TrackRecord.ts';
import type { Account } from './AccountStore.ts';
import type { AuditEvent } from './AuditEvent.ts';

/** The last time that a Date knows. */
export const LAST_MS = 8.64e15;

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const time = { type: 'integer', minimum: 0, maximum: LAST_MS };
const timeOrNull = { ...time, type: ['integer', 'null'] };
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
export const DAY = '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$';
const day = { type: 'string', pattern: DAY };
const list = (items: object) => ({ type: 'array', items });
/** What is null may be missing, and a newer release may have stored more. */
const object = (properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name) && !Array.isArray(properties[name]['type'])),
});

const IS_DAY = new RegExp(DAY);
const USE = object({ batch: text, days: list(object({ day, forecasts: count, refused: count })) });
const KEY = object(
  {
    ...{ id: text, digest: { type: 'string', pattern: '^[0-9a-f]{64}$' }, prefix: text, name: textOrNull, createdAtMs: time },
    ...{ expiresAtMs: timeOrNull, revokedAtMs: timeOrNull, graceUntilMs: timeOrNull, lastUsedAtMs: timeOrNull, use: USE },
  },
  ['use'],
);
const WEBHOOK = object({
  ...{ id: text, url: text, secret: text, events: list(text), createdAtMs: time, recordIsWorse: { type: 'boolean' } },
});
const MARKET = object({
  ...{ id: text, exchange: text, symbol: text, kind: text, period: textOrNull, horizons: list(text), every: text },
  ...{ costBps: { type: ['number', 'null'] }, alert: { type: ['object', 'null'] }, createdAtMs: time },
});
const ACCOUNT = object(
  {
    ...{ id: text, email: text, emailKey: text, companyId: textOrNull, passwordHash: text, createdAtMs: time, disabledAtMs: timeOrNull },
    ...{ keys: list(KEY), webhooks: list(WEBHOOK), markets: list(MARKET) },
  },
  ['webhooks', 'markets'],
);
const EVENT = object({ id: text, atMs: time, action: text, actor: text, accountId: text, keyId: textOrNull, requestId: textOrNull });

/** A row that no release has written: it is refused by its name, and never by a value, which may be a secret. */
function damaged(row: string, why: string, cause?: unknown): ServiceError {
  return new ServiceError('store.unavailable', `A row of the account store is damaged: ${row}${why}.`, { cause });
}

function checked<T>(schema: object, row: string, value: T): T {
  const broken = checkSchema(schema as Readonly<Record<string, unknown>>, value);
  if (broken !== null) throw damaged(row, `${broken.path} ${broken.message}`);
  return value;
}

/** Throws ServiceError `store.unavailable` for one that is damaged, as the others do. */
export const checkedAccount = (account: Account): Account => checked(ACCOUNT, `account ${String(account.id)}`, account);
export const checkedEvent = (event: AuditEvent): AuditEvent => checked(EVENT, `event ${String(event.id)}`, event);

/** Without a schema: thousands of rows are read at once. */
export function checkedRecord(row: RecordRow): RecordRow {
  const { accountId, series, model, bucket, day: of, ownThreshold, tally, addedDay = of } = row;
  const texts = [accountId, series, model, bucket, of];
  const areTexts =
    texts.every((one) => typeof one === 'string') && IS_DAY.test(of) && IS_DAY.test(addedDay) && typeof ownThreshold === 'boolean';
  const fault = areTexts ? tallyFault(tally) : 'a part of its key is not one';
  if (fault !== undefined) throw damaged(`track record ${texts.map(String).join(' ')}`, `: ${fault}`);
  return row;
}

/** What a column has as JSON. */
export function parseColumn(row: string, column: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw damaged(row, `: ${column} is not JSON`, error);
  }
}
