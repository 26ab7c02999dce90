import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import type { ProcessEnvironment } from '../runtime/BackendCandidate.ts';
import type { Requirement } from './Requirement.ts';
import { lastLines, type Ran } from './runProgram.ts';

export type Npm = { readonly requirement: Requirement; readonly cli: string; readonly nodeGyp: string };

/** npm with the node-gyp inside it: the one that runs us, the one beside this Node.js, or the first on the PATH. */
export async function findNpm(
  run: (program: string, ...args: string[]) => Promise<Ran>,
  environment: ProcessEnvironment,
  execPath: string,
): Promise<Npm> {
  for (const find of [
    () => environment['npm_execpath'],
    () => path.resolve(path.dirname(execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    () => onPath(environment),
    // Behind a launcher of a version manager. Without a log: npm would write it into the user's home.
    async () => path.join(lastLines((await run('npm', 'root', '--global', '--logs-max=0')).output, 1), 'npm', 'bin', 'npm-cli.js'),
  ]) {
    const cli = await find();
    const nodeGyp = cli === undefined ? undefined : nodeGypOf(cli);
    if (cli !== undefined && nodeGyp !== undefined) return { cli, nodeGyp, requirement: { name: 'node-gyp', detail: nodeGyp } };
  }
  const remedy = 'Install npm, which holds node-gyp: it comes with Node.js; with Debian’s packages: apt-get install npm.';
  return { requirement: { name: 'node-gyp', detail: 'none', remedy }, cli: '', nodeGyp: '' };
}

function onPath(environment: ProcessEnvironment): string | undefined {
  const folders = (environment['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const found = folders.map((folder) => path.join(folder, 'npm')).find((file) => existsSync(file));
  return found === undefined ? undefined : realpathSync(found);
}

/** Debian's npm has node-gyp beside it, the usual one inside. */
function nodeGypOf(cli: string): string | undefined {
  if (path.basename(cli) !== 'npm-cli.js' || !existsSync(cli)) return undefined;
  try {
    return createRequire(cli).resolve('node-gyp/bin/node-gyp.js');
  } catch {
    return undefined;
  }
}
