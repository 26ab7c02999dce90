import { closeSync, fsyncSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../../core/ServiceError.ts';
import { syncFolder } from '../writeDurably.ts';
import { readSmallFile } from './readSmallFile.ts';
import { registryPlaces } from './registryPlaces.ts';
import { isVersionId } from './versionFolders.ts';

/** One line of `history.jsonl`; null stands for the default that ships with tickmark. */
export type HistoryEntry = {
  readonly id: string | null;
  readonly previous: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly by: 'promote' | 'rollback';
};

export type History = {
  /** What took place, oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** The last line where it did not: written before a change of `current.json` that never came. */
  readonly unfinished: HistoryEntry | null;
  /** Numbers of lines that are no entries, from 1; a last line without its end is one. */
  readonly broken: readonly number[];
};

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the history against what `current.json` says. A line is written before `current.json` changes, and the change may never have come:
 * then the line after it, or `current.json`, still names the version before. Throws ServiceError `model.refused` where the file cannot be read.
 */
export function readHistory(modelsDir: string, currentId: string | null): History {
  const text = readSmallFile(registryPlaces(modelsDir).history, MAX_BYTES) ?? '';
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

/** Adds a line, on the disk when this returns; a last line that lacks its end goes first. Throws ServiceError `file.unwritable`. */
export function appendHistory(modelsDir: string, entry: HistoryEntry): void {
  const { history: file } = registryPlaces(modelsDir);
  try {
    mkdirSync(modelsDir, { recursive: true });
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
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('file.unwritable', `${file} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}

/** What a rollback leads to: each promotion can be taken back once. undefined: nothing is left to take back. */
export function wayBack({ entries }: Pick<History, 'entries'>): string | null | undefined {
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
