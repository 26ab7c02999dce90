import { checkSchema, object } from '../../core/checkSchema.ts';
import { quoteValue } from '../../core/ServiceError.ts';
import { MAX_ENTRIES, MIN_ENTRIES } from '../../core/units.ts';
import { SEQUENCE_STEPS } from '../features/WindowMeasures.ts';
import { CONTEXT_COLUMN_NAMES, SEQUENCE_COLUMN_NAMES } from '../features/columns.ts';
import { BUCKET_NAMES } from '../features/horizonBuckets.ts';
import { BANDS_SCHEMA, type Bands, CUT_SCHEMA, withCut } from './cutOfBands.ts';
import type { HeadManifest, ModelManifest } from './ModelManifest.ts';
import { FILE_NAME, HASHED_FILES } from './modelFiles.ts';

const number = { type: 'number' } as const;
const positiveInteger = { type: 'integer', minimum: 1, maximum: 4096 } as const;
const names = { type: 'array', items: { type: 'string', maxLength: 64 }, minItems: 1, maxItems: 512 } as const;
const range = { type: 'array', items: number, minItems: 2, maxItems: 2 } as const;

const id = { type: 'string', pattern: '^[a-z0-9][a-z0-9.-]{0,63}$' } as const;
const idOrNull = { ...id, type: ['string', 'null'] } as const;
const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const name = { type: 'string', minLength: 1, maxLength: 256 } as const;
const microseconds = { type: 'integer', minimum: 0, maximum: 1e16 } as const;

/** JSON Schema of `manifest.json`. The bounds prevent that a hostile manifest requests a huge network. */
const MANIFEST_SCHEMA = object({
  format: { enum: ['tickmark-model/3', 'tickmark-model/4'] },
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
    items: object(
      {
        name: { type: 'string', maxLength: 64 },
        calibration: object({ slope: { type: 'number', exclusiveMinimum: 0 }, intercept: number }),
        directionPassed: { type: 'boolean' },
        residual: { enum: ['trained', 'zero'] },
      },
      {
        thresholdSlope: { type: 'number', minimum: 0, maximum: 100 },
        cut: CUT_SCHEMA,
        bands: BANDS_SCHEMA,
        ticks: { type: 'integer', minimum: MIN_ENTRIES - 1, maximum: MAX_ENTRIES - 1 },
      },
    ),
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
    maxProperties: 32,
    patternProperties: { [FILE_NAME]: sha256 },
    required: HASHED_FILES,
    additionalProperties: false,
  },
});

/** Formats of versions whose inputs or default threshold were computed differently. */
const OLD_FORMATS = ['tickmark-model/1', 'tickmark-model/2'];

type StoredHead = Omit<HeadManifest, 'cut'> & { readonly cut?: number | null; readonly bands?: Bands };
type StoredManifest = Omit<ModelManifest, 'format' | 'heads'> & { readonly heads: readonly StoredHead[] };

/** Says why this program cannot serve the version of a `manifest.json`; null if it can. */
function faultOf(manifest: unknown): string | null {
  const format = (manifest as { format?: unknown } | null)?.format;
  if (OLD_FORMATS.some((old) => old === format))
    return `its format, ${String(format)}, is from an older tickmark with other inputs: train it again with the command in its card.md.`;
  const broken = checkSchema(MANIFEST_SCHEMA, manifest);
  if (broken !== null) {
    const { path, keyword, message, property } = broken;
    return `manifest.json${path} ${message}${keyword === 'additionalProperties' ? ` such as ${quoteValue(property)}` : ''}.`;
  }
  return contentFault(manifest as StoredManifest);
}

function contentFault({ network, heads, lineage, ...manifest }: StoredManifest): string | null {
  const sameNames = (left: readonly string[], right: readonly string[]): boolean => left.join() === right.join();
  if (!sameNames(manifest.sequenceColumns, SEQUENCE_COLUMN_NAMES) || network.sequenceColumns !== SEQUENCE_COLUMN_NAMES.length)
    return 'its sequence columns differ from those of this program: train the version again.';
  if (!sameNames(manifest.contextColumns, CONTEXT_COLUMN_NAMES) || network.contextColumns !== CONTEXT_COLUMN_NAMES.length)
    return 'its context columns differ from those of this program: train the version again.';
  if (network.steps !== SEQUENCE_STEPS) return `it has ${network.steps} steps; this program requires ${SEQUENCE_STEPS}.`;
  if (network.heads !== BUCKET_NAMES.length || heads.length !== network.heads)
    return `it has ${heads.length} heads; this program requires ${BUCKET_NAMES.length}.`;
  const unclear = heads.find((head) => 'cut' in head === 'bands' in head);
  if (unclear !== undefined) return `head ${unclear.name} must have a cut, or bands as versions from before.`;
  if ((lineage.kind === 'base') !== (lineage.parent === null)) return 'a fine-tune must name its parent, and a base must not.';
  return lineage.parent === manifest.id ? 'it names itself as its parent.' : null;
}

/** The manifest in a parsed `manifest.json`, in the present form; or why this program cannot serve its version. */
export function readManifest(manifest: unknown): ModelManifest | { readonly fault: string } {
  const fault = faultOf(manifest);
  if (fault !== null) return { fault };
  const stored = manifest as StoredManifest;
  return { ...stored, format: 'tickmark-model/4', heads: stored.heads.map(withCut) };
}
