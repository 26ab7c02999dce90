import { type Dirent, readdirSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../../core/ServiceError.ts';
import { isTickFileName, TICK_FILE_ENDS, tickFileStem } from '../../ticks/import/refuseForeign.ts';

const MAX_NAMED = 5;

/**
 * Expands folders to the tick files in them (by name) and patterns with * or ? in the last path part (quoted in the shell) to the files that match;
 * files stay. The result is sorted and has no duplicates. `say` receives one line per folder about the files left out.
 * Throws ServiceError `file.unreadable` if nothing is found.
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
  // HistData packs a status report with the same name as the tick file.
  const taken = named.filter((name) => !isText(name) || !stems.has(tickFileStem(name)));
  const left = entries.filter(({ name }) => !taken.includes(name)).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  if (taken.length > 0 && left.length > 0) {
    const shown = left.sort().slice(0, MAX_NAMED).join(', ') + (left.length > MAX_NAMED ? ', …' : '');
    say(`${folder}: ${taken.length} used, ${left.length} left out as not tick files: ${shown}`);
  }
  return taken.map((name) => path.join(folder, name));
}

const entriesOf = (folder: string): Dirent[] => readdirSync(folder, { withFileTypes: true });
const isText = (name: string): boolean => /\.txt$/i.test(name);

function patternPart(part: string): string {
  if (part === '*') return '[^/]*';
  return part === '?' ? '[^/]' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
}
