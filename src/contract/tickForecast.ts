import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';
import { MAX_ENTRIES, MIN_ENTRIES } from '../core/units.ts';
import { OUTLOOK_FIELDS } from './outlook.ts';
import { ForecastDetailSchema, StatusSchema } from './forecastDetail.ts';
import { NullReasonSchema } from './reasons.ts';

export const TickRequestSchema = Type.Object({
  Timestamp: Type.Array(Type.String({ examples: ['2024-01-02 09:32:00.478'] }), {
    minItems: MIN_ENTRIES,
    maxItems: MAX_ENTRIES,
    description:
      'YYYY-MM-DD HH:MM:SS.fff, chronological, in UTC; equal timestamps are allowed. The last is the future timestamp, strictly later. ' +
      '0 to 9 digits of fraction; T instead of the space, a colon before the fraction, and a trailing Z or an offset such as +02:00 are accepted. 500 entries are recommended.',
  }),
  // No minimum length: for too few prices, src/ticks reports a clearer error.
  Price: Type.Array(Type.Number({ examples: [101.25] }), {
    maxItems: MAX_ENTRIES,
    description: 'One price for each timestamp, above 0 and below 1e12; the last is 0: it is unknown.',
  }),
});

/** Body of POST /auth/ti-tick. */
export type TickRequestBody = Static<typeof TickRequestSchema>;

export const TrendSchema = Type.Nullable(Type.Literal(1), {
  description: '1: a trade opportunity is identified at the future timestamp. null: none is, or the entry is an observed tick.',
});

export const TickEntrySchema = Type.Object({
  trend_identified: TrendSchema,
  ...OUTLOOK_FIELDS,
  detail: Type.Optional(ForecastDetailSchema),
});

/** Answer of POST /auth/ti-tick and GET /sample/forecast: timestamps as keys. */
export const TickAnswerSchema = Type.Record(Type.String(), TickEntrySchema);

export type TickAnswer = Static<typeof TickAnswerSchema>;

const MinMoveSchema = Type.Nullable(Type.Number(), {
  description: 'The threshold of this forecast; null: it could not be computed.',
});
const ProbabilitySchema = Type.Nullable(Type.Number({ minimum: 0, maximum: 1 }));
const DecisionThresholdSchema = Type.Nullable(Type.Number({ minimum: 0, maximum: 1 }), {
  description: 'Smallest probability that is marked; null: there is none.',
});

/** Answer of POST /auth/ti-tick with `?answer=last`. */
export const LastAnswerSchema = Type.Object({
  timestamp: Type.String({ description: 'The future timestamp, as it was sent.' }),
  trend_identified: TrendSchema,
  status: StatusSchema,
  reason: Type.Nullable(NullReasonSchema, {
    description:
      'Code of the first reason of the null, as `detail.reasons` lists them: rules in the order of the rule set, then horizon, density, ' +
      'threshold, then the decision threshold. null: trend_identified is 1.',
  }),
  probability: Type.Optional(ProbabilitySchema),
  decision_threshold: Type.Optional(DecisionThresholdSchema),
  min_move_bps: Type.Optional(MinMoveSchema),
  ...OUTLOOK_FIELDS,
  detail: Type.Optional(ForecastDetailSchema),
});

export type LastAnswer = Static<typeof LastAnswerSchema>;

/** Answer of POST /auth/ti-tick with `?horizons=`. */
export const HorizonsAnswerSchema = Type.Object({
  forecasts: Type.Array(
    Type.Object({
      horizon: Type.String({ description: 'As it was sent.', examples: ['60s'] }),
      timestamp: Type.String({ description: 'The same as `future`.' }),
      future: Type.String({
        description: 'The future timestamp: the last tick plus the horizon, in UTC; of numbers, a number as text.',
      }),
      min_move_bps: MinMoveSchema,
      probability: ProbabilitySchema,
      decision_threshold: DecisionThresholdSchema,
      trend_identified: TrendSchema,
      status: StatusSchema,
      reason: { ...LastAnswerSchema.properties.reason, description: 'As in LastAnswer.' },
      ...OUTLOOK_FIELDS,
      detail: Type.Optional(ForecastDetailSchema),
    }),
    { description: 'One for each horizon and threshold: horizons in the order sent, and thresholds within each.' },
  ),
});

export type HorizonsAnswer = Static<typeof HorizonsAnswerSchema>;

/** A small request that is valid: 199 ticks, one per second, and a future timestamp 60 s after the last. */
export function exampleTickRequest(): TickRequestBody {
  const stamp = (second: number): string =>
    `2024-01-02 09:${String(30 + Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}.000`;
  const seconds = Array.from({ length: MIN_ENTRIES - 1 }, (_, i) => i);
  return {
    Timestamp: [...seconds.map(stamp), stamp(MIN_ENTRIES - 2 + 60)],
    Price: [...seconds.map((second) => 10_000 + ((second * 7) % 13) + ((second * second) % 5)).map((cents) => cents / 100), 0],
  };
}
