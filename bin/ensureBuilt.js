import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders and files whose content decides whether a build is up to date. */
export const SOURCES = [
  'src',
  'training',
  'clients/typescript/src',
  'clients/engine/src',
  'rules',
  'models',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
];
/** What a build has its own copy of, for processes that read it later. A package has them once, next to `dist`. */
export const COPIES = ['package.json', 'models', 'rules', 'training/baselines'];
const COMPILER = fileURLToPath(new URL('./compile.js', import.meta.url));
const BUNDLER = fileURLToPath(new URL('./bundleConsole.js', import.meta.url));
const SHIPPER = fileURLToPath(new URL('./shippedVersion.js', import.meta.url));
/** Unfinished and half removed builds: `dist.draft-<pid>…`. */
const DRAFT = /^dist\.draft-(\d+)/;
const BUILD = /^dist\.[0-9a-f]{16}$/;
/** In a build: a file for each process that runs it, named by its id. */
export const USERS = 'used-by';
/** A process that may not write into the build is not known as its user: its build outlives this many newer ones. */
const KEPT_BUILDS = 3;

/** A build that cannot be made. The message says what to do. */
export class BuildError extends Error {}

/**
 * The folder of the program. In a source checkout that is `dist.<hash of the sources>`, which is built if it is missing (clocks and file times
 * play no part) and never changed, so that a running process keeps its build while others make newer ones. In an installed package, which
 * has no sources, it is `dist`, and nothing is ever built.
 *
 * A build is made in a folder of its own and renamed when it is whole: an interrupted one is never taken for complete, and of two
 * starts at once the second uses the first one's build.
 *
 * @param {string} root folder of package.json
 * @param {(line: string) => void} say receives one line for a build that was made
 * @returns {string}
 * @throws {BuildError}
 */
export function ensureBuilt(root, say) {
  const dist = path.join(root, 'dist');
  if (!existsSync(path.join(root, 'src', 'main.ts')) || !existsSync(path.join(root, 'tsconfig.build.json'))) {
    if (existsSync(path.join(dist, 'src', 'main.js'))) return dist;
    throw new BuildError(`${dist} is missing and there are no sources to build it from. Install tickmark again.`);
  }
  const build = path.join(root, `dist.${sourceHash(root).slice(0, 16)}`);
  if (use(build)) return build;
  const startMs = performance.now();
  const draft = path.join(root, `dist.draft-${process.pid}`);
  try {
    compile(root, draft);
    renameSync(draft, build);
    say(`tickmark: built dist in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  } catch (error) {
    // Another start has just put the same build there.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  use(build);
  removeUnused(root);
  return build;
}

/** Whether the build is there. If it is, no other process removes it before this one ends. */
function use(build) {
  const mark = path.join(build, USERS, String(process.pid));
  try {
    writeFileSync(mark, '');
    process.once('exit', () => rmSync(mark, { force: true }));
  } catch {
    // The build is missing, or belongs to another user.
  }
  return existsSync(build);
}

/** SHA-256 over names and content of everything that the build is made of. */
function sourceHash(root) {
  const hash = createHash('sha256').update(readFileSync(COMPILER)).update(readFileSync(BUNDLER)).update(readFileSync(SHIPPER));
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

/** In a process of its own: the compiler's memory is given back before the service starts. */
function compile(root, draft) {
  rmSync(draft, { recursive: true, force: true });
  const done = spawnSync(process.execPath, [COMPILER, root, draft], { encoding: 'utf8' });
  if (done.status === 0) return;
  if (done.status === 3)
    throw new BuildError(
      'dist must be built first, and what it is built with (TypeScript, esbuild) is not installed. Run: npm ci   (without --omit=dev), then start again.',
    );
  throw new BuildError(`dist could not be built:\n${done.error?.message ?? done.stderr.trim()}`);
}

/** Removes drafts of killed processes, and builds that no process runs, except the newest. */
function removeUnused(root) {
  const isUsed = (name) => readdirSync(path.join(root, name, USERS)).some((pid) => isAlive(Number(pid)));
  const madeMs = (name) => statSync(path.join(root, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const builds = readdirSync(root).filter((name) => BUILD.test(name));
  for (const name of builds.sort((a, b) => madeMs(b) - madeMs(a)).slice(KEPT_BUILDS)) {
    try {
      // Renamed first: a removal that is interrupted leaves no build that looks whole.
      if (!isUsed(name)) renameSync(path.join(root, name), path.join(root, `dist.draft-${process.pid}-${name.slice(5)}`));
    } catch {
      // Another command removes it at this moment, or it belongs to another user.
    }
  }
  for (const name of readdirSync(root)) {
    const pid = Number(DRAFT.exec(name)?.[1]);
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
