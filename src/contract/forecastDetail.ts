import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';
import { count } from './liveFields.ts';
import { OUTLOOK_FIELDS } from './outlook.ts';
import { codes, INPUT_NOTES, MemoryReasonSchema, type NullReason, NullReasonSchema, oneOf } from './reasons.ts';

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
    model: Type.Object({ id: Type.String(), head: Type.String({ description: 'Horizon bucket of the head that computed the forecast.' }) }),
    horizon_ms: Type.Number({ description: 'Future timestamp minus last tick.' }),
    opportunity: Type.Object({
      probability: Type.Nullable(Type.Number({ minimum: 0, maximum: 1 })),
      decision_threshold: Type.Nullable(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'Smallest probability that is marked: min_probability, or the cut of the head; null: the head abstains.',
        }),
      ),
      min_move_bps: Type.Nullable(
        Type.Number({ description: 'The threshold of this forecast, 10^4 x log return; null: it could not be computed.' }),
      ),
    }),
    direction: Type.Object({
      probability_up: Type.Nullable(Type.Number({ minimum: 0, maximum: 1 })),
      called: Type.Nullable(
        oneOf(['up', 'down'], 'Not null only if the direction of the head passed the promotion gate and the mark is 1.'),
      ),
    }),
    status: StatusSchema,
    reasons: Type.Array(Type.Object({ code: NullReasonSchema, rule: Type.Optional(Type.String()), text: Type.String() }), {
      description: 'Empty for a mark.',
    }),
    logit: Type.Nullable(
      Type.Object(
        {
          baseline: Type.Number(),
          network: Type.Number(),
          memory: Type.Optional(Type.Number({ description: 'Contribution of the memory of the series, if it was used.' })),
          rules: Type.Number(),
          total: Type.Number(),
        },
        { description: 'After calibration; total is the sum, probability = 1 / (1 + e^-total).' },
      ),
    ),
    memory: Type.Optional(
      Type.Object(
        {
          used: Type.Boolean(),
          reason: Type.Nullable(MemoryReasonSchema),
          since: Type.Nullable(Type.String({ description: 'First tick of the series that it knows.' })),
          outcomes: Type.Integer({ minimum: 0, description: 'Forecasts of this horizon whose outcomes it knows.' }),
          inputs: Type.Nullable(
            Type.Record(Type.String(), Type.Nullable(Type.Number()), {
              description:
                'What it says, log-odds or logarithms within 1.5; null: too little is known. Names: docs/explanation/concepts.md.',
            }),
          ),
          own: Type.Optional(
            Type.Object(
              {
                outcomes: Type.Integer({ minimum: 0 }),
                part: Type.Number({ description: 'Contained in logit.memory.' }),
                weights: Type.Record(Type.String(), Type.Number()),
              },
              { description: 'Weights that the series has learned from its outcomes.' },
            ),
          ),
        },
        { description: 'Only with series: what earlier ticks and outcomes of the series say.' },
      ),
    ),
    ruleset: Type.Object({ id: Type.String(), hash: Type.String() }),
    rules: Type.Array(
      Type.Object({
        id: Type.String(),
        text: Type.String(),
        truth: truth(),
        contribution: Type.Number({ description: 'Log-odds; the contributions sum to logit.rules.' }),
        literals: Type.Array(
          Type.Object({
            predicate: Type.String(),
            negated: Type.Boolean(),
            truth: truth(),
            value: Type.Nullable(Type.Number()),
          }),
        ),
      }),
    ),
    levels: Type.Array(
      Type.Object({
        price: Type.Number(),
        kind: oneOf(['support', 'resistance'], 'support: below the last price; resistance: not below it.'),
        touches: count(),
      }),
    ),
    counterfactual: Type.Nullable(
      Type.Object(
        { min_move_bps: Type.Number() },
        {
          description:
            'The min_move_bps at which the probability crosses the decision threshold; null: there is none in the trained range.',
        },
      ),
    ),
    input: Type.Object({
      ticks: count(),
      distinct_ticks: Type.Nullable(count()),
      median_gap_ms: Type.Nullable(Type.Number()),
      bar_period_ms: Type.Optional(Type.Number({ description: 'Length of the bars; absent for ticks.' })),
      bar_time_evidence: Type.Optional(Type.String({ description: 'With the note bar_time_doubtful.' })),
      cost_bps: Type.Nullable(
        Type.Number({
          description: 'The median spread of Bid and Ask, if they were sent; otherwise estimated from the prices, as a note says.',
        }),
      ),
      volatility_bps_per_sqrt_s: Type.Nullable(Type.Number()),
      notes: Type.Array(codes(INPUT_NOTES)),
    }),
    timings_ms: Type.Object({
      parse: Type.Number(),
      features: Type.Number(),
      network: Type.Number({ description: 'From submitting the row to receiving its result, queueing included.' }),
      rules: Type.Number(),
      total: Type.Number(),
    }),
    ...OUTLOOK_FIELDS,
  },
  { title: 'ForecastDetail' },
);

export type ForecastDetail = Static<typeof ForecastDetailSchema>;
