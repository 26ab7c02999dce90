import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';
import { BASE_RATE_BRIER, BASE_RATE_FIELDS } from './comparison.ts';

const described = (description?: string) => (description === undefined ? {} : { description });
const count = (description?: string) => Type.Integer({ minimum: 0, ...described(description) });
const sum = (description?: string) => Type.Number({ minimum: 0, ...described(description) });
const orNull = (description: string) => Type.Nullable(Type.Number(), { description });

const INTERVAL = (description?: string) =>
  Type.Unsafe<readonly [number, number]>({
    ...{ type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
    ...described(description),
  });

const COUNTS = {
  forecasts: count('Forecasts that were made.'),
  outcomes: count('Forecasts that were compared with what came true.'),
  unscored: count('Without an outcome: pending, not to be known (a session gap, missing ticks), or lost by a restart.'),
  marks: count('Of the outcomes: forecasts with trend_identified 1.'),
  hits: count('Of the marks: those that came true.'),
  moved: count('Of the outcomes: moves larger than the threshold.'),
};

const TOUCHES = { outcomes: count(), levels: count('Prices that are known.'), reached: count() };

const BINS = Type.Array(
  Type.Object({
    from: Type.Number({ minimum: 0, maximum: 0.9, description: 'The probability was from this number to 0.1 above it.' }),
    outcomes: Type.Integer({ minimum: 1, description: 'Outcomes in this bin.' }),
    moved: count('Of them: moves larger than the threshold.'),
    probability_sum: sum('Sum of their probabilities.'),
  }),
  {
    maxItems: 10,
    description:
      'Outcomes by tenths of the probability, for the calibration: moved / outcomes over probability_sum / outcomes. Empty bins are left out.',
  },
);

const COVERAGE_COUNTS = {
  level: Type.Number({ minimum: 0.5, maximum: 0.99, description: '0.5, 0.8 or 0.9.' }),
  outcomes: Type.Integer({ minimum: 1, description: 'Ranges of this level whose move is known.' }),
  covered: count('Of them: moves within the range.'),
  overlap_sum: sum('Sum of the numbers of overlapping horizons; for the interval.'),
};

const RowSchema = Type.Object({
  day: Type.String({
    description: 'UTC day of the last tick of the forecasts, YYYY-MM-DD, at most that of the service.',
  }),
  series: Type.String(),
  model: Type.String({ description: 'Id of the version.' }),
  bucket: Type.String({ description: 'Horizon bucket of the head that computed the forecast.' }),
  own_threshold: Type.Boolean({ description: 'Whether the request named min_move_bps.' }),
  ...COUNTS,
  brier_sum: sum('Sum over the outcomes of (probability − moved)².'),
  baseline_brier_sum: sum('The same for the volatility baseline, whose slope and intercept follow the outcomes before each forecast.'),
  mark_overlap_sum: sum(
    'Sum over the marks of their overlap in time, 1 without any: marks² / this sum count in the interval of hits / marks.',
  ),
  squared_difference_sum: sum('Sum of the squared differences of both, each times the number of overlapping horizons; for the interval.'),
  base_rate_sums: Type.Nullable(
    Type.Object({ outcomes: count(), brier_sum: sum(), forecast_brier_sum: sum(), squared_difference_sum: sum() }),
    { description: 'The same sums for the base rate so far; null: an earlier release has counted.' },
  ),
  touch_sums: Type.Optional(
    Type.Object(
      { ...TOUCHES, brier_sum: sum(), forecast_brier_sum: sum(), squared_difference_sum: sum() },
      {
        description: 'As base_rate_sums, of touch. The rival: a driftless normal.',
      },
    ),
  ),
  bins: BINS,
  coverage: Type.Array(Type.Object(COVERAGE_COUNTS), { maxItems: 3, description: 'The ranges that were asked for, by level.' }),
});

/** Answer of GET /auth/track-record. */
export const TrackRecordSchema = Type.Object({
  kept: Type.Boolean({ description: 'Whether the service keeps track records (TRACK_RECORD).' }),
  rows: Type.Array(RowSchema, {
    description: 'Ordered by day, series, version, bucket and threshold; days without forecasts have no row.',
  }),
  sum: Type.Object(
    {
      ...COUNTS,
      precision: orNull('hits / marks; null without a mark.'),
      precision_interval: Type.Nullable(INTERVAL(), {
        description: '90 % interval of precision; marks that overlap in time count as one as far as they overlap.',
      }),
      base_rate: orNull('moved / outcomes: the precision of marking everything; null without an outcome.'),
      brier: orNull('Mean of (probability − moved)²: smaller is better; null without an outcome.'),
      baseline_brier: orNull('The same for the recalibrated volatility baseline.'),
      base_rate_brier: BASE_RATE_BRIER,
      touches: Type.Optional(
        Type.Object(
          {
            ...{ outcomes: count(), levels: count(), reached: count() },
            brier: Type.Number(),
            baseline_brier: Type.Number(),
            difference: Type.Number(),
            interval: INTERVAL('99 %.'),
          },
          { description: 'Of touch, against a driftless normal.' },
        ),
      ),
      bins: { ...BINS, description: 'As in a row.' },
      coverage: Type.Array(
        Type.Object({
          ...COVERAGE_COUNTS,
          share: Type.Number({ minimum: 0, maximum: 1, description: 'covered / outcomes: should be the level.' }),
          interval: INTERVAL('99 % interval of the share; overlapping horizons count as one.'),
        }),
        { maxItems: 3, description: 'The ranges by level.' },
      ),
    },
    { description: 'Of all rows.' },
  ),
  conclusion: Type.Unsafe<'better' | 'worse' | 'too_few'>({
    type: 'string',
    enum: ['better', 'worse', 'too_few'],
    description: 'The forecasts against the rival, by the Brier score; too_few: the interval contains 0, or there are too few outcomes.',
  }),
  difference: orNull('baseline_brier − brier: above 0, the forecasts are better; null without an outcome.'),
  interval: Type.Nullable(INTERVAL(), { description: '99 % interval of the difference.' }),
  ...BASE_RATE_FIELDS,
});

export type TrackRecordAnswer = Static<typeof TrackRecordSchema>;

const EXAMPLE_BINS = [
  { from: 0, outcomes: 910, moved: 99, probability_sum: 85.7 },
  { from: 0.2, outcomes: 280, moved: 141, probability_sum: 110.1 },
];

const EXAMPLE_COVERAGE = { level: 0.9, outcomes: 1190, covered: 1076, overlap_sum: 1190 };

export const TRACK_RECORD_EXAMPLE: TrackRecordAnswer = {
  kept: true,
  rows: [
    {
      ...{ day: '2026-01-31', series: 'eurusd', model: 'base-2026-11-27', bucket: 'h3m', own_threshold: false },
      ...{ forecasts: 1200, outcomes: 1190, unscored: 10, marks: 100, hits: 41, moved: 240 },
      ...{ brier_sum: 178.5, baseline_brier_sum: 184.45, mark_overlap_sum: 130, squared_difference_sum: 0.42 },
      base_rate_sums: { outcomes: 1190, brier_sum: 191.6, forecast_brier_sum: 178.5, squared_difference_sum: 0.8 },
      bins: EXAMPLE_BINS,
      coverage: [EXAMPLE_COVERAGE],
    },
  ],
  sum: {
    ...{ forecasts: 1200, outcomes: 1190, unscored: 10, marks: 100, hits: 41, moved: 240 },
    ...{
      precision: 0.41,
      precision_interval: [0.3223, 0.5038],
      base_rate: 0.2017,
      brier: 0.15,
      baseline_brier: 0.155,
      base_rate_brier: 0.161,
    },
    bins: EXAMPLE_BINS,
    coverage: [{ ...EXAMPLE_COVERAGE, share: 0.9042, interval: [0.8803, 0.9237] }],
  },
  conclusion: 'better',
  difference: 0.005,
  interval: [0.0036, 0.0064],
  ...{ base_rate_difference: 0.011, base_rate_interval: [0.0091, 0.0129], rival: 'baseline' },
};
