import { Type, type Static } from 'typebox';

const strict = { additionalProperties: false } as const;
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const SUMMARY = {
  id: Type.String(),
  version: Type.Integer(),
  about: Type.String(),
  hash: Type.String({ description: 'SHA-256 of the content of the set, hex; equal to the hash in the detail of a forecast.' }),
};

export const RuleSetListAnswerSchema = Type.Object(
  {
    default: Type.String({ description: 'The rule set of the default version.' }),
    rulesets: Type.Array(Type.Object({ ...SUMMARY, rules: Type.Integer({ description: 'Number of rules.' }) }, strict)),
  },
  strict,
);
export type RuleSetListAnswer = Static<typeof RuleSetListAnswerSchema>;

const RuleSchema = Type.Object(
  {
    id: Type.String(),
    kind: Type.Union([Type.Literal('evidence'), Type.Literal('veto'), Type.Literal('abstain')]),
    text: Type.String({ description: 'With placeholders for numbers: {predicate}, {predicate.number}.' }),
    when: Type.String({ description: 'The predicates that must hold, in words.' }),
    horizons: Type.Array(Type.String(), { description: 'Horizon buckets in which the rule is evaluated.' }),
    weights: nullable(Type.Record(Type.String(), Type.Number(), { description: 'Log-odds by horizon bucket.' })),
    sign: nullable(Type.Union([Type.Literal('+'), Type.Literal('-')], { description: 'Whether a true rule raises or lowers the odds.' })),
    bound: nullable(Type.Number({ description: 'Largest contribution.' })),
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
      description: 'The predicates that the rules use.',
    }),
  },
  strict,
);
export type RuleSetAnswer = Static<typeof RuleSetAnswerSchema>;
