import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';
import { MemoryReasonSchema, NullReasonSchema } from './reasons.ts';

/** Least and greatest level of a range, and most of them. */
export const RANGE_LEVEL = [0.5, 0.99] as const;
export const MOST_RANGES = 8;
/** Most prices of touch. */
export const MOST_TOUCHES = 16;
/** Prices are below. */
export const PRICE_LIMIT = 1e12;

const reason = () =>
  Type.Union([NullReasonSchema, Type.Literal('range_untrained'), Type.Null()], {
    description: 'Why there is none. range_untrained: it ends beyond the trained thresholds. Others: as for a null.',
  });

export const RangeCoverageSchema = Type.Object(
  { outcomes: Type.Integer({ minimum: 1 }), covered: Type.Number({ minimum: 0, maximum: 1 }) },
  {
    description: 'Ranges of this level and horizon of the series whose outcome is known, and the fraction that held; of 0.5, 0.8 and 0.9.',
  },
);

export const RangeBandSchema = Type.Object(
  {
    level: Type.Number({ description: 'As it was sent.' }),
    move_bps: Type.Nullable(Type.Number({ description: 'Size of the move, basis points of log return.' })),
    low: Type.Nullable(Type.Number({ description: 'Price at the future timestamp; moves up and down are equally likely.' })),
    high: Type.Nullable(Type.Number()),
    reason: reason(),
    coverage: Type.Nullable(RangeCoverageSchema),
  },
  { description: 'The range that the price is in at the future timestamp with the probability `level`.' },
);

const RangesSchema = Type.Array(RangeBandSchema, { description: 'With range: one for each level, as sent.' });

export const ChanceAboveSchema = Type.Object(
  {
    price: Type.Number({ description: 'As it was sent.' }),
    probability: Type.Nullable(Type.Number({ minimum: 0, maximum: 1 })),
    reason: { ...reason(), description: 'As in RangeBand.' },
  },
  {
    description:
      'With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5.',
  },
);

const chance = (description: string) => Type.Nullable(Type.Number({ minimum: 0, maximum: 1 }), { description });

export const TouchLevelSchema = Type.Object(
  {
    price: Type.Number({ description: 'As it was sent.' }),
    probability: Type.Nullable(Type.Number({ minimum: 0, maximum: 1 })),
    version_probability: chance('Without the outcomes of the series.'),
    baseline_probability: chance('Of a driftless normal price.'),
    first: Type.Optional(chance('With first: that it is reached before the other price. Both and `neither` add up to 1.')),
    reason: { ...reason(), description: 'As in RangeBand.' },
  },
  { description: 'The probability that a price after the entry, up to the future timestamp, is at or beyond this one.' },
);

export const TouchSchema = Type.Object(
  {
    levels: Type.Array(TouchLevelSchema, { description: 'One for each price, as sent.' }),
    by: Type.Optional(Type.Enum(['limit', 'stop', 'mid'], { description: 'What reaches them. Absent: the price.' })),
    outcomes: Type.Integer({ minimum: 0, description: 'Outcomes of the series that correct the probabilities.' }),
    reach: Type.Array(RangeBandSchema, {
      description: 'The ranges that all prices until then stay in with the probabilities 0.5, 0.8 and 0.9.',
    }),
    neither: Type.Optional(chance('With first: that neither of the two prices is reached.')),
  },
  { description: 'Whether prices are reached before the future timestamp. No direction is claimed.' },
);

/** What a forecast may have next to its mark. */
export const OUTLOOK_FIELDS = {
  range: Type.Optional(RangesSchema),
  above: Type.Optional(ChanceAboveSchema),
  touch: Type.Optional(TouchSchema),
  memory_unused: Type.Optional({
    ...MemoryReasonSchema,
    description: 'Why the memory was not used; absent: it was, or no series.',
  }),
};

export type RangeBand = Static<typeof RangeBandSchema>;
export type ChanceAbove = Static<typeof ChanceAboveSchema>;
export type TouchAnswer = Static<typeof TouchSchema>;
