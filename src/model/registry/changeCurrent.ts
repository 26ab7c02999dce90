import { readCurrentVersion, writeCurrentVersion, type CurrentVersion } from './currentVersion.ts';
import { appendHistory } from './history.ts';
import type { Registry } from './Registry.ts';

/** What a promotion or a rollback did; null stands for the default that ships. */
export type Change = { readonly id: string | null; readonly previous: string | null; readonly changed: boolean };

/** The id in `current.json`; null also where it cannot be read: then the shipped default answers. */
export function currentIdOf(modelsDir: string): string | null {
  try {
    return readCurrentVersion(modelsDir)?.id ?? null;
  } catch {
    return null;
  }
}

/**
 * Under the registry's lock: writes the line of the history, then `current.json`. A crash between the two leaves a line that readHistory knows
 * as unfinished. Throws ServiceError `file.unwritable`.
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
