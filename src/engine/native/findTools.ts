import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import type { ProcessEnvironment } from '../runtime/Runtime.ts';
import type { Requirement } from './Machine.ts';
import type { Need, Tools } from './SetupStep.ts';
import { type Ran, type RunProgram, lastLines } from './runProgram.ts';

export type Found = { readonly requirements: readonly Requirement[]; readonly tools: Tools };

/** Searches this machine for the needed programs only. Changes nothing. */
export async function findTools(
  needs: ReadonlySet<Need>,
  environment: ProcessEnvironment,
  execPath: string,
  runProgram: RunProgram,
): Promise<Found> {
  const requirements: Requirement[] = [];
  const tools = { python: '', npm: '', nodeGyp: '', headers: undefined as string | undefined };
  // Prevents that Python writes compiled modules into other packages.
  const run = (program: string, ...args: string[]): Promise<Ran> =>
    runProgram(program, args, { environment: { ...environment, PYTHONDONTWRITEBYTECODE: '1' } });
  if (needs.has('python')) {
    const python = await findPython(run);
    requirements.push(python.requirement);
    tools.python = python.program;
  }
  if (needs.has('compiler')) requirements.push(await findCompiler(run, environment));
  if (needs.has('npm')) {
    const npm = await findNpm(run, environment, execPath);
    requirements.push(npm.requirement);
    tools.npm = npm.cli;
    tools.nodeGyp = npm.nodeGyp;
  }
  if (needs.has('headers')) {
    tools.headers = findHeaders(environment, execPath);
    const detail = tools.headers === undefined ? 'node-gyp will download them' : path.join(tools.headers, 'include', 'node');
    requirements.push({ name: 'Node.js headers', detail });
  }
  return { requirements, tools };
}

type Run = (program: string, ...args: string[]) => Promise<Ran>;
type Python = { readonly requirement: Requirement; readonly program: string };

/** Python 3.8 or newer, which node-gyp needs, with pip, which installs the wheels. */
async function findPython(run: Run): Promise<Python> {
  const name = 'Python';
  let withoutPip: Python | undefined;
  for (const program of ['python3', 'python']) {
    const { code, output } = await run(program, '-c', 'import sys; print("%d.%d.%d" % sys.version_info[:3])');
    const version = /^3\.(\d+)\.\d+/m.exec(output);
    if (code !== 0 || version === null || Number(version[1]) < 8) continue;
    const pip = await run(program, '-m', 'pip', '--version');
    const found = pip.code === 0 ? /^pip \d+\.\d+\S*/m.exec(pip.output) : null;
    if (found !== null) return { program, requirement: { name, detail: `${version[0]} with ${found[0]}` } };
    const remedy = 'Install pip: apt-get install python3-pip, or python3 -m ensurepip.';
    withoutPip ??= { program, requirement: { name, detail: `${version[0]} without pip`, remedy } };
  }
  const remedy = 'Install Python 3.8 or newer with pip: apt-get install python3 python3-pip.';
  return withoutPip ?? { program: '', requirement: { name, detail: 'none', remedy } };
}

/** make and a C++ compiler with headers. The check only parses an empty file. */
async function findCompiler(run: Run, environment: ProcessEnvironment): Promise<Requirement> {
  const name = 'compiler';
  const [program = 'g++', ...options] = (environment['CXX'] ?? '').split(' ').filter((word) => word !== '');
  const make = await run('make', '--version');
  const compiler = await run(program, ...options, '--version');
  const missing = [...(compiler.code === 0 ? [] : [program]), ...(make.code === 0 ? [] : ['make'])];
  if (missing.length > 0)
    return { name, detail: `no ${missing.join(', no ')}`, remedy: `Install ${missing.join(' and ')}: apt-get install g++ make.` };
  const reads = await run(program, ...options, '-fsyntax-only', '-include', 'string', '-include', 'stdlib.h', '-x', 'c++', '/dev/null');
  const detail = compiler.output.split('\n', 1)[0] ?? program;
  if (reads.code === 0) return { name, detail };
  return { name, detail: `${detail}, without the C++ headers`, remedy: 'Install them: apt-get install libc6-dev libstdc++-dev g++.' };
}

/** The prefix with the headers: npm's setting `nodedir`, or the prefix of the running Node.js. */
function findHeaders(environment: ProcessEnvironment, execPath: string): string | undefined {
  const prefixes = [environment['npm_config_nodedir'], path.resolve(path.dirname(execPath), '..')];
  return prefixes.find((prefix) => prefix !== undefined && existsSync(path.join(prefix, 'include', 'node', 'node_api.h')));
}

type Npm = { readonly requirement: Requirement; readonly cli: string; readonly nodeGyp: string };

/** Finds npm and its node-gyp: the npm that runs this program, the npm of this Node.js, or the first one on the PATH. */
async function findNpm(
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
