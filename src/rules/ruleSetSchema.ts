/** The written form of a literal, a rule and a set, as JSON holds them once the schema has passed. */
export type LiteralJson = { predicate: string; not?: boolean };
export type RuleJson = {
  id: string;
  kind: 'evidence' | 'veto';
  text: string;
  literals: LiteralJson[];
  weight?: number;
  sign?: '+' | '-';
  bound?: number;
  neutral?: number;
  threshold?: number;
};
export type RuleSetJson = { format: 'tickmark-rules/1'; id: string; version: number; about: string; rules: RuleJson[] };

const ID = { type: 'string', pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$', maxLength: 64 } as const;

/** JSON Schema (draft 7) of a rule set. Every list, text and number has a bound, so that a set stays readable and its evaluation short. */
export const RULE_SET_SCHEMA = {
  $id: 'tickmark-rules/1',
  type: 'object',
  required: ['format', 'id', 'version', 'about', 'rules'],
  additionalProperties: false,
  properties: {
    format: { const: 'tickmark-rules/1' },
    id: ID,
    version: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    about: { type: 'string', maxLength: 1000 },
    rules: {
      type: 'array',
      minItems: 1,
      maxItems: 64,
      items: {
        type: 'object',
        required: ['id', 'kind', 'text', 'literals'],
        additionalProperties: false,
        properties: {
          id: ID,
          kind: { enum: ['evidence', 'veto'] },
          text: { type: 'string', minLength: 1, maxLength: 300 },
          literals: {
            type: 'array',
            minItems: 1,
            maxItems: 8,
            items: {
              type: 'object',
              required: ['predicate'],
              additionalProperties: false,
              properties: { predicate: { type: 'string', maxLength: 64 }, not: { type: 'boolean' } },
            },
          },
          weight: { type: 'number', minimum: -2, maximum: 2 },
          sign: { enum: ['+', '-'] },
          bound: { type: 'number', exclusiveMinimum: 0, maximum: 2 },
          neutral: { type: 'number', minimum: 0, maximum: 1 },
          threshold: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
        },
      },
    },
  },
} as const;
