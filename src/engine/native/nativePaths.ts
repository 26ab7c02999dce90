import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import type { ProcessEnvironment } from '../runtime/Runtime.ts';
import type { NativeParts } from '../runtime/nativeParts.ts';

/** Partial results and temporary files of programs (TMPDIR), so that nothing is left elsewhere. Can be deleted after a setup. */
export const temporaryFolder = ({ folder }: NativeParts): string => path.join(folder, 'tmp');

/** Node.js headers that node-gyp downloads. */
export const headersFolder = ({ folder }: NativeParts): string => path.join(folder, 'node-headers');

/** Makes an empty folder for partial results of one step. */
export function freshTemporary(parts: NativeParts, name: string): string {
  const folder = path.join(temporaryFolder(parts), name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Total size of the files in a folder tree. Tolerates changes by a running program, and does not follow links. */
export function bytesBelow(folder: string): number {
  let bytes = 0;
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const full = path.join(folder, entry.name);
      bytes += entry.isDirectory() ? bytesBelow(full) : lstatSync(full).size;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return bytes;
}

export const MB = 1_000_000;

/** Decimal units, as on download pages and disks: `274 MB`, `3.4 GB`. */
export const formatMegabytes = (bytes: number): string =>
  bytes >= 1000 * MB ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / MB)} MB`;

/** npm settings that node-gyp may read, for the download of headers. Other settings would override its options, also on the command line. */
const NODE_GYP_MAY_READ = /^npm_config_(proxy|https_proxy|noproxy|cafile|disturl|dist_url)$/i;
/** Settings of an enclosing `npm run`, or of the user, that would redirect or skip an installation. */
const NPM_MUST_NOT_READ =
  /^npm_config_(prefix|local_prefix|global|location|workspaces?|include_workspace_root|omit|include|only|also|production|dry_run|package_lock_only|install_strategy|global_style|legacy_bundling|os|cpu|libc)$/i;

/** Environment in which programs write temporary files and compiled Python files to the project's folder. */
function childEnvironment(environment: ProcessEnvironment, parts: NativeParts): ProcessEnvironment {
  const TMPDIR = temporaryFolder(parts);
  return { ...environment, TMPDIR, TMP: TMPDIR, TEMP: TMPDIR, PYTHONDONTWRITEBYTECODE: '1' };
}

/** Resumes interrupted downloads, which pip can from 25.1 on. No virtual environment is needed, because pip installs into a folder of its own. */
export const pipEnvironment = (environment: ProcessEnvironment, parts: NativeParts): ProcessEnvironment => ({
  ...childEnvironment(environment, parts),
  PIP_REQUIRE_VIRTUALENV: '0',
  // Where the settings of this machine say so, pip would refuse a folder.
  PIP_USER: '0',
  PIP_RESUME_RETRIES: '20',
});

export const nodeGypEnvironment = (environment: ProcessEnvironment, parts: NativeParts): ProcessEnvironment =>
  childEnvironment(
    without(environment, (name) => /^npm_(config|package_config_node_gyp)_/i.test(name) && !NODE_GYP_MAY_READ.test(name)),
    parts,
  );

export const npmEnvironment = (environment: ProcessEnvironment, parts: NativeParts): ProcessEnvironment =>
  childEnvironment(
    without(environment, (name) => NPM_MUST_NOT_READ.test(name)),
    parts,
  );

const without = (environment: ProcessEnvironment, isLeftOut: (name: string) => boolean): ProcessEnvironment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !isLeftOut(name)));
