import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

type Pattern = { readonly matches: RegExp; readonly excludes: boolean };

/** Parses a .dockerignore like Docker: patterns from the root, `*` within a name, `**` across names, `!` for exceptions; the last match wins. */
export function parseDockerignore(text: string): (file: string) => boolean {
  const patterns = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line): Pattern => ({ matches: patternOf(line.replace(/^!/, '')), excludes: !line.startsWith('!') }));
  return (file) => {
    let isExcluded = false;
    for (const { matches, excludes } of patterns) if (matches.test(file)) isExcluded = excludes;
    return isExcluded;
  };
}

/** A pattern also matches everything below its path. */
function patternOf(line: string): RegExp {
  const parts = path.posix
    .normalize(line)
    .replace(/^\/|\/$/g, '')
    .split(/(\*\*\/?|\*|\?)/);
  const source = parts.map((part) => {
    if (part.startsWith('**')) return '(?:.*/)?' + (part.endsWith('/') ? '' : '[^/]*');
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${source.join('')}(?:/.*)?$`);
}

/** Folders that are not searched for exceptions. */
const LARGE = new Set(['.ci', '.git', '.native', 'data', 'dist', 'node_modules']);

/** Files of the build context, by path below `root`. */
export function contextFiles(root: string): string[] {
  const isExcluded = parseDockerignore(readFileSync(path.join(root, '.dockerignore'), 'utf8'));
  const below = (folder: string): string[] =>
    readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const file = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) return LARGE.has(file) && isExcluded(file) ? [] : below(file);
      return isExcluded(file) ? [] : [file];
    });
  return below('');
}

/** Copies the context with the modes of a clone that was made under umask 077. */
export function copyContext(root: string, target: string): void {
  for (const file of contextFiles(root)) {
    const copy = path.join(target, file);
    mkdirSync(path.dirname(copy), { recursive: true, mode: 0o700 });
    cpSync(path.join(root, file), copy);
    chmodSync(copy, lstatSync(copy).mode & 0o700);
  }
}
