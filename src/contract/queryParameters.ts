import { PRICE_LIMIT } from './outlook.ts';

/** A shipped version and rule set, so that the calls in the documentation work. */
export const EXAMPLE_MODEL_ID = 'base-2026-11-27';
export const EXAMPLE_RULE_SET_ID = 'base-2';

export const MIN_MOVE_BPS_MAX = 10_000;

/** Least and greatest `min_probability`. */
export const MIN_PROBABILITY = [0.01, 0.99] as const;

/** Least and greatest `mark_rate`. */
export const MARK_RATE = [0.001, 0.5] as const;

/**
 * Every query parameter, as listed in the OpenAPI document. One value is a const: generators name an enum after the operation and the
 * parameter, which is the name of an answer.
 */
export const QUERY_PARAMETERS = {
  answer: {
    description:
      'last: one object for the future timestamp (`timestamp`, `trend_identified`, `status`, `reason`) instead of an entry for each timestamp. ' +
      'summary: with `probability`, `decision_threshold` and `min_move_bps` too.',
    schema: { type: 'string', pattern: '^(last|summary)$' },
    example: 'last',
  },
  clock: {
    description: 'off: the forecast does not use the time of day, which a version with a market profile does by default.',
    schema: { type: 'string', const: 'off' },
    example: 'off',
  },
  memory: {
    description: 'off: with series, the forecast does not use what earlier requests said, and nothing of this one is kept.',
    schema: { type: 'string', const: 'off' },
    example: 'off',
  },
  detail: {
    description: 'full: adds `detail` to the last entry, or to the object of `answer=last`.',
    schema: { type: 'string', const: 'full' },
    example: 'full',
  },
  min_move_bps: {
    description:
      'Your own cost in basis points (10,000 x log return); it replaces the default threshold of the request. cost: the median spread of the Bid and Ask that are sent. With horizons, a list of both: 1,2.5.',
    schema: {
      anyOf: [
        { type: 'number', exclusiveMinimum: 0, maximum: MIN_MOVE_BPS_MAX },
        { type: 'string', const: 'cost' },
        { type: 'string', pattern: '^(cost|[0-9.eE+-]+)(,(cost|[0-9.eE+-]+)){1,7}$', description: 'With horizons only.' },
      ],
    },
    example: 2.5,
  },
  min_probability: {
    description: 'Smallest probability that you want marked; it replaces the decision threshold of the version.',
    schema: { type: 'number', minimum: MIN_PROBABILITY[0], maximum: MIN_PROBABILITY[1] },
    example: 0.4,
  },
  mark_rate: {
    description:
      'Fraction of the forecasts of `series` to mark, the likeliest ones, by a quantile of its last 1,000 probabilities at this horizon and threshold. ' +
      'null with `rate_unknown` until 200 are known. In place of min_probability.',
    schema: { type: 'number', minimum: MARK_RATE[0], maximum: MARK_RATE[1] },
    example: 0.05,
  },
  range: {
    description:
      'Levels of ranges, 1 to 8 different ones from 0.5 to 0.99: for each, the range that contains the price at the future timestamp with this probability. ' +
      'With series, ranges are corrected by their outcomes.',
    schema: { type: 'string', pattern: '^0?[.][0-9]{1,6}(,0?[.][0-9]{1,6}){0,7}$' },
    example: '0.5,0.9',
  },
  above: {
    description: 'A price: with what probability is the price above it at the future timestamp? No direction is claimed.',
    schema: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: PRICE_LIMIT },
    example: 1.085,
  },
  bar_time: {
    description:
      'Required with bars, refused with ticks. open: timestamps are the beginnings of bars; close: their ends. A wrong one lets a forecast see one bar of the future.',
    schema: { type: 'string', pattern: '^(open|close)$' },
    example: 'close',
  },
  horizon_bars: {
    description: 'With bars, in place of horizons: 1 to 8 different numbers of bars, each at most a day.',
    schema: { type: 'string', pattern: '^[1-9][0-9]{0,4}(,[1-9][0-9]{0,4}){0,7}$' },
    example: '3',
  },
  horizons: {
    description:
      'Several forecasts in one request: 1 to 8 different durations from the last tick, such as 10s,60s,5m, each at most a day. The body has no future entry, ' +
      'and the answer is `forecasts`.',
    schema: { type: 'string', pattern: '^[1-9][0-9]{0,7}(ms|s|m|h|d)(,[1-9][0-9]{0,7}(ms|s|m|h|d)){0,7}$' },
    example: '10s,60s,5m',
  },
  timing: {
    description: 'server: the answer has a Server-Timing header with the milliseconds of each stage.',
    schema: { type: 'string', const: 'server' },
    example: 'server',
  },
  series: {
    description:
      'Name of a series, 1 to 64 of A-Z a-z 0-9 . _ : -; the forecast is scored by a later request of the series; of a track record, only its rows. ' +
      'Of a batch: one name for all items, or one for each with commas between them.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,64}(,[A-Za-z0-9._:-]{1,64}){0,63}$' },
    example: 'eurusd',
  },
  from: { description: 'First UTC day of the rows, YYYY-MM-DD.', schema: { type: 'string', format: 'date' }, example: '2026-01-25' },
  to: { description: 'Last UTC day of the rows, YYYY-MM-DD.', schema: { type: 'string', format: 'date' }, example: '2026-01-31' },
  model: {
    description:
      'Id of a loaded version, or an id without its day: the newest; default: the promoted version. Of a track record: only its rows.',
    schema: { type: 'string', minLength: 1 },
    example: EXAMPLE_MODEL_ID,
  },
} as const;

export type QueryName = keyof typeof QUERY_PARAMETERS;
