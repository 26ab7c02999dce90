import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import * as path from 'node:path';
import { writing } from '../../../core/fileErrors.ts';
import { makeFolder } from '../../../core/makeFolder.ts';
import { syncFolder } from '../../../core/writeDurably.ts';
import { readSmallFile } from '../readRegularFile.ts';
import { registryPaths, isVersionId } from './registryPaths.ts';

/** One change of the default, a line of `history.jsonl`; null means the shipped default. */
export type HistoryEntry = {
  readonly id: string | null;
  readonly previous: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly by: 'promote' | 'rollback';
};

/** The default version, and how it became the default. */
export type RegistryState = {
  /** null: the shipped default. */
  readonly currentId: string | null;
  /** Completed changes, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** What is wrong with the records of the registry itself; empty if nothing is. */
  readonly faults: readonly string[];
};

/** Result of a promotion or a rollback; null means the shipped default. */
export type Change = { readonly id: string | null; readonly previous: string | null; readonly changed: boolean };

export type History = {
  /** Completed changes, oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** The last line, if its change of `current.json` was never made. */
  readonly unfinished: HistoryEntry | null;
  /** Numbers (from 1) of invalid lines, including a last line without a line end. */
  readonly broken: readonly number[];
};

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the history and compares it with `current.json`. A line is written before `current.json` changes, so a crash can leave a line without
 * its change: the next line, or `current.json`, then still names the version before. Throws ServiceError `model.refused` if the file cannot
 * be read.
 */
export function readHistory(modelsDir: string, currentId: string | null): History {
  const text = readSmallFile(registryPaths(modelsDir).history, MAX_BYTES) ?? '';
  const lines = text.split('\n');
  const parsed = lines.map((line, at) => (at === lines.length - 1 ? null : parseEntry(line)));
  const broken = parsed.flatMap((entry, at) => (entry === null && lines[at] !== '' ? [at + 1] : []));
  const written = parsed.filter((entry) => entry !== null);
  const entries = written.filter(({ id }, at) => {
    const next = written[at + 1];
    return id === (next === undefined ? currentId : next.previous);
  });
  const last = written.at(-1);
  return { entries, unfinished: last === undefined || last.id === currentId ? null : last, broken };
}

/** Removes an incomplete last line, then appends a line and syncs it to disk. Throws ServiceError `file.unwritable`. */
export function appendHistory(modelsDir: string, entry: HistoryEntry): void {
  const { history: file } = registryPaths(modelsDir);
  writing(file, () => {
    makeFolder(modelsDir);
    const text = readSmallFile(file, MAX_BYTES) ?? '';
    const handle = openSync(file, 'a');
    try {
      const whole = Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1));
      if (whole < Buffer.byteLength(text)) ftruncateSync(handle, whole);
      writeSync(handle, JSON.stringify(entry) + '\n');
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    syncFolder(path.dirname(file));
  });
}

/** The version to which a rollback leads. Each promotion can be rolled back once; undefined if none is left. */
export function rollbackTarget(entries: readonly HistoryEntry[]): string | null | undefined {
  const before: (string | null)[] = [];
  for (const { by, previous } of entries) {
    if (by === 'promote') before.push(previous);
    else before.pop();
  }
  return before.at(-1);
}

function parseEntry(line: string): HistoryEntry | null {
  try {
    const { id, previous, at, by } = JSON.parse(line) as Partial<Record<keyof HistoryEntry, unknown>>;
    const isId = (value: unknown): value is string | null => value === null || isVersionId(value);
    if (!isId(id) || !isId(previous) || typeof at !== 'string' || (by !== 'promote' && by !== 'rollback')) return null;
    return { id, previous, at: at.slice(0, 40), by };
  } catch {
    return null;
  }
}
