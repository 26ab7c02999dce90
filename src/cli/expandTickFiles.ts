import { type Dirent, readdirSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../core/ServiceError.ts';
import { isTickFileName, TICK_FILE_ENDS, tickFileStem } from '../import/tickFileName.ts';

const MAX_NAMED = 5;

/**
 * Files as they are, folders to what is named as a tick file in them, and patterns with * or ? in the last part (a shell that was told not
 * to expand them) to what they match; sorted, each file once. `say` is told, a line each, what of a folder was left out.
 * Throws ServiceError `file.unreadable` for what leads to nothing.
 */
export function expandTickFiles(given: readonly string[], say: (line: string) => void): string[] {
  return [...new Set(given.flatMap((name) => expand(name, say)).map((file) => path.normalize(file)))];
}

function expand(name: string, say: (line: string) => void): string[] {
  const isPattern = /[*?]/.test(path.basename(name));
  let files: string[];
  try {
    if (!isPattern && !statSync(name).isDirectory()) return [name];
    files = isPattern ? matching(name) : inFolder(name, say);
  } catch (cause) {
    throw new ServiceError('file.unreadable', `${name}: ${(cause as Error).message}`, { cause });
  }
  if (files.length > 0) return files.sort();
  const why = isPattern ? 'no tick file matches' : `no tick file in this folder (${TICK_FILE_ENDS})`;
  throw new ServiceError('file.unreadable', `${name}: ${why}.`);
}

function matching(name: string): string[] {
  const folder = path.dirname(name);
  const parts = path.basename(name).split(/([*?])/);
  const pattern = new RegExp(`^${parts.map(patternPart).join('')}$`);
  return entriesOf(folder)
    .filter((entry) => !entry.isDirectory() && pattern.test(entry.name))
    .map((entry) => path.join(folder, entry.name));
}

function inFolder(folder: string, say: (line: string) => void): string[] {
  const entries = entriesOf(folder).filter(({ name }) => !name.startsWith('.'));
  const named = entries.filter((entry) => !entry.isDirectory() && isTickFileName(entry.name)).map(({ name }) => name);
  const stems = new Set(named.filter((name) => !isText(name)).map(tickFileStem));
  // The status report that HistData packs beside its ticks has their name.
  const taken = named.filter((name) => !isText(name) || !stems.has(tickFileStem(name)));
  const left = entries.filter(({ name }) => !taken.includes(name)).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  if (taken.length > 0 && left.length > 0) {
    const shown = left.sort().slice(0, MAX_NAMED).join(', ') + (left.length > MAX_NAMED ? ', …' : '');
    say(`${folder}: ${taken.length} taken, ${left.length} left out as no tick files: ${shown}`);
  }
  return taken.map((name) => path.join(folder, name));
}

const entriesOf = (folder: string): Dirent[] => readdirSync(folder, { withFileTypes: true });
const isText = (name: string): boolean => /\.txt$/i.test(name);

function patternPart(part: string): string {
  if (part === '*') return '[^/]*';
  return part === '?' ? '[^/]' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
}
