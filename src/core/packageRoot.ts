import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

/**
 * The nearest parent folder with a package.json, which has `models` and `rules`: that of the installed package, or of the build of a source
 * checkout, which has copies of them.
 */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, 'package.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error('package.json not found above ' + import.meta.dirname);
    folder = parent;
  }
  return folder;
}

/** The folder that `npm run setup:native` installs into: the builds of a source checkout share it. */
export function installRoot(): string {
  const root = packageRoot();
  return path.basename(root).startsWith('dist.') ? path.dirname(root) : root;
}

/** The version of this package. */
export function packageVersion(): string {
  const text = readFileSync(path.join(packageRoot(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
