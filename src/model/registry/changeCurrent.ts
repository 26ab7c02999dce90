import { readCurrentVersion, writeCurrentVersion, type CurrentVersion } from './currentVersion.ts';
import { appendHistory } from './history.ts';
import type { Registry } from './Registry.ts';

/** Result of a promotion or a rollback; null means the shipped default. */
export type Change = { readonly id: string | null; readonly previous: string | null; readonly changed: boolean };

/** The id in `current.json`; also null if it cannot be read, because the shipped default then serves. */
export function currentIdOf(modelsDir: string): string | null {
  try {
    return readCurrentVersion(modelsDir)?.id ?? null;
  } catch {
    return null;
  }
}

/**
 * Writes the history line, then `current.json`; the caller holds the registry lock. A crash between the two leaves a line that readHistory
 * reports as unfinished. Throws ServiceError `file.unwritable`.
 */
export function changeCurrent(registry: Registry, id: string | null, by: CurrentVersion['by']): Change {
  const { modelsDir, clock } = registry;
  const previous = currentIdOf(modelsDir);
  if (id === previous && isWritten(modelsDir)) return { id, previous, changed: false };
  const sinceMs = clock.nowMs();
  if (id !== previous) appendHistory(modelsDir, { id, previous, at: new Date(sinceMs).toISOString(), by });
  writeCurrentVersion(modelsDir, { id, sinceMs, by });
  return { id, previous, changed: true };
}

function isWritten(modelsDir: string): boolean {
  try {
    return readCurrentVersion(modelsDir) !== null;
  } catch {
    return false;
  }
}
