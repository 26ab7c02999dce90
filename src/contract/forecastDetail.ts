import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';

/** Reasons for a null. An answer lists every reason that applies. */
export const NULL_REASONS = {
  below_threshold: 'The probability is below the decision threshold.',
  vetoed_by_rule: 'A rule forbids a mark on this window.',
  abstained_by_rule: 'A rule that forbids marks cannot be ruled out on this window.',
  head_abstains: 'The model has no decision threshold that met its precision rule for this horizon. Send your own as min_probability.',
  rate_unknown: 'Fewer than 200 forecasts of the series are known, so its mark_rate has no probability yet.',
  horizon_untrained: 'The horizon is outside the range that the model was trained on.',
  density_untrained: 'The ticks are denser or sparser than the range that the model was trained on.',
  threshold_untrained: 'The threshold is outside the range that the model was trained on.',
  too_few_distinct_ticks: 'Fewer than 40 distinct timestamps are left after the last session gap.',
  window_without_duration: 'All ticks have the same timestamp.',
  constant_price: 'The price is constant within the window.',
  feature_not_finite: 'A feature of the window is not a finite number.',
  clock_mismatch:
    'The market of this version was closed at this time of the week in its training data. Send UTC timestamps, or ?clock=off to forecast without the time of day.',
} as const;

/** Notes on the input of a forecast. */
export const INPUT_NOTES = {
  session_gap_cut: 'Ticks before the last session gap were not used.',
  equal_stamps: 'Of ticks with equal timestamps, only the last price was used.',
  sub_ms_cut: 'Timestamps were truncated to milliseconds.',
  crossed_quotes: 'A bid is above its ask: Bid and Ask may have changed places, or two sources are mixed.',
  few_distinct_ticks: 'Few distinct ticks: the estimates are imprecise.',
  cost_from_prices_alone:
    'cost_bps is estimated from prices alone: about the spread for trades, far below it for mid prices. Send your own cost as min_move_bps.',
  threshold_below_cost:
    'The threshold is below cost_bps, the median spread of the quotes that were sent: such a move does not pay. Send min_move_bps=cost, or your own cost.',
  seen_in_training: 'The version was trained on these ticks: on other ticks its forecasts are less good.',
  closes_not_used:
    'The closes were not used: the version has no market profile that uses them at this horizon, ?clock=off was sent, or they contain less than an hour of the last four days.',
  market_stale: 'The market profile of the version is too old: the forecast does not use the time of day. Train or update the version.',
  model_is_synthetic: 'The model was trained on generated ticks: its numbers are not valid for real markets.',
} as const;

export type NullReason = keyof typeof NULL_REASONS;
export type InputNote = keyof typeof INPUT_NOTES;

const strict = { additionalProperties: false };
const count = () => Type.Integer({ minimum: 0 });
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const oneOf = <T extends string>(names: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...names], description });
const codes = <T extends string>(table: Readonly<Record<T, string>>) => {
  const names = Object.keys(table) as T[];
  return oneOf(names, names.map((name) => `${name}: ${table[name]}`).join(' '));
};

export const NullReasonSchema = codes(NULL_REASONS);

export type ForecastStatus = 'identified' | 'none' | 'abstained';

export const StatusSchema = oneOf<ForecastStatus>(
  ['identified', 'none', 'abstained'],
  'identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. ' +
    'abstained: there is another reason, so null says nothing about the market.',
);

/** By the first reason, null for a mark. below_threshold is the last of all reasons: if it comes first, there is no other. */
export function statusOf(reason: NullReason | null): ForecastStatus {
  return reason === null ? 'identified' : reason === 'below_threshold' ? 'none' : 'abstained';
}

/** Lower and upper bound of a truth value. Not Type.Tuple: TypeBox adds a keyword that Ajv refuses in strict mode. */
const truth = () =>
  Type.Unsafe<readonly [number, number]>({
    type: 'array',
    items: { type: 'number', minimum: 0, maximum: 1 },
    minItems: 2,
    maxItems: 2,
    description: 'Lower and upper bound of the truth; [0, 1] is unknown.',
  });

/** `detail` of the last entry, with `?detail=full`: the explanation of a mark or a null. */
export const ForecastDetailSchema = Type.Object(
  {
    model: Type.Object(
      { id: Type.String(), head: Type.String({ description: 'Horizon bucket of the head that computed the forecast.' }) },
      strict,
    ),
    horizon_ms: Type.Number({ description: 'Future timestamp minus last tick.' }),
    opportunity: Type.Object(
      {
        probability: nullable(Type.Number({ minimum: 0, maximum: 1 })),
        decision_threshold: nullable(
          Type.Number({
            minimum: 0,
            maximum: 1,
            description: 'Smallest probability that is marked: min_probability, or the cut of the head; null: the head abstains.',
          }),
        ),
        min_move_bps: nullable(
          Type.Number({ description: 'The threshold of this forecast, 10^4 x log return; null: it could not be computed.' }),
        ),
      },
      strict,
    ),
    direction: Type.Object(
      {
        probability_up: nullable(Type.Number({ minimum: 0, maximum: 1 })),
        called: nullable(oneOf(['up', 'down'], 'Not null only if the direction of the head passed the promotion gate and the mark is 1.')),
      },
      strict,
    ),
    status: StatusSchema,
    reasons: Type.Array(Type.Object({ code: NullReasonSchema, rule: Type.Optional(Type.String()), text: Type.String() }, strict), {
      description: 'Empty for a mark.',
    }),
    logit: nullable(
      Type.Object(
        {
          baseline: Type.Number(),
          network: Type.Number(),
          clock: Type.Optional(
            Type.Number({
              description: 'Contribution of the time of day and the usual level of the market, if the version has learned one.',
            }),
          ),
          rules: Type.Number(),
          total: Type.Number(),
        },
        { ...strict, description: 'After calibration; total is the sum, probability = 1 / (1 + e^-total).' },
      ),
    ),
    ruleset: Type.Object({ id: Type.String(), hash: Type.String() }, strict),
    rules: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          text: Type.String(),
          truth: truth(),
          contribution: Type.Number({ description: 'Log-odds; the contributions sum to logit.rules.' }),
          literals: Type.Array(
            Type.Object(
              {
                predicate: Type.String(),
                negated: Type.Boolean(),
                truth: truth(),
                value: nullable(Type.Number()),
              },
              strict,
            ),
          ),
        },
        strict,
      ),
    ),
    levels: Type.Array(
      Type.Object(
        {
          price: Type.Number(),
          kind: oneOf(['support', 'resistance'], 'support: below the last price; resistance: not below it.'),
          touches: count(),
        },
        strict,
      ),
    ),
    counterfactual: nullable(
      Type.Object(
        { min_move_bps: Type.Number() },
        {
          ...strict,
          description:
            'The min_move_bps at which the probability crosses the decision threshold; null: there is none in the trained range.',
        },
      ),
    ),
    input: Type.Object(
      {
        ticks: count(),
        distinct_ticks: nullable(count()),
        median_gap_ms: nullable(Type.Number()),
        cost_bps: nullable(
          Type.Number({
            description: 'The median spread of Bid and Ask, if they were sent; otherwise estimated from the prices, as a note says.',
          }),
        ),
        volatility_bps_per_sqrt_s: nullable(Type.Number()),
        notes: Type.Array(codes(INPUT_NOTES)),
      },
      strict,
    ),
    timings_ms: Type.Object(
      {
        parse: Type.Number(),
        features: Type.Number(),
        network: Type.Number({ description: 'From submitting the row to receiving its result, queueing included.' }),
        rules: Type.Number(),
        total: Type.Number(),
      },
      strict,
    ),
  },
  { ...strict, title: 'ForecastDetail' },
);

export type ForecastDetail = Static<typeof ForecastDetailSchema>;
