import { checkSchema, object } from '../../core/checkSchema.ts';
import { CONTEXT_COLUMN_NAMES } from '../features/columns.ts';
import { MAX_BINS } from '../features/stabilityIndex.ts';
import type { InputStatistics } from './ModelManifest.ts';
import { MODEL_FILES, type Refuse } from './modelFiles.ts';

const FRACTION_SUM_TOLERANCE = 1e-3;

const SCHEMA = object({
  format: { const: 'tickmark-inputs/1' },
  rows: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  columns: {
    type: 'array',
    minItems: CONTEXT_COLUMN_NAMES.length,
    maxItems: CONTEXT_COLUMN_NAMES.length,
    items: object({
      name: { type: 'string', maxLength: 64 },
      edges: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: MAX_BINS - 1 },
      shares: { type: 'array', items: { type: 'number', minimum: 0, maximum: 1 }, minItems: 2, maxItems: MAX_BINS },
    }),
  },
});

/** Checks the parsed `inputs.json`. */
export function checkInputStatistics(value: unknown, refuse: Refuse): InputStatistics {
  const broken = checkSchema(SCHEMA, value);
  if (broken !== null) return refuse(`${MODEL_FILES.inputs}${broken.path} ${broken.message}.`);
  const statistics = value as InputStatistics;
  for (const [at, column] of statistics.columns.entries()) {
    const fault = columnFault(column, CONTEXT_COLUMN_NAMES[at] as string);
    if (fault !== null) return refuse(`${MODEL_FILES.inputs}/columns/${at} ${fault}.`);
  }
  return statistics;
}

function columnFault({ name, edges, shares }: InputStatistics['columns'][number], wanted: string): string | null {
  if (name !== wanted) return `is not ${wanted}`;
  if (shares.length !== edges.length + 1) return `has ${edges.length} edges and ${shares.length} shares`;
  // Compared as 32-bit floats, as serving does; edges that are equal then do not ascend.
  const floats = edges.map(Math.fround);
  if (!floats.every((edge, i) => Number.isFinite(edge) && (i === 0 || edge > floats[i - 1])))
    return 'has edges that are not finite or do not ascend';
  const sum = shares.reduce((total, share) => total + share, 0);
  return Math.abs(sum - 1) > FRACTION_SUM_TOLERANCE ? `has shares that sum to ${sum}` : null;
}
