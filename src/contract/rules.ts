import { Type, type Static } from 'typebox';

const strict = { additionalProperties: false } as const;
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const SUMMARY = {
  id: Type.String(),
  version: Type.Integer(),
  about: Type.String(),
  hash: Type.String({ description: 'SHA-256 of what the set means, hex: as in the detail of a forecast.' }),
};

export const RuleSetListAnswerSchema = Type.Object(
  {
    default: Type.String({ description: 'The set that forecasts of the default model pass through.' }),
    rulesets: Type.Array(Type.Object({ ...SUMMARY, rules: Type.Integer({ description: 'How many it holds.' }) }, strict)),
  },
  strict,
);
export type RuleSetListAnswer = Static<typeof RuleSetListAnswerSchema>;

const RuleSchema = Type.Object(
  {
    id: Type.String(),
    kind: Type.Union([Type.Literal('evidence'), Type.Literal('veto'), Type.Literal('abstain')]),
    text: Type.String({ description: 'With places for numbers: {predicate}, {predicate.number}.' }),
    when: Type.String({ description: 'The predicates that must hold, in words.' }),
    horizons: Type.Array(Type.String(), { description: 'Horizon buckets in which the rule is asked.' }),
    weights: nullable(Type.Record(Type.String(), Type.Number(), { description: 'Log-odds by horizon bucket.' })),
    sign: nullable(Type.Union([Type.Literal('+'), Type.Literal('-')], { description: 'Whether a true rule raises or lowers the odds.' })),
    bound: nullable(Type.Number({ description: 'No contribution is larger.' })),
    neutral: nullable(Type.Number({ description: 'Truth at which the rule contributes nothing.' })),
    threshold: nullable(Type.Number({ description: 'Truth at which a veto or an abstention fires.' })),
  },
  strict,
);

export const RuleSetAnswerSchema = Type.Object(
  {
    ...SUMMARY,
    rules: Type.Array(RuleSchema),
    predicates: Type.Array(Type.Object({ name: Type.String(), about: Type.String(), unit: Type.String() }, strict), {
      description: 'Those that the rules name.',
    }),
  },
  strict,
);
export type RuleSetAnswer = Static<typeof RuleSetAnswerSchema>;
