import { checkSchema } from '../../core/checkSchema.ts';
import { DAYLIGHT_RULES } from '../features/daylightMinutes.ts';
import { BUCKET_NAMES } from '../features/horizonBuckets.ts';
import { HOURS_PER_WEEK, MINUTES_PER_DAY } from '../features/MarketClock.ts';
import { BANDS_SCHEMA, type Bands, CUT_SCHEMA, withCut } from './cutOfBands.ts';
import type { MarketFile, MarketHead, MarketWeights, RecentWeights } from './MarketModel.ts';

const object = <P extends Record<string, unknown>>(properties: P, optional: Record<string, unknown> = {}) =>
  ({
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  }) as const;

const microseconds = { type: 'integer', minimum: 0, maximum: 1e16 } as const;
/** Far above any fitted weight: log-odds stay finite. */
const weight = { type: 'number', minimum: -1000, maximum: 1000 } as const;
const WEIGHTS = { intercept: weight, base: weight, clock: weight, level: weight };
const weights = object(WEIGHTS);

const MARKING = { cut: CUT_SCHEMA, bands: BANDS_SCHEMA };
const nullable = <S extends { readonly type: 'object' }>(schema: S) => ({ ...schema, type: ['object', 'null'] });

const SCHEMA = object({
  format: { enum: ['tickmark-market/1', 'tickmark-market/2'] },
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
      object(
        {
          fresh: weights,
          aged: weights,
          recent: nullable(object({ weights: object({ ...WEIGHTS, recent: weight }) }, MARKING)),
        },
        MARKING,
      ),
    ),
  },
});

type Stored<T> = Omit<T, 'cut'> & { readonly cut?: number | null; readonly bands?: Bands };
type StoredHead = Stored<Omit<MarketHead, 'recent'>> & { readonly recent: Stored<NonNullable<MarketHead['recent']>> | null };
type StoredMarket = Omit<MarketFile, 'format' | 'heads'> & { readonly heads: readonly (StoredHead | null)[] };

/** The market in a parsed `market.json`, in the present form; or why this program cannot serve it. */
export function readMarket(value: unknown): MarketFile | { readonly fault: string } {
  const fault = faultOf(value);
  if (fault !== null) return { fault };
  const stored = value as StoredMarket;
  const heads = stored.heads.map(
    (head): MarketHead | null => head && withCut({ ...head, recent: head.recent === null ? null : withCut(head.recent) }),
  );
  return { ...stored, format: 'tickmark-market/2', heads };
}

/** Null if there is none. */
function faultOf(value: unknown): string | null {
  const broken = checkSchema(SCHEMA, value);
  if (broken !== null) return `${broken.path} ${broken.message}`;
  const { fromUs, toUs, levelFallsFromUs, levelEndsUs, clockEndsUs, heads, openHours } = value as StoredMarket;
  if (!(fromUs < toUs && toUs <= levelFallsFromUs && levelFallsFromUs < levelEndsUs && toUs < clockEndsUs))
    return ' has times that do not ascend';
  if (!openHours.includes(1)) return '/openHours has no open hour';
  // A rising threshold must never raise the log-odds, and more volatility must never lower them.
  const falling = heads.findIndex((head) => weightsOf(head).some(({ base, level, recent = 0 }) => base < 0 || level < 0 || recent < 0));
  if (falling >= 0) return `/heads/${falling} has a negative weight of the base or a level`;
  const unclear = heads.findIndex((head) => head !== null && [head, head.recent].some((one) => one !== null && !hasOneMarking(one)));
  return unclear < 0 ? null : `/heads/${unclear} must have a cut, or bands as versions from before`;
}

const hasOneMarking = (of: object): boolean => 'cut' in of !== 'bands' in of;
const weightsOf = (head: StoredHead | null): (MarketWeights & Partial<RecentWeights>)[] =>
  head === null ? [] : [head.fresh, head.aged, ...(head.recent === null ? [] : [head.recent.weights])];
