import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as service from '../../src/service/accounts/AccountService.ts';
import type * as authenticator from '../../src/service/accounts/KeyAuthenticator.ts';
import type * as opener from '../../src/service/app/openStore.ts';
import type * as loader from '../../src/engine/model/loadModelFolder.ts';
import { packageRoot } from '../../src/core/packageRoot.ts';

/** A state of the code that made stores of an earlier schema: a commit of this repository, because nothing is released yet. */
export type Release = { readonly name: string; readonly commit: string; readonly sqlite: number; readonly mongodb: number };

/** The parts of a release that make and use its store. Their interfaces have not changed since the first one of releases.json. */
export type ReleaseCode = {
  readonly openStore: typeof opener.openStore;
  readonly AccountService: typeof service.AccountService;
  readonly KeyAuthenticator: typeof authenticator.KeyAuthenticator;
};

/** Newest first. */
export const RELEASES: readonly Release[] = (
  JSON.parse(readFileSync(path.join(import.meta.dirname, 'releases.json'), 'utf8')) as { releases: Release[] }
).releases;

/** Whether the history has the commit: a shallow clone has not. */
export function hasCommit({ commit }: Pick<Release, 'commit'>): boolean {
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: packageRoot(), stdio: 'ignore' }).status === 0;
}

/** The last code that reads versions of the present format, and is from before an addition to them. */
export const BEFORE_SEEN_TICKS = { name: 'before the sample of training ticks', commit: '4357d601ebb0609bccbab1b758e59101d7d8620a' };

/** How a release reads a version. */
export async function versionLoader({ commit }: Pick<Release, 'commit'>): Promise<typeof loader.loadModelFolder> {
  return ((await import(moduleOf(releaseFolder(commit), 'engine', 'model/loadModelFolder.ts'))) as typeof loader).loadModelFolder;
}

/** The code of the working tree. */
export const presentCode = (): Promise<ReleaseCode> => load(packageRoot());

/** Takes the sources of a release from git, once, into a folder from which they find the packages of this one. */
export const releaseCode = ({ commit }: Release): Promise<ReleaseCode> => load(releaseFolder(commit));

function releaseFolder(commit: string): string {
  const releases = path.join(packageRoot(), 'node_modules', '.cache', 'tickmark', 'releases');
  const folder = path.join(releases, commit);
  if (!existsSync(folder)) {
    mkdirSync(releases, { recursive: true });
    // Renamed when it is whole: another process may do the same.
    const partial = mkdtempSync(path.join(releases, 'partial-'));
    const archive = execFileSync('git', ['archive', commit, 'src', 'package.json'], { cwd: packageRoot(), maxBuffer: 2 ** 27 });
    execFileSync('tar', ['-x', '-C', partial], { input: archive });
    try {
      renameSync(partial, folder);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  return folder;
}

async function load(root: string): Promise<ReleaseCode> {
  const files = ['app/openStore.ts', 'accounts/AccountService.ts', 'accounts/KeyAuthenticator.ts'];
  const modules = await Promise.all(files.map((file) => import(moduleOf(root, 'service', file)) as Promise<object>));
  return Object.assign({}, ...modules) as ReleaseCode;
}

/** Releases from before the rooms have the folders of a room in `src` itself. */
function moduleOf(root: string, room: string, file: string): string {
  const found = [path.join(root, 'src', room, file), path.join(root, 'src', file)].find((one) => existsSync(one)) ?? file;
  return pathToFileURL(found).href;
}
