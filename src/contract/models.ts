import { Type, type Static } from 'typebox';

const Range = (description: string) => Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description });

const HeadSchema = Type.Object(
  {
    name: Type.String({ description: 'Horizon bucket that this head answers for.' }),
    direction_passed: Type.Boolean({ description: 'Whether this head may call a direction.' }),
    decision_thresholds: Type.Array(Type.Union([Type.Number(), Type.Null()]), {
      description: 'Smallest probability that is marked, one for each band of thresholds; null: the band abstains.',
    }),
  },
  { additionalProperties: false },
);

const GateSchema = Type.Object(
  {
    verdict: Type.Union([Type.Literal('passed'), Type.Literal('not_passed'), Type.Literal('not_judged')]),
    against: Type.Union([Type.String(), Type.Null()], {
      description: 'The version that it was judged against; null: the volatility baseline alone.',
    }),
    summary: Type.String({ description: 'The verdict in plain words.' }),
  },
  { additionalProperties: false, description: 'What the gate said of the version on ticks that it had not seen.' },
);

export const ModelSummarySchema = Type.Object(
  {
    id: Type.String(),
    created_at: Type.String(),
    default: Type.Boolean({ description: 'Whether this version answers when no model is named.' }),
    synthetic: Type.Boolean({ description: 'Trained on generated ticks only: for trying out, not for trading.' }),
    kind: Type.Union([Type.Literal('base'), Type.Literal('fine_tune')]),
    parent: Type.Union([Type.String(), Type.Null()], { description: 'The version that was tuned; null for a base.' }),
    gate: GateSchema,
    trained: Type.Object(
      {
        horizon_s: Range('Horizons covered by the training rows, in seconds, both ends included.'),
        horizon_to_window: Range('Horizon divided by the length of the window.'),
        median_gap_s: Range('Median gap between ticks, in seconds.'),
        log_threshold_ratio: Range('ln(threshold / default threshold of the request).'),
      },
      { additionalProperties: false },
    ),
    heads: Type.Array(HeadSchema),
  },
  { additionalProperties: false },
);

export type ModelSummary = Static<typeof ModelSummarySchema>;

export const ModelListAnswerSchema = Type.Object(
  { default: Type.String(), models: Type.Array(ModelSummarySchema) },
  { additionalProperties: false },
);

export type ModelListAnswer = Static<typeof ModelListAnswerSchema>;

const DriftSchema = Type.Object(
  {
    forecasts: Type.Integer({ minimum: 0, description: 'Forecasts that were looked at: the last ones, since this version was loaded.' }),
    columns: Type.Union(
      [Type.Array(Type.Object({ name: Type.String(), psi: Type.Number({ minimum: 0 }) }, { additionalProperties: false })), Type.Null()],
      {
        description:
          'Population stability index of each context column against the training rows, largest first: below 0.1 no shift, 0.1 to 0.25 some, above 0.25 a large one. null: nothing is claimed.',
      },
    ),
    why: Type.Union([Type.String(), Type.Null()], { description: 'Why nothing is claimed.' }),
  },
  { additionalProperties: false, description: 'How far what is asked of this version lies from what it was trained on.' },
);

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const ShadowSchema = Type.Object(
  {
    live: Type.String({ description: 'The version whose answers it was compared with.' }),
    forecasts: Count('Live forecasts that it answered too, since both versions were loaded.'),
    agree: Count('Both marked an opportunity, or neither.'),
    only_live: Count('Only the live version marked one.'),
    only_shadow: Count('Only this version marked one.'),
    failed: Count('It had no answer.'),
    dropped: Count('It was not asked: the service was busy.'),
    mean_abs_difference: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
      description: 'Of the two probabilities; null: there is no forecast yet.',
    }),
  },
  { additionalProperties: false },
);

export const ModelAnswerSchema = Type.Object(
  {
    ...ModelSummarySchema.properties,
    drift: DriftSchema,
    shadow: Type.Union([ShadowSchema, Type.Null()], {
      description:
        'What it would have answered to live forecasts; null: it is not the version of SHADOW_MODEL, or nothing was compared yet.',
    }),
    card: Type.Union([Type.String(), Type.Null()], {
      description: 'The model card, Markdown: data, split, table against the baseline. null: the version has none.',
    }),
  },
  { additionalProperties: false },
);

export type ModelAnswer = Static<typeof ModelAnswerSchema>;
