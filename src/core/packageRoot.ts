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

/** The commit that the build was made of; `unknown` for one without a history, and from source. */
export function buildCommit(): string {
  const file = path.join(import.meta.dirname, '../../build.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { commit: string }).commit : 'unknown';
}

/** Version and commit in one word: `0.1.0+3f9a2c51d0be`. */
export function programVersion(): string {
  const commit = buildCommit();
  return commit === 'unknown' ? packageVersion() : `${packageVersion()}+${commit}`;
}
