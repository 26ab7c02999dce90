import type { ProcessEnvironment } from '../runtime/BackendCandidate.ts';
import type { NativeParts } from '../runtime/nativeParts.ts';
import { temporaryFolder } from './places.ts';

/** npm settings that node-gyp may take: the way to the headers. The others turn its options over, also those of its command line. */
const NODE_GYP_MAY_READ = /^npm_config_(proxy|https_proxy|noproxy|cafile|disturl|dist_url)$/i;
/** npm settings of the `npm run` around us, or of the user, that send an installation elsewhere or leave it out. */
const NPM_MUST_NOT_READ =
  /^npm_config_(prefix|local_prefix|global|location|workspaces?|include_workspace_root|omit|include|only|also|production|dry_run|package_lock_only|install_strategy|global_style|legacy_bundling|os|cpu|libc)$/i;

/** Programs keep their temporary files and Python's compiled ones in the project's folder. */
export function childEnvironment(environment: ProcessEnvironment, parts: NativeParts): ProcessEnvironment {
  const TMPDIR = temporaryFolder(parts);
  return { ...environment, TMPDIR, TMP: TMPDIR, TEMP: TMPDIR, PYTHONDONTWRITEBYTECODE: '1' };
}

/** pip only downloads here: a rule against installing outside of virtual environments does not apply. */
export const pipEnvironment = (environment: ProcessEnvironment, parts: NativeParts): ProcessEnvironment => ({
  ...childEnvironment(environment, parts),
  PIP_REQUIRE_VIRTUALENV: '0',
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
