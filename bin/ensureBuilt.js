import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const STAMP = 'build.json';
/** Folders and files whose content decides whether `dist` is up to date. */
const SOURCES = ['src', 'training', 'clients/typescript/src', 'tsconfig.json', 'package.json'];
const COMPILER = fileURLToPath(new URL('./compile.js', import.meta.url));
const BUNDLER = fileURLToPath(new URL('./bundleConsole.js', import.meta.url));
/** Drafts and swapped-out builds: `dist.draft-<pid>`, `dist.old-<pid>`. */
const LEFTOVER = /^dist\.(?:draft|old)-(\d+)$/;

/** A build that cannot be made. The message says what to do. */
export class BuildError extends Error {}

/**
 * Builds `dist` of a source checkout when it is missing or was made from other content (clocks and file times play no part).
 * In an installed package, which has no sources, nothing is ever built.
 *
 * A build is made in a folder of its own and renamed to `dist` when it is whole: an interrupted one is never taken for complete,
 * and of two starts at once the second finds the first one's build or replaces nothing.
 *
 * @param {string} root folder of package.json
 * @param {(line: string) => void} say receives one line for a build that was made
 * @returns {boolean} whether a build was made
 * @throws {BuildError}
 */
export function ensureBuilt(root, say) {
  const dist = path.join(root, 'dist');
  if (!existsSync(path.join(root, 'src', 'main.ts')) || !existsSync(path.join(root, 'tsconfig.json'))) {
    if (existsSync(path.join(dist, 'src', 'main.js'))) return false;
    throw new BuildError(`${dist} is missing and there are no sources to build it from. Install tickmark again.`);
  }
  const wanted = sourceHash(root);
  if (stampOf(dist) === wanted) return false;
  removeLeftovers(root);
  const startMs = performance.now();
  const draft = path.join(root, `dist.draft-${process.pid}`);
  try {
    compile(root, draft, wanted);
    swapIn(draft, dist, wanted);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  say(`tickmark: built dist in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  return true;
}

/** SHA-256 over names and content of everything that the build is made of. */
function sourceHash(root) {
  const hash = createHash('sha256').update(readFileSync(COMPILER)).update(readFileSync(BUNDLER));
  for (const name of SOURCES.flatMap((source) => filesUnder(root, source)))
    hash.update(`\0${name}\0`).update(readFileSync(path.join(root, name)));
  return hash.digest('hex');
}

function filesUnder(root, name) {
  const full = path.join(root, name);
  if (!existsSync(full)) return [];
  const entries = path.extname(name) === '.json' ? null : readdirSync(full, { withFileTypes: true });
  if (entries === null) return [name];
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const child = path.join(name, entry.name);
      if (entry.isDirectory()) return filesUnder(root, child);
      return entry.isFile() ? [child] : [];
    });
}

/** The source hash that a build was made from; undefined where there is no whole build. */
function stampOf(dist) {
  try {
    return JSON.parse(readFileSync(path.join(dist, STAMP), 'utf8')).sources;
  } catch {
    return undefined;
  }
}

/** In a process of its own: the compiler's memory is given back before the service starts. */
function compile(root, draft, wanted) {
  rmSync(draft, { recursive: true, force: true });
  const done = spawnSync(process.execPath, [COMPILER, root, draft, path.join(draft, STAMP), wanted], { encoding: 'utf8' });
  if (done.status === 0) return;
  if (done.status === 3)
    throw new BuildError(
      'dist must be built first, and what it is built with (TypeScript, esbuild) is not installed. Run: npm ci   (without --omit=dev), then start again.',
    );
  throw new BuildError(`dist could not be built:\n${done.error?.message ?? done.stderr.trim()}`);
}

/** Renames the draft to `dist`, unless another start has just put the same build there. */
function swapIn(draft, dist, wanted) {
  const old = `${dist}.old-${process.pid}`;
  for (let attempt = 0; attempt < 100; attempt++) {
    if (stampOf(dist) === wanted) return;
    moveIfThere(dist, old);
    // Between the look and the move another start may have finished: its build goes back.
    const back = stampOf(old) === wanted;
    try {
      renameSync(back ? old : draft, dist);
      return;
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
  throw new BuildError(`${dist} is replaced by other processes all the time. Stop them, then start again.`);
}

function moveIfThere(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

/** Removes the folders of killed builds; a build that is still running keeps its folder. */
function removeLeftovers(root) {
  for (const name of readdirSync(root)) {
    const pid = Number(LEFTOVER.exec(name)?.[1]);
    if (pid > 0 && (pid === process.pid || !isAlive(pid))) rmSync(path.join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
