import { EXTRA_FILES, HASHED_FILES } from './modelFiles.ts';

const number = { type: 'number' } as const;
const positiveInteger = { type: 'integer', minimum: 1, maximum: 4096 } as const;
const names = { type: 'array', items: { type: 'string', maxLength: 64 }, minItems: 1, maxItems: 512 } as const;
const range = { type: 'array', items: number, minItems: 2, maxItems: 2 } as const;

const id = { type: 'string', pattern: '^[a-z0-9][a-z0-9.-]{0,63}$' } as const;
const idOrNull = { ...id, type: ['string', 'null'] } as const;
const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const name = { type: 'string', minLength: 1, maxLength: 256 } as const;
const microseconds = { type: 'integer', minimum: 0, maximum: 1e16 } as const;

const object = <P extends Record<string, unknown>>(properties: P) =>
  ({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false }) as const;

/** JSON Schema of `manifest.json`. The bounds prevent that a hostile manifest requests a huge network. */
export const MANIFEST_SCHEMA = object({
  format: { const: 'tickmark-model/2' },
  id,
  createdAt: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$' },
  network: object({
    steps: positiveInteger,
    sequenceColumns: positiveInteger,
    contextColumns: positiveInteger,
    units: { ...positiveInteger, maximum: 512 },
    dense: { ...positiveInteger, maximum: 512 },
    adapterRank: { ...positiveInteger, maximum: 64 },
    heads: { ...positiveInteger, maximum: 16 },
  }),
  sequenceColumns: names,
  contextColumns: names,
  heads: {
    type: 'array',
    minItems: 1,
    maxItems: 16,
    items: object({
      name: { type: 'string', maxLength: 64 },
      calibration: object({ slope: { type: 'number', exclusiveMinimum: 0 }, intercept: number }),
      bands: object({
        upper: { type: 'array', items: number, minItems: 1, maxItems: 16 },
        decision: { type: 'array', items: { type: ['number', 'null'], minimum: 0, maximum: 1 }, minItems: 1, maxItems: 16 },
      }),
      directionPassed: { type: 'boolean' },
      residual: { enum: ['trained', 'zero'] },
    }),
  },
  trained: object({ horizonS: range, horizonToWindow: range, medianGapS: range, logThetaRatio: range }),
  synthetic: { type: 'boolean' },
  gate: object({
    verdict: { enum: ['passed', 'not_passed', 'not_judged'] },
    against: idOrNull,
    summary: { type: 'string', maxLength: 4000 },
  }),
  lineage: object({
    kind: { enum: ['base', 'fine_tune'] },
    parent: idOrNull,
    code: { type: 'string', maxLength: 256 },
    seed: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    data: {
      type: 'array',
      maxItems: 10_000,
      items: object({
        name,
        group: name,
        fileSha256: sha256,
        by: id,
        fromUs: microseconds,
        toUs: microseconds,
        days: {
          type: 'array',
          maxItems: 40_000,
          items: object({ day: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' }, sha256 }),
        },
      }),
    },
  }),
  files: {
    type: 'object',
    properties: Object.fromEntries([...HASHED_FILES, ...EXTRA_FILES].map((file) => [file, sha256])),
    required: HASHED_FILES,
    additionalProperties: false,
  },
});
