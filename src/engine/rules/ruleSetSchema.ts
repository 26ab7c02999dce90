import { BUCKET_NAMES } from '../features/horizonBuckets.ts';

/** JSON of a literal, a rule and a set after validation against the schema. */
export type LiteralJson = { predicate: string; not?: boolean };
export type ExpressionJson =
  | { predicate: string }
  | { not: ExpressionJson }
  | { all: ExpressionJson[] }
  | { any: ExpressionJson[] }
  | { at_least: number; of: ExpressionJson[] };
type BucketName = (typeof BUCKET_NAMES)[number];
export type RuleJson = {
  id: string;
  kind: 'evidence' | 'veto' | 'abstain';
  text: string;
  literals?: LiteralJson[];
  when?: ExpressionJson;
  horizons?: BucketName[];
  weight?: number;
  sign?: '+' | '-';
  bound?: number;
  neutral?: number;
  threshold?: number;
};
export type RuleSetJson = {
  format: 'tickmark-rules/1';
  id: string;
  version: number;
  about: string;
  rules: RuleJson[];
};

const ID_PATTERN = '^[a-z0-9]+(?:[-_][a-z0-9]+)*$';
const ID = { type: 'string', pattern: ID_PATTERN, maxLength: 64 } as const;
const WEIGHT = { type: 'number', minimum: -2, maximum: 2 } as const;
const PREDICATE = { type: 'string', maxLength: 64 } as const;
const PARTS = { type: 'array', minItems: 1, maxItems: 8, items: { $ref: '#/definitions/expression' } } as const;

const ALONE = { type: 'object', maxProperties: 1 } as const;

/** JSON Schema (draft 7) of a rule set. Every list, text and number is bounded, to keep sets readable and evaluation fast. */
export const RULE_SET_SCHEMA = {
  $id: 'tickmark-rules/1',
  type: 'object',
  required: ['format', 'id', 'version', 'about', 'rules'],
  additionalProperties: false,
  definitions: {
    // Exactly one of the five forms. Each has its own required fields, which select the branch.
    expression: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 2,
      properties: {
        predicate: PREDICATE,
        not: { $ref: '#/definitions/expression' },
        all: PARTS,
        any: PARTS,
        at_least: { type: 'integer', minimum: 1, maximum: 8 },
        of: PARTS,
      },
      dependencies: { at_least: ['of'], of: ['at_least'], predicate: ALONE, not: ALONE, all: ALONE, any: ALONE },
    },
  },
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
        required: ['id', 'kind', 'text'],
        additionalProperties: false,
        properties: {
          id: ID,
          kind: { enum: ['evidence', 'veto', 'abstain'] },
          text: { type: 'string', minLength: 1, maxLength: 300 },
          literals: {
            type: 'array',
            minItems: 1,
            maxItems: 8,
            items: {
              type: 'object',
              required: ['predicate'],
              additionalProperties: false,
              properties: { predicate: PREDICATE, not: { type: 'boolean' } },
            },
          },
          when: { $ref: '#/definitions/expression' },
          horizons: { type: 'array', minItems: 1, maxItems: BUCKET_NAMES.length, uniqueItems: true, items: { enum: [...BUCKET_NAMES] } },
          weight: WEIGHT,
          sign: { enum: ['+', '-'] },
          bound: { type: 'number', exclusiveMinimum: 0, maximum: 2 },
          neutral: { type: 'number', minimum: 0, maximum: 1 },
          threshold: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
        },
      },
    },
  },
} as const;
