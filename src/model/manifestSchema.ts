const number = { type: 'number' } as const;
const positiveInteger = { type: 'integer', minimum: 1, maximum: 4096 } as const;
const names = { type: 'array', items: { type: 'string', maxLength: 64 }, minItems: 1, maxItems: 512 } as const;
const range = { type: 'array', items: number, minItems: 2, maxItems: 2 } as const;

const object = <P extends Record<string, unknown>>(properties: P) =>
  ({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false }) as const;

/** JSON Schema of `manifest.json`. The bounds keep a hostile manifest from asking for a huge network. */
export const MANIFEST_SCHEMA = object({
  format: { const: 'tickmark-model/1' },
  id: { type: 'string', pattern: '^[a-z0-9][a-z0-9.-]{0,63}$' },
  createdAt: { type: 'string', maxLength: 40 },
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
    }),
  },
  trained: object({ horizonS: range, horizonToWindow: range, medianGapS: range, logThetaRatio: range }),
  synthetic: { type: 'boolean' },
  files: { type: 'object', additionalProperties: { type: 'string', pattern: '^[0-9a-f]{64}$' }, maxProperties: 16 },
});
