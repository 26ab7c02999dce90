import { readdirSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../core/ServiceError.ts';

const TICK_FILE = /\.csv(\.gz)?$/i;

/**
 * Files as they are, folders to the .csv and .csv.gz files in them, and patterns with * or ? in the last part (a shell that was told not
 * to expand them) to what they match; sorted, each file once. Throws ServiceError `file.unreadable` for what leads to nothing.
 */
export function expandTickFiles(given: readonly string[]): string[] {
  return [...new Set(given.flatMap(expand).map((file) => path.normalize(file)))];
}

function expand(name: string): string[] {
  const last = path.basename(name);
  const isPattern = /[*?]/.test(last);
  const folder = isPattern ? path.dirname(name) : name;
  const pattern = isPattern
    ? new RegExp(
        `^${last
          .split(/([*?])/)
          .map(patternPart)
          .join('')}$`,
      )
    : TICK_FILE;
  try {
    if (!isPattern && !statSync(name).isDirectory()) return [name];
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isDirectory() && pattern.test(entry.name));
    if (files.length > 0) return files.map((entry) => path.join(folder, entry.name)).sort();
  } catch (cause) {
    throw new ServiceError('file.unreadable', `${name}: ${(cause as Error).message}`, { cause });
  }
  throw new ServiceError('file.unreadable', `${name}: no tick file${isPattern ? ' matches' : ' (.csv, .csv.gz) in this folder'}.`);
}

function patternPart(part: string): string {
  if (part === '*') return '[^/]*';
  return part === '?' ? '[^/]' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
}
