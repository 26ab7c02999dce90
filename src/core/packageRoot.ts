import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

/** The nearest parent folder with a package.json: the same from `src` and from `dist`. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, 'package.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error('package.json not found above ' + import.meta.dirname);
    folder = parent;
  }
  return folder;
}

/** The version of this package. */
export function packageVersion(): string {
  const text = readFileSync(path.join(packageRoot(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
