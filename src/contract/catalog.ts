import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';

const Range = (description: string) => Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description });

const HeadSchema = Type.Object({
  name: Type.String({ description: 'Horizon bucket of this head.' }),
  direction_passed: Type.Boolean({ description: 'Whether this head may return a direction.' }),
  decision_threshold: Type.Nullable(Type.Number(), {
    description: 'Smallest probability that is marked if the request names none; null: the head then never gives a mark.',
  }),
});

const WindowTicksSchema = Type.Object({
  up_to_s: Type.Nullable(Type.Number(), { description: 'Longest horizon, in seconds; null: no limit.' }),
  ticks: Type.Integer({ description: 'Ticks of a window, the future timestamp not counted.' }),
  with_memory: Type.Integer({ description: 'The same with the memory of a series.' }),
});

const BarHeadSchema = Type.Object({
  period_s: Type.Number(),
  horizon_s: Type.Number(),
  decision_threshold: Type.Nullable(Type.Number(), { description: 'As of heads.' }),
});

const GateSchema = Type.Object(
  {
    verdict: Type.Union([Type.Literal('passed'), Type.Literal('not_passed'), Type.Literal('not_judged')]),
    against: Type.Nullable(Type.String(), {
      description: 'The version that it was compared with; null: only the volatility baseline.',
    }),
    summary: Type.String({ description: 'The decision in words.' }),
  },
  { description: 'The result of the promotion gate, on ticks that were not used in training.' },
);

export const ModelSummarySchema = Type.Object({
  id: Type.String(),
  created_at: Type.String(),
  default: Type.Boolean({ description: 'Whether this is the default version.' }),
  synthetic: Type.Boolean({ description: 'Trained on generated ticks only: for evaluation, not for trading.' }),
  kind: Type.Union([Type.Literal('base'), Type.Literal('fine_tune')]),
  parent: Type.Nullable(Type.String(), { description: 'The version that was tuned; null for a base.' }),
  gate: GateSchema,
  trained: Type.Object({
    horizon_s: Range('Horizons covered by the training rows, in seconds, both ends included.'),
    horizon_to_window: Range('Horizon divided by the length of the window.'),
    median_gap_s: Range('Median gap between ticks, in seconds.'),
    log_threshold_ratio: Range('ln(threshold / default threshold of the request).'),
  }),
  heads: Type.Array(HeadSchema),
  bars: Type.Array(BarHeadSchema, {
    description: 'Lengths of bars and horizons with a head; others from 10 s to 5 min and 5 bars to 2 h use the nearest.',
  }),
  window_ticks: Type.Array(WindowTicksSchema, {
    description: 'Ticks that suit each horizon, shortest first: what commands and clients send.',
  }),
});

export type ModelSummary = Static<typeof ModelSummarySchema>;

export const ModelListAnswerSchema = Type.Object({ default: Type.String(), models: Type.Array(ModelSummarySchema) });

export type ModelListAnswer = Static<typeof ModelListAnswerSchema>;

const DriftSchema = Type.Object(
  {
    forecasts: Type.Integer({
      minimum: 0,
      description: 'Number of recent forecasts since this version was loaded, from which the drift is computed.',
    }),
    columns: Type.Nullable(Type.Array(Type.Object({ name: Type.String(), psi: Type.Number({ minimum: 0 }) })), {
      description:
        'Population stability index of each context column against the training rows, largest first: below 0.1 no shift, above 0.25 a large one. null: none yet.',
    }),
    why: Type.Nullable(Type.String(), { description: 'Why there is no result.' }),
  },
  { description: 'How far the inputs of this version have drifted from its training inputs.' },
);

export const ModelAnswerSchema = Type.Object({
  ...ModelSummarySchema.properties,
  drift: DriftSchema,
  card: Type.Nullable(Type.String(), {
    description: 'The model card, Markdown: data, split, table against the baseline. null: the version has none.',
  }),
});

export type ModelAnswer = Static<typeof ModelAnswerSchema>;

export const ModelFilesAnswerSchema = Type.Object({
  id: Type.String(),
  ruleset: Type.Object({ id: Type.String(), hash: Type.String() }, { description: 'The rules of rules.json.' }),
  files: Type.Record(Type.String(), Type.String(), {
    description: 'By name: the content, in base64 for weights.bin, for `openEngine({ version: files })`.',
  }),
});

export type ModelFilesAnswer = Static<typeof ModelFilesAnswerSchema>;

const SUMMARY = {
  id: Type.String(),
  version: Type.Integer(),
  about: Type.String(),
  hash: Type.String({ description: 'SHA-256 of the content of the set, hex; equal to the hash in the detail of a forecast.' }),
};

export const RuleSetListAnswerSchema = Type.Object({
  default: Type.String({ description: 'The rule set of the default version.' }),
  rulesets: Type.Array(Type.Object({ ...SUMMARY, rules: Type.Integer({ description: 'Number of rules.' }) })),
});
export type RuleSetListAnswer = Static<typeof RuleSetListAnswerSchema>;

const RuleSchema = Type.Object({
  id: Type.String(),
  kind: Type.Union([Type.Literal('evidence'), Type.Literal('veto'), Type.Literal('abstain')]),
  text: Type.String({ description: 'With placeholders for numbers: {predicate}, {predicate.number}.' }),
  when: Type.String({ description: 'The predicates that must hold, in words.' }),
  horizons: Type.Array(Type.String(), { description: 'Horizon buckets in which the rule is evaluated.' }),
  weights: Type.Nullable(Type.Record(Type.String(), Type.Number(), { description: 'Log-odds by horizon bucket.' })),
  sign: Type.Nullable(
    Type.Union([Type.Literal('+'), Type.Literal('-')], { description: 'Whether a true rule raises or lowers the odds.' }),
  ),
  bound: Type.Nullable(Type.Number({ description: 'Largest contribution.' })),
  neutral: Type.Nullable(Type.Number({ description: 'Truth at which the rule contributes nothing.' })),
  threshold: Type.Nullable(Type.Number({ description: 'Truth at which a veto or an abstention fires.' })),
});

export const RuleSetAnswerSchema = Type.Object({
  ...SUMMARY,
  rules: Type.Array(RuleSchema),
  predicates: Type.Array(Type.Object({ name: Type.String(), about: Type.String(), unit: Type.String() }), {
    description: 'The predicates that the rules use.',
  }),
});
export type RuleSetAnswer = Static<typeof RuleSetAnswerSchema>;
