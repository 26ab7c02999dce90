import { renameSync, rmSync } from 'node:fs';
import { writing } from '../../../core/fileErrors.ts';
import { makeFolder } from '../../../core/makeFolder.ts';
import { ServiceError, quoteValue } from '../../../core/ServiceError.ts';
import { syncFolder, writeDurably } from '../../../core/writeDurably.ts';
import type { Clock } from '../../../core/Clock.ts';
import { registryPaths, isVersionId } from './registryPaths.ts';
import { appendHistory, type Change } from './history.ts';
import { readSmallFile } from '../readRegularFile.ts';

/** `current.json`: the default version since a promotion or a rollback. */
export type CurrentVersion = {
  /** null: the shipped default, after a rollback of the first promotion. */
  readonly id: string | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly sinceMs: number;
  readonly by: 'promote' | 'rollback';
};

const MAX_BYTES = 4096;

/** null if nothing was ever promoted. Throws ServiceError `model.refused` for an invalid file. */
export function readCurrentVersion(modelsDir: string): CurrentVersion | null {
  const { current: file } = registryPaths(modelsDir);
  const text = readSmallFile(file, MAX_BYTES);
  if (text === null) return null;
  const current = parse(text);
  if (!isCurrentVersion(current))
    throw new ServiceError(
      'model.refused',
      `${file} does not name a version: ${quoteValue(text)}. tickmark models promote writes it again.`,
    );
  return current;
}

/** Replaces the file by an atomic rename, so a reader sees the old file or the new one. Throws ServiceError `file.unwritable`. */
export function writeCurrentVersion(modelsDir: string, current: CurrentVersion): void {
  const { current: file } = registryPaths(modelsDir);
  const draft = `${file}.${process.pid}.draft`;
  writing(file, () => {
    makeFolder(modelsDir);
    rmSync(draft, { force: true });
    writeDurably(draft, Buffer.from(JSON.stringify(current) + '\n'));
    renameSync(draft, file);
    syncFolder(modelsDir);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCurrentVersion(value: unknown): value is CurrentVersion {
  const { id, sinceMs, by } = (value ?? {}) as Partial<Record<keyof CurrentVersion, unknown>>;
  return (id === null || isVersionId(id)) && Number.isFinite(sinceMs) && (by === 'promote' || by === 'rollback');
}

/** Null also if it cannot be read, because the shipped default then serves. */
function readableVersion(modelsDir: string): CurrentVersion | null {
  try {
    return readCurrentVersion(modelsDir);
  } catch {
    return null;
  }
}

/** The id in `current.json`; also null if it cannot be read. */
export const currentIdOf = (modelsDir: string): string | null => readableVersion(modelsDir)?.id ?? null;

/**
 * Writes the history line, then `current.json`; the caller holds the registry lock. A crash between the two leaves a line that readHistory
 * reports as unfinished. Throws ServiceError `file.unwritable`.
 */
export function changeCurrent(modelsDir: string, clock: Clock, id: string | null, by: CurrentVersion['by']): Change {
  const before = readableVersion(modelsDir);
  const previous = before?.id ?? null;
  if (id === previous && before !== null) return { id, previous, changed: false };
  const sinceMs = clock.nowMs();
  if (id !== previous) appendHistory(modelsDir, { id, previous, at: new Date(sinceMs).toISOString(), by });
  writeCurrentVersion(modelsDir, { id, sinceMs, by });
  return { id, previous, changed: true };
}
