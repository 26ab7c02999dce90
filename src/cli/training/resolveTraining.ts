import { isVersionId } from '../../engine/model/registry/registryPaths.ts';
import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { BASE_SCOPE, PRESETS, scopeOfHorizon, type HorizonScope, type PresetName } from '../../../training/data/HorizonScope.ts';
import type { PreviousBase } from '../../../training/evaluation/outOfFold.ts';
import { UNITS } from '../../../training/networkSpec.ts';
import type { TrainOptions } from '../../../training/TrainOptions.ts';
import { modelFolders } from '../../service/app/openRegistry.ts';
import { availableProcessors } from '../../core/availableProcessors.ts';
import { tensorflowEnvironment, type Settings } from '../../core/config/settings.ts';
import { ServiceError, quoteValue } from '../../core/ServiceError.ts';
import { findVersion, loadCatalog, type LoadedCatalog } from '../../engine/model/loadCatalog.ts';
import { MODEL_FILES, type ModelFolder } from '../../engine/model/modelFiles.ts';
import { parseTimestampUs } from '../../ticks/timestamps.ts';
import { expandTickFiles } from '../files/expandTickFiles.ts';
import { fileOptions } from '../files/importFile.ts';
import { parseDuration } from '../parseOptions.ts';
import type { Experiment } from './Experiment.ts';

/** Options of the command line only. */
export type RunFlags = {
  readonly replace: boolean;
  readonly force: boolean;
  readonly resume: boolean;
  readonly command: string;
};

const DEFAULT_HORIZON = '60s';
/** A head has a few hundred weights and learns in many short passes; a network has twenty thousand and learns in few. */
const DEFAULTS = {
  fine_tune: { epochs: 30, learningRate: 0.003, patience: 12, batchSize: 128 },
  base: { epochs: 5, learningRate: 0.002, patience: 4, batchSize: 128 },
} as const;
const MAX_ROWS = 2600;

/**
 * Turns an experiment into the options of a run. `say` receives a line per folder about the files left out.
 * Throws ServiceError `command.invalid`, `model.*`.
 */
export async function resolveTraining(
  given: Experiment,
  flags: RunFlags,
  settings: Settings,
  today: string,
  stop: Int32Array,
  say: (line: string) => void,
): Promise<TrainOptions> {
  const data = expandTickFiles(given.data ?? [], say);
  if (data.length > 0 && given.synthetic === true) throw invalid('--data and --synthetic exclude each other.');
  if ([given.horizon, given.preset, given.base || undefined].filter((asked) => asked !== undefined).length > 1)
    throw invalid('--horizon, --preset and --base exclude each other.');
  const mode = given.base === true ? 'base' : 'fine_tune';
  const id = given.name ?? `${data.length === 0 ? 'synthetic' : mode === 'base' ? 'base' : 'mine'}-${today}`;
  if (!isVersionId(id))
    throw invalid(
      `--name must be 1 to 64 lower-case letters, digits, dots and dashes, and start with a letter or digit, and not be the name of another file there, such as current.json; got ${quoteValue(id)}.`,
    );
  const defaults = DEFAULTS[mode];
  const loaded = (): LoadedCatalog => loadCatalog(modelFolders(settings), settings.model);
  if (mode === 'base' && given.from !== undefined)
    throw invalid(`--base and --from exclude each other: a base does not start from a version. Remove --from ${given.from}.`);
  const parent = mode === 'base' ? null : parentOf(loaded(), given);
  return {
    ...flags,
    mode,
    data,
    reading: fileOptions(given),
    id,
    groups: given.groups ?? {},
    scope: scopeOf(given),
    parent,
    previousBase: mode === 'base' ? previousBaseOf(loaded, settings, say) : null,
    out: given.out === undefined ? settings.modelsDir : path.resolve(given.out),
    workDir: path.resolve(settings.dataDir, 'training'),
    fromUs: timeOf('since', given.since, -Infinity),
    untilUs: timeOf('until', given.until, Infinity),
    seed: given.seed ?? 1,
    seeds: given.seeds ?? 1,
    epochs: given.epochs ?? defaults.epochs,
    batchSize: given.batchSize ?? defaults.batchSize,
    learningRate: given.learningRate ?? defaults.learningRate,
    schedule: given.schedule ?? 'cosine',
    patience: given.patience ?? defaults.patience,
    maxPerBucket: given.maxRows ?? MAX_ROWS,
    units: given.units ?? UNITS,
    workers: given.workers ?? Math.min(4, availableProcessors()),
    backend: given.device ?? settings.runtimeBackend,
    environment: tensorflowEnvironment(),
    sources: given.sources ?? '',
    maxMinutes: given.maxMinutes ?? Infinity,
    stop,
  };
}

const invalid = (detail: string): ServiceError => new ServiceError('command.invalid', detail);

function scopeOf({ horizon, preset, base }: Experiment): HorizonScope {
  if (base === true) return BASE_SCOPE;
  if (preset !== undefined) return PRESETS[preset as PresetName];
  try {
    return scopeOfHorizon(parseDuration(horizon ?? DEFAULT_HORIZON) / 1e6);
  } catch (cause) {
    throw new ServiceError('command.invalid', `--horizon ${quoteValue(horizon)}: ${(cause as Error).message}`, { cause });
  }
}

/** The served base, or the base that the served version was tuned from. */
const parentOf = (catalog: LoadedCatalog, { from }: Experiment): ModelFolder => findVersion(catalog, from ?? catalog.defaultId);

/** A base can be trained without any usable version: then there is none to compare with. */
function previousBaseOf(loaded: () => LoadedCatalog, settings: Settings, say: (line: string) => void): PreviousBase | null {
  let catalog: LoadedCatalog;
  try {
    catalog = loaded();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    say(`There is no version to compare the new base with. ${error.message}`);
    return null;
  }
  const { versions, defaultId } = catalog;
  let version = versions.find(({ manifest }) => manifest.id === defaultId);
  // Bounded by the number of versions, so that a circular lineage ends.
  for (let i = 0; i < versions.length && version?.manifest.lineage.kind === 'fine_tune'; i++) {
    const { parent } = version.manifest.lineage;
    version = versions.find(({ manifest }) => manifest.id === parent);
  }
  if (version === undefined) return null;
  const { id } = version.manifest;
  const file = modelFolders(settings)
    .map((folder) => path.join(folder, id, MODEL_FILES.outOfFold))
    .find((candidate) => existsSync(candidate));
  return { id, outOfFold: file === undefined ? undefined : readFileSync(file, 'utf8'), memory: version.memory };
}

function timeOf(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const us = parseTimestampUs(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text} 00:00:00.000` : text);
  if (us < 0) throw invalid(`--${name} ${quoteValue(text)}: write 2024-01-31 or 2024-01-31 09:30:00.000, UTC.`);
  return us;
}
