import { Ajv, type ValidateFunction } from 'ajv';
import { quoteValue } from '../core/ServiceError.ts';
import { CONTEXT_COLUMN_NAMES, SEQUENCE_COLUMN_NAMES } from '../features/columns.ts';
import { SEQUENCE_STEPS } from '../features/WindowMeasures.ts';
import { MANIFEST_SCHEMA } from './manifestSchema.ts';
import type { ModelManifest } from './ModelManifest.ts';
import { BUCKET_NAMES } from '../features/horizonBuckets.ts';

let check: ValidateFunction | undefined;

/** Says why this program cannot serve the version of a `manifest.json`; null if it can, and `manifest` is a ModelManifest. */
export function manifestFault(manifest: unknown): string | null {
  check ??= new Ajv({ allErrors: false, allowUnionTypes: true }).compile(MANIFEST_SCHEMA);
  if ((manifest as { format?: unknown } | null)?.format === 'tickmark-model/1')
    return 'its format, tickmark-model/1, is from an older tickmark: train the version again.';
  if (!check(manifest)) {
    const [error] = check.errors ?? [];
    const extra = (error?.params as { additionalProperty?: string } | undefined)?.additionalProperty;
    return `manifest.json${error?.instancePath ?? ''} ${error?.message ?? 'is wrong'}${extra === undefined ? '' : ` such as ${quoteValue(extra)}`}.`;
  }
  return contentFault(manifest as ModelManifest);
}

function contentFault({ network, heads, lineage, ...manifest }: ModelManifest): string | null {
  const sameNames = (left: readonly string[], right: readonly string[]): boolean => left.join() === right.join();
  if (!sameNames(manifest.sequenceColumns, SEQUENCE_COLUMN_NAMES) || network.sequenceColumns !== SEQUENCE_COLUMN_NAMES.length)
    return 'its sequence columns differ from those of this program: train the version again.';
  if (!sameNames(manifest.contextColumns, CONTEXT_COLUMN_NAMES) || network.contextColumns !== CONTEXT_COLUMN_NAMES.length)
    return 'its context columns differ from those of this program: train the version again.';
  if (network.steps !== SEQUENCE_STEPS) return `it has ${network.steps} steps; this program requires ${SEQUENCE_STEPS}.`;
  if (network.heads !== BUCKET_NAMES.length || heads.length !== network.heads)
    return `it has ${heads.length} heads; this program requires ${BUCKET_NAMES.length}.`;
  const uneven = heads.find((head) => head.bands.upper.length !== head.bands.decision.length);
  if (uneven !== undefined)
    return `head ${uneven.name} has ${uneven.bands.upper.length} bands and ${uneven.bands.decision.length} decisions.`;
  if ((lineage.kind === 'base') !== (lineage.parent === null)) return 'a fine-tune must name its parent, and a base must not.';
  return lineage.parent === manifest.id ? 'it names itself as its parent.' : null;
}
