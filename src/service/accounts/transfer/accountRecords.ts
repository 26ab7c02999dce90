import { Ajv } from 'ajv';
import { ALERT_FORMATS, AlertRuleSchema } from '../../../contract/alertRule.ts';
import { MARKET_HORIZONS, MARKET_KINDS, MarketForecastSchema, MarketSchema as ShownMarketSchema } from '../../../contract/markets.ts';
import { Type } from '../../../core/schema.ts';
import { EMPTY_TALLY } from '../../../engine/live/score.ts';
import { tallyFault } from '../../../engine/live/tallyFault.ts';
import { memoryFault, MAX_MEMORY_BYTES } from '../../../engine/memory/SeriesMemory.ts';
import type { Account } from '../AccountStore.ts';
import { ALERT_TYPES, MOST_WEBHOOKS } from '../../alerts/Webhook.ts';
import { headAfter, type SealedBlock } from '../../live/sealedChain.ts';
import type { RecordRow } from '../../live/TrackRecord.ts';
import type { ForecastRow, MarketState } from '../../markets/Market.ts';
import { DAY, LAST_MS } from '../storedRows.ts';
import { AUDIT_ACTIONS, AUDIT_ACTORS, type AuditEvent } from '../AuditEvent.ts';

/** Lines of a transfer file, each one JSON object: a header, accounts ordered by e-mail, each with its track record and the memory of its series, events newest first, an end. */
export type AccountRecord =
  | { readonly type: 'header'; readonly format: typeof FORMAT | (typeof EARLIER_FORMATS)[number]; readonly createdAtMs: number }
  | { readonly type: 'account'; readonly account: Account }
  | { readonly type: 'records'; readonly rows: readonly RecordRow[] }
  /** `bytes`: base64. */
  | { readonly type: 'memory'; readonly accountId: string; readonly series: string; readonly bytes: string }
  | { readonly type: 'sealed'; readonly block: SealedBlock }
  /** Of a watched market: what is known of it, then its forecasts in the order of their changes. */
  | { readonly type: 'market'; readonly accountId: string; readonly id: string; readonly state: MarketState }
  | { readonly type: 'forecasts'; readonly rows: readonly ForecastRow[] }
  /** The key of the seals, which goes on where the store has none. */
  | { readonly type: 'seal_key'; readonly key: string }
  | { readonly type: 'event'; readonly event: AuditEvent }
  /** `sha256` is the digest of all bytes before this line, hex. */
  | { readonly type: 'end'; readonly accounts: number; readonly events: number; readonly sha256: string };

export const FORMAT = 'tickmark-accounts/5';
/** Without track records, without the memory of series, without sealed forecasts, and without what is known of watched markets. */
const EARLIER_FORMATS = ['tickmark-accounts/1', 'tickmark-accounts/2', 'tickmark-accounts/3', 'tickmark-accounts/4'] as const;
/** Rows of one line. */
export const ROWS_PER_LINE = 100;

/** MongoDB joins ids by blanks. */
const id = () => Type.String({ pattern: '^[^\\s]{1,64}$' });
const time = () => Type.Integer({ minimum: 0, maximum: LAST_MS });
const timeOrNull = () => Type.Nullable(time());
const textOrNull = (maxLength: number) => Type.Nullable(Type.String({ maxLength }));
const numberOrNull = () => Type.Nullable(Type.Number());
const count = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const day = () => Type.String({ pattern: DAY });
const hash = () => Type.String({ pattern: '^[0-9a-f]{64}$' });
const oneOf = (values: readonly string[]) => Type.Unsafe<string>({ type: 'string', enum: [...values] });

const KeySchema = Type.Object({
  id: id(),
  digest: hash(),
  prefix: Type.String({ pattern: '^tkm_[a-z]+_[0-9A-Za-z]{4}$' }),
  name: textOrNull(64),
  createdAtMs: time(),
  expiresAtMs: timeOrNull(),
  revokedAtMs: timeOrNull(),
  graceUntilMs: timeOrNull(),
  lastUsedAtMs: timeOrNull(),
  use: Type.Optional(
    Type.Object({ batch: id(), days: Type.Array(Type.Object({ day: day(), forecasts: count(), refused: count() }), { maxItems: 100 }) }),
  ),
});

const WebhookSchema = Type.Object({
  id: id(),
  url: Type.String({ maxLength: 2048 }),
  secret: Type.String({ pattern: '^whsec_[A-Za-z0-9+/=]{32,96}$' }),
  events: Type.Array(oneOf(ALERT_TYPES), { maxItems: ALERT_TYPES.length }),
  createdAtMs: time(),
  recordIsWorse: Type.Boolean(),
  rule: Type.Optional(AlertRuleSchema),
  format: Type.Optional(oneOf(ALERT_FORMATS)),
  chatId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});

const MarketSchema = Type.Object({
  ...{ id: id(), exchange: id(), symbol: id(), kind: oneOf(MARKET_KINDS), period: textOrNull(16) },
  horizons: Type.Array(Type.String({ maxLength: 16 }), { minItems: 1, maxItems: MARKET_HORIZONS }),
  every: Type.String({ maxLength: 16 }),
  costBps: Type.Nullable(Type.Number({ exclusiveMinimum: 0 })),
  alert: Type.Nullable(AlertRuleSchema),
  createdAtMs: time(),
});

const AccountSchema = Type.Object({
  id: id(),
  email: Type.String({ minLength: 3, maxLength: 254 }),
  emailKey: Type.String({ minLength: 3, maxLength: 254 }),
  companyId: textOrNull(128),
  passwordHash: Type.String({ pattern: '^\\$argon2id\\$', maxLength: 256 }),
  createdAtMs: time(),
  disabledAtMs: timeOrNull(),
  keys: Type.Array(KeySchema, { maxItems: 200 }),
  webhooks: Type.Optional(Type.Array(WebhookSchema, { maxItems: MOST_WEBHOOKS })),
  markets: Type.Optional(Type.Array(MarketSchema, { maxItems: 200 })),
});

const EventSchema = Type.Object({
  id: id(),
  atMs: time(),
  action: oneOf(AUDIT_ACTIONS),
  actor: oneOf(AUDIT_ACTORS),
  accountId: id(),
  keyId: textOrNull(64),
  requestId: textOrNull(64),
});

const sum = () => Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const TallySchema = Type.Object({
  forecasts: count(),
  outcomes: count(),
  unscored: count(),
  marks: count(),
  hits: count(),
  moved: count(),
  brierSum: sum(),
  baselineBrierSum: sum(),
  squaredDifferenceSum: sum(),
  markOverlapSum: Type.Optional(sum()),
  baseRateSums: Type.Optional(Type.Object({ outcomes: count(), brierSum: sum(), forecastBrierSum: sum(), squaredDifferenceSum: sum() })),
  touchSums: Type.Optional(
    Type.Object({
      outcomes: count(),
      levels: count(),
      reached: count(),
      brierSum: sum(),
      forecastBrierSum: sum(),
      squaredDifferenceSum: sum(),
    }),
  ),
  bins: Type.Optional(
    Type.Array(Type.Object({ tenth: Type.Integer({ minimum: 0, maximum: 9 }), outcomes: count(), moved: count(), probabilitySum: sum() }), {
      maxItems: 10,
    }),
  ),
  coverage: Type.Optional(
    Type.Array(
      Type.Object({ level: Type.Number({ minimum: 0.5, maximum: 0.99 }), outcomes: count(), covered: count(), overlapSum: sum() }),
      { maxItems: 3 },
    ),
  ),
});

const RowSchema = Type.Object({
  accountId: id(),
  series: id(),
  model: id(),
  bucket: id(),
  ownThreshold: Type.Boolean(),
  day: day(),
  addedDay: Type.Optional(day()),
  tally: TallySchema,
});

const { state, reason, since, last_tick, price, ticks, spread_bps, forecasts } = ShownMarketSchema.properties;

/** What the service knows of a watched market. */
const MarketStateSchema = Type.Object({
  ...{ state, reason, since, last_tick, price, ticks, spread_bps, forecasts },
  alerts: Type.Optional(
    Type.Record(Type.String(), Type.Object({ sentMs: Type.Number(), open: Type.Array(Type.String(), { maxItems: 100 }) })),
  ),
  tallies: Type.Record(Type.String(), Type.Object({ since: Type.String(), threshold: numberOrNull(), tally: TallySchema })),
});

const MarketRowSchema = Type.Object({
  ...{ accountId: Type.String(), id: Type.String(), forecast: MarketForecastSchema },
  pending: Type.Nullable(
    Type.Object({
      ...{ originUs: Type.Number(), entry: numberOrNull(), baselineProbability: numberOrNull() },
      ...{ medianGapS: numberOrNull(), costBps: numberOrNull(), isOwn: Type.Boolean() },
    }),
  ),
});

const RECORDS = {
  header: Type.Object({ type: Type.Literal('header'), format: oneOf([FORMAT, ...EARLIER_FORMATS]), createdAtMs: time() }),
  account: Type.Object({ type: Type.Literal('account'), account: AccountSchema }),
  records: Type.Object({ type: Type.Literal('records'), rows: Type.Array(RowSchema, { minItems: 1, maxItems: ROWS_PER_LINE }) }),
  memory: Type.Object({
    type: Type.Literal('memory'),
    accountId: id(),
    series: id(),
    bytes: Type.String({ pattern: '^[A-Za-z0-9+/]+=*$', maxLength: Math.ceil(MAX_MEMORY_BYTES / 3) * 4 }),
  }),
  market: Type.Object({ type: Type.Literal('market'), accountId: id(), id: id(), state: MarketStateSchema }),
  forecasts: Type.Object({ type: Type.Literal('forecasts'), rows: Type.Array(MarketRowSchema, { minItems: 1, maxItems: ROWS_PER_LINE }) }),
  sealed: Type.Object({
    type: Type.Literal('sealed'),
    block: Type.Object({
      ...{ accountId: id(), first: count(), n: count(), atMs: time(), previous: hash(), head: hash() },
      ...{ batch: id(), lines: Type.String({ pattern: '\n$' }) },
    }),
  }),
  seal_key: Type.Object({ type: Type.Literal('seal_key'), key: Type.String({ pattern: '^[A-Za-z0-9+/]{64}$' }) }),
  event: Type.Object({ type: Type.Literal('event'), event: EventSchema }),
  end: Type.Object({ type: Type.Literal('end'), accounts: time(), events: time(), sha256: hash() }),
};

function blockFault({ first, n, previous, atMs, head, lines }: SealedBlock): string | undefined {
  if (lines.split('\n').length - 1 !== n - first) return '/block/lines must have as many lines as n is above first';
  return headAfter(previous, atMs, lines) === head ? undefined : '/block/head must be the hash of the block';
}

/** What a schema cannot say. */
function faultOf(record: AccountRecord): string | undefined {
  if (record.type === 'memory' && memoryFault(Buffer.from(record.bytes, 'base64')) !== undefined)
    return '/bytes must be what the memory of a series can be';
  if (record.type === 'sealed') return blockFault(record.block);
  if (record.type === 'market') {
    const isWhole = Object.values(record.state.tallies).every(({ tally }) => tallyFault({ ...EMPTY_TALLY, ...tally }) === undefined);
    return isWhole ? undefined : '/state/tallies must have counts and sums that fit together';
  }
  if (record.type !== 'records') return undefined;
  const at = record.rows.findIndex(({ tally }) => tallyFault({ ...EMPTY_TALLY, ...tally }) !== undefined);
  return at < 0 ? undefined : `/rows/${at}/tally must have counts and sums that fit together`;
}

type RecordReader = (line: string) => AccountRecord | string;

let reader: RecordReader | undefined;

/**
 * Returns a function that parses one line: the record, or a description of the error. The description never contains a value of the line,
 * which may be a secret. Made once: it takes 130 ms, and a restore reads its file three times.
 */
export const recordReader = (): RecordReader => (reader ??= makeReader());

function makeReader(): RecordReader {
  const ajv = new Ajv();
  const checks = Object.fromEntries(Object.entries(RECORDS).map(([type, schema]) => [type, ajv.compile(schema)]));
  return (line) => {
    let value: { type?: unknown } | null;
    try {
      value = JSON.parse(line) as typeof value;
    } catch {
      return 'it is not JSON';
    }
    const check = typeof value?.type === 'string' && Object.hasOwn(checks, value.type) ? checks[value.type] : undefined;
    if (check === undefined) return 'it is not a header, account, track record, memory, sealed block, market, event or end';
    if (check(value)) return faultOf(value as AccountRecord) ?? (value as AccountRecord);
    const [error] = check.errors ?? [];
    return `${error?.instancePath ?? ''} ${error?.message ?? 'breaks a rule'}`.trim();
  };
}
