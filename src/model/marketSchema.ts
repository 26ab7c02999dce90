import { Ajv, type ValidateFunction } from 'ajv';
import { DAYLIGHT_RULES } from '../features/daylightMinutes.ts';
import { BUCKET_NAMES } from '../features/horizonBuckets.ts';
import { HOURS_PER_WEEK, MINUTES_PER_DAY } from '../features/MarketClock.ts';
import type { MarketFile, MarketHead, MarketWeights, RecentWeights } from './MarketModel.ts';

const object = <P extends Record<string, unknown>>(properties: P) =>
  ({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false }) as const;

const microseconds = { type: 'integer', minimum: 0, maximum: 1e16 } as const;
/** Far above any fitted weight: log-odds stay finite. */
const weight = { type: 'number', minimum: -1000, maximum: 1000 } as const;
const WEIGHTS = { intercept: weight, base: weight, clock: weight, level: weight };
const weights = object(WEIGHTS);

const bands = object({
  upper: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 16 },
  decision: { type: 'array', items: { type: ['number', 'null'], minimum: 0, maximum: 1 }, minItems: 1, maxItems: 16 },
});
const nullable = <S extends { readonly type: 'object' }>(schema: S) => ({ ...schema, type: ['object', 'null'] });

const SCHEMA = object({
  format: { const: 'tickmark-market/1' },
  fromUs: microseconds,
  toUs: microseconds,
  daylight: { enum: DAYLIGHT_RULES },
  shape: { type: 'array', minItems: MINUTES_PER_DAY, maxItems: MINUTES_PER_DAY, items: { type: 'number', minimum: 1e-3, maximum: 1e3 } },
  openHours: { type: 'array', minItems: HOURS_PER_WEEK, maxItems: HOURS_PER_WEEK, items: { enum: [0, 1] } },
  level: { type: 'number', minimum: 1e-12, maximum: 10 },
  windowRatio: { type: 'number', minimum: -10, maximum: 10 },
  levelFallsFromUs: microseconds,
  levelEndsUs: microseconds,
  clockEndsUs: microseconds,
  heads: {
    type: 'array',
    minItems: BUCKET_NAMES.length,
    maxItems: BUCKET_NAMES.length,
    items: nullable(
      object({
        fresh: weights,
        aged: weights,
        bands,
        recent: nullable(object({ weights: object({ ...WEIGHTS, recent: weight }), bands })),
      }),
    ),
  },
});

let check: ValidateFunction | undefined;

/** Says why this program cannot serve a `market.json`; null if it can, and `value` is a MarketFile. */
export function marketFault(value: unknown): string | null {
  check ??= new Ajv({ allErrors: false, allowUnionTypes: true }).compile(SCHEMA);
  if (!check(value)) {
    const [error] = check.errors ?? [];
    return `${error?.instancePath ?? ''} ${error?.message ?? 'is wrong'}`;
  }
  const { fromUs, toUs, levelFallsFromUs, levelEndsUs, clockEndsUs, heads, openHours } = value as MarketFile;
  if (!(fromUs < toUs && toUs <= levelFallsFromUs && levelFallsFromUs < levelEndsUs && toUs < clockEndsUs))
    return ' has times that do not ascend';
  if (!openHours.includes(1)) return '/openHours has no open hour';
  // A rising threshold must never raise the log-odds, and more volatility must never lower them.
  const falling = heads.findIndex((head) => weightsOf(head).some(({ base, level, recent = 0 }) => base < 0 || level < 0 || recent < 0));
  if (falling >= 0) return `/heads/${falling} has a negative weight of the base or a level`;
  const uneven = heads.findIndex((head) => bandsOf(head).some(({ upper, decision }) => upper.length !== decision.length));
  return uneven < 0 ? null : `/heads/${uneven}/bands has unequal numbers of bands and decisions`;
}

type Head = MarketFile['heads'][number];
const weightsOf = (head: Head): (MarketWeights & Partial<RecentWeights>)[] =>
  head === null ? [] : [head.fresh, head.aged, ...(head.recent === null ? [] : [head.recent.weights])];
const bandsOf = (head: Head): MarketHead['bands'][] =>
  head === null ? [] : [head.bands, ...(head.recent === null ? [] : [head.recent.bands])];
