import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import * as path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { ServiceError } from '../../core/ServiceError.ts';
import { CONTEXT_COLUMN_NAMES } from '../features/columns.ts';
import { MAX_BINS } from '../features/stabilityIndex.ts';
import type { MarketModel } from './MarketModel.ts';
import type { InputStatistics, ModelManifest } from './ModelManifest.ts';
import type { WeightArrays } from './NetworkWeights.ts';
import type { SeenTicks } from './SeenTicks.ts';

/** The files of a version's folder. Names come only from here, never from a manifest, so no path can lead outside. */
export const MODEL_FILES = {
  manifest: 'manifest.json',
  topology: 'model.json',
  weights: 'weights.bin',
  golden: 'golden.json',
  card: 'card.md',
  report: 'report.html',
  outOfFold: 'out-of-fold.json',
  rules: 'rules.json',
  inputs: 'inputs.json',
  market: 'market.json',
} as const;

/** The files whose SHA-256 every manifest contains. */
export const HASHED_FILES = [MODEL_FILES.topology, MODEL_FILES.weights, MODEL_FILES.golden, MODEL_FILES.card] as const;

/** Optional files; if the manifest names one, it must exist with that hash. */
export const EXTRA_FILES = [MODEL_FILES.report, MODEL_FILES.outOfFold, MODEL_FILES.rules, MODEL_FILES.inputs, MODEL_FILES.market] as const;
export type ExtraFile = (typeof EXTRA_FILES)[number];

/**
 * A manifest may also name files of a later release: they are checked and copied with it, and not used. Without a slash, no name leads outside.
 */
export const FILE_NAME = '^(?!manifest\\.)[a-z][a-z0-9-]{0,63}\\.(json|bin|md|html)$';

/** Inputs from generated ticks, with the logits that the version returned for them when it was made: [rows][heads]. */
export type Golden = {
  readonly rows: readonly {
    readonly sequence: readonly number[];
    readonly context: readonly number[];
    readonly baseline: number;
    readonly head: number;
    readonly baselineLogit: number;
    readonly residualLogit: number;
    readonly directionLogit: number;
  }[];
};

/** Content of a version's folder, read and checked. */
export type ModelFolder = {
  readonly manifest: ModelManifest;
  readonly weights: WeightArrays;
  readonly golden: Golden;
  /** Markdown. */
  readonly card: string;
  /** Rule set with weights that were fitted on top of this version (JSON text); undefined if it has none. */
  readonly rules?: string;
  /** Distribution of its training rows; undefined if the version does not contain it. */
  readonly inputs?: InputStatistics;
  /** The time of day in its market; undefined if the version has none. */
  readonly market?: MarketModel;
  /** Sample of the ticks that it was trained on; undefined if the version does not contain it. */
  readonly seen?: SeenTicks;
};

/** Far above the real sizes; a larger file is refused before it is read. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
const MAX_MANIFEST_BYTES = 8 * 1024 * 1024;
/** Of inputs.json and of market.json. */
const MAX_SMALL_BYTES = 256 * 1024;

const SMALL_FILES: ReadonlySet<string> = new Set([MODEL_FILES.inputs, MODEL_FILES.market]);

/** Throws ServiceError `model.refused` with the folder's name. */
export type Refuse = (why: string, cause?: unknown) => never;

/** The bytes of `manifest.json`. */
export function readManifestFile(folder: string, refuse: Refuse): Buffer {
  // Checks the folder itself, because a link could lead the whole version elsewhere.
  if (!lstatSync(folder).isDirectory()) refuse('it is not a folder.');
  return readPlainFile(folder, MODEL_FILES.manifest, MAX_MANIFEST_BYTES, refuse);
}

/** The bytes of every file that the manifest names, after comparing the hashes. */
export function readHashedFiles(folder: string, { files }: ModelManifest, refuse: Refuse): ReadonlyMap<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (const name of Object.keys(files)) {
    const content = readPlainFile(folder, name, SMALL_FILES.has(name) ? MAX_SMALL_BYTES : MAX_FILE_BYTES, refuse);
    const hash = createHash('sha256').update(content).digest('hex');
    if (files[name] !== hash) refuse(`${name} has SHA-256 ${hash}, but the manifest has ${files[name] ?? 'none'}.`);
    contents.set(name, content);
  }
  return contents;
}

function readPlainFile(folder: string, name: string, limit: number, refuse: Refuse): Buffer {
  let handle: number | undefined;
  try {
    const file = path.join(folder, name);
    // Detects a link, a pipe or a device before opening it; O_NOFOLLOW covers a link that appears in between.
    if (!lstatSync(file).isFile()) return refuse(`${name} is not a regular file.`);
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size } = fstatSync(handle);
    if (size > limit) return refuse(`${name} has ${size} bytes, more than ${limit}.`);
    const content = Buffer.alloc(size);
    let at = 0;
    for (let read = -1; read !== 0 && at < size; at += read) read = readSync(handle, content, at, size - at, null);
    return content.subarray(0, at);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    return refuse(`${name} cannot be read.`, error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

const FRACTION_SUM_TOLERANCE = 1e-3;

const object = <P extends Record<string, unknown>>(properties: P) =>
  ({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false }) as const;

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

let check: ValidateFunction | undefined;

/** Checks the parsed `inputs.json`. */
export function checkInputStatistics(value: unknown, refuse: Refuse): InputStatistics {
  check ??= new Ajv({ allErrors: false }).compile(SCHEMA);
  if (!check(value)) {
    const [error] = check.errors ?? [];
    return refuse(`${MODEL_FILES.inputs}${error?.instancePath ?? ''} ${error?.message ?? 'is wrong'}.`);
  }
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
  if (!floats.every((edge, i) => Number.isFinite(edge) && (i === 0 || edge > (floats[i - 1] as number))))
    return 'has edges that are not finite or do not ascend';
  const sum = shares.reduce((total, share) => total + share, 0);
  return Math.abs(sum - 1) > FRACTION_SUM_TOLERANCE ? `has shares that sum to ${sum}` : null;
}
