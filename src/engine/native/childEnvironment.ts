import type { ProcessEnvironment } from '../runtime/Runtime.ts';
import type { NativeParts } from '../runtime/nativeParts.ts';
import { temporaryFolder } from './nativePaths.ts';

/** npm settings that node-gyp may read, for the download of headers. Other settings would override its options, also on the command line. */
const NODE_GYP_MAY_READ = /^npm_config_(proxy|https_proxy|noproxy|cafile|disturl|dist_url)$/i;
/** Settings of an enclosing `npm run`, or of the user, that would redirect or skip an installation. */
const NPM_MUST_NOT_READ =
  /^npm_config_(prefix|local_prefix|global|location|workspaces?|include_workspace_root|omit|include|only|also|production|dry_run|package_lock_only|install_strategy|global_style|legacy_bundling|os|cpu|libc)$/i;

/** Environment in which programs write temporary files and compiled Python files to the project's folder. */
export function childEnvironment(environment: ProcessEnvironment, parts: NativeParts): ProcessEnvironment {
  const TMPDIR = temporaryFolder(parts);
  return { ...environment, TMPDIR, TMP: TMPDIR, TEMP: TMPDIR, PYTHONDONTWRITEBYTECODE: '1' };
}

/** Disables the rule against installing outside of virtual environments, because pip only downloads here. */
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
