import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import type { ProcessEnvironment } from '../runtime/BackendCandidate.ts';
import type { Requirement } from './Requirement.ts';
import { lastLines, type Ran } from './runProgram.ts';

export type Npm = { readonly requirement: Requirement; readonly cli: string; readonly nodeGyp: string };

/** Finds npm and its node-gyp: the npm that runs this program, the npm of this Node.js, or the first one on the PATH. */
export async function findNpm(
  run: (program: string, ...args: string[]) => Promise<Ran>,
  environment: ProcessEnvironment,
  execPath: string,
): Promise<Npm> {
  for (const find of [
    () => environment['npm_execpath'],
    () => path.resolve(path.dirname(execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    () => onPath(environment),
    // Works with the launcher of a version manager. No log, because npm would write it into the user's home folder.
    async () => path.join(lastLines((await run('npm', 'root', '--global', '--logs-max=0')).output, 1), 'npm', 'bin', 'npm-cli.js'),
  ]) {
    const cli = await find();
    const nodeGyp = cli === undefined ? undefined : nodeGypOf(cli);
    if (cli !== undefined && nodeGyp !== undefined) return { cli, nodeGyp, requirement: { name: 'node-gyp', detail: nodeGyp } };
  }
  const remedy = 'Install npm, which contains node-gyp. Node.js includes npm; with Debian packages: apt-get install npm.';
  return { requirement: { name: 'node-gyp', detail: 'none', remedy }, cli: '', nodeGyp: '' };
}

function onPath(environment: ProcessEnvironment): string | undefined {
  const folders = (environment['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const found = folders.map((folder) => path.join(folder, 'npm')).find((file) => existsSync(file));
  return found === undefined ? undefined : realpathSync(found);
}

/** node-gyp is inside npm; on Debian, it is a separate package. */
function nodeGypOf(cli: string): string | undefined {
  if (path.basename(cli) !== 'npm-cli.js' || !existsSync(cli)) return undefined;
  try {
    return createRequire(cli).resolve('node-gyp/bin/node-gyp.js');
  } catch {
    return undefined;
  }
}
