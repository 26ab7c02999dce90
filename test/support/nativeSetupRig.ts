import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Machine } from '../../src/engine/native/Machine.ts';
import type { Wheel } from '../../src/engine/native/pins.ts';
import type { Ran, RunOptions } from '../../src/engine/native/runProgram.ts';
import { setupNative, type SetupOptions, type SetupReport } from '../../src/engine/native/setupNative.ts';
import { nativeParts, type NativeParts } from '../../src/engine/runtime/nativeParts.ts';
import type { ProbeReport } from '../../src/engine/runtime/probeInChild.ts';

const MADE_UP = { code: 0, output: '' };
const FAILED = (output: string): Ran => ({ code: 1, output });

/** A fake wheel: lines of `path content`. */
export function madeUpWheel(project: string, files: Record<string, string>): { wheel: Wheel; text: string } {
  const text = Object.entries(files)
    .map(([name, content]) => `${name} ${content}\n`)
    .join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  const file = `${project}-1.0-py3-none-any.whl`;
  const unpackedBytes = Object.values(files).join('').length;
  return { text, wheel: { project, version: '1.0', file, sha256, bytes: text.length, needed: ['tensorflow/', 'nvidia/'], unpackedBytes } };
}

const TENSORFLOW = madeUpWheel('tensorflow-cpu', {
  'tensorflow/libtensorflow_cc.so.2': 'library',
  'tensorflow/libtensorflow_framework.so.2': 'framework',
  'tensorflow/include/tensorflow/c/c_api.h': 'header',
});
const CUBLAS = madeUpWheel('nvidia-cublas-cu12', { 'nvidia/cublas/lib/libcublas.so.12': 'cublas' });
export const MADE_UP_WHEELS = [TENSORFLOW, CUBLAS] as const;

/**
 * A package folder with a space in its name, a package index, and fake programs; `tools` has the available ones. Fake wheels are lines of
 * `path content`.
 */
export class NativeSetupRig {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'tickmark setup-'));
  readonly root = path.join(this.folder, 'tickmark');
  readonly parts: NativeParts = nativeParts(this.root, 'cpu');
  readonly wheels: readonly [Wheel, Wheel] = [TENSORFLOW.wheel, CUBLAS.wheel];
  readonly progress: string[] = [];
  readonly probed: { candidate: string; hadRecord: boolean; hadAddon: boolean }[] = [];
  readonly environment: Record<string, string | undefined> = { PATH: '/nowhere' };
  /** The last environments of pip, npm and node-gyp. */
  readonly environments: Record<string, RunOptions['environment']> = {};
  readonly has = { python3: true, pip: true, 'g++': true, make: true, cxxHeaders: true };
  /** Failing programs with their output; one that the test stops. */
  readonly fails: { npm?: string; nodeGyp?: string } = {};
  onDownload: (project: string, signal: AbortSignal | undefined) => void = () => {};
  machine: Machine;
  probe: ProbeReport = { works: true, description: 'made-up TensorFlow', forwardMs: 1 };
  #log: string[] = [];

  constructor() {
    this.machine = {
      platform: 'linux',
      arch: 'x64',
      glibc: '2.36',
      flags: ['sse2', 'avx'],
      execPath: path.join(this.folder, 'tools', 'bin', 'node'),
      freeBytes: () => 1e12,
    };
    this.write('tools/lib/node_modules/npm/bin/npm-cli.js', '');
    this.write('tools/lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js', '');
    this.write('tools/lib/node_modules/npm/node_modules/node-gyp/package.json', '{}');
    this.write('tools/include/node/node_api.h', '');
    for (const { wheel, text } of MADE_UP_WHEELS) this.write(`index/${wheel.project}/${wheel.file}`, text);
    const modules = 'tickmark/node_modules';
    for (const name of ['tfjs-core', 'tfjs-layers', 'tfjs-backend-cpu', 'tfjs']) this.#package(modules, name);
    this.#package(modules, 'tfjs-node-gpu', { '@tensorflow/tfjs': '4.22.0' });
    this.write('tickmark/package.json', '{}');
    this.write('tickmark/node_modules/@tensorflow/tfjs-node-gpu/dist/lib/index.js', '');
  }

  setup(options: Partial<SetupOptions> = {}): Promise<SetupReport> {
    const { root, environment, machine, wheels } = this;
    return setupNative({
      ...{ root, environment, machine, wheels, variant: 'cpu', check: false },
      progress: (text) => void this.progress.push(text),
      run: async (program, args, runOptions) => this.#run(path.basename(program), args, runOptions),
      probe: async (candidate) => {
        this.probed.push({ candidate, hadRecord: existsSync(this.parts.record), hadAddon: existsSync(this.parts.addon) });
        return this.probe;
      },
      ...options,
    });
  }

  /** Downloads, builds and installations since the last call. */
  takeLog(): string[] {
    return this.#log.splice(0);
  }

  /** All paths with size, change time and inode. */
  listing(): string[] {
    const names = readdirSync(this.folder, { recursive: true, encoding: 'utf8' });
    return names.sort().map((name) => {
      const { size, mtimeMs, ino } = lstatSync(path.join(this.folder, name));
      return `${name} ${size} ${mtimeMs} ${ino}`;
    });
  }

  write(name: string, text: string): string {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  remove(name: string): void {
    rmSync(path.join(this.folder, name), { recursive: true });
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #run(program: string, args: readonly string[], options: RunOptions): Ran {
    if (options.signal?.aborted === true) return { code: null, output: '' };
    const after = (option: string): string => args[args.indexOf(option) + 1] ?? '';
    if (program === path.basename(process.execPath))
      return args[0]?.endsWith('npm-cli.js') === true ? this.#npm(after('--prefix'), args, options) : this.#nodeGyp(args, options);
    if (program === 'g++') return this.#compiler(args);
    if (program === 'make') return this.has.make ? MADE_UP : FAILED('ENOENT');
    if (program !== 'python3' || !this.has.python3) return { code: null, output: 'ENOENT' };
    if (args[0] === '-c') return { code: 0, output: '3.12.1\n' };
    if (args[2] === '--version') return this.has.pip ? { code: 0, output: 'pip 23.2.1 from somewhere\n' } : FAILED('No module named pip');
    return this.#pip(after('--target'), readFileSync(after('--requirement'), 'utf8'), after('--find-links'), options);
  }

  /** As pip: compares the hash, unpacks, and brings files that nothing needs. */
  #pip(target: string, list: string, links: string, { environment, signal }: RunOptions): Ran {
    const [, project = '', sha256] = /^(\S+)==\S+ --hash=sha256:(\w+)/.exec(list) ?? [];
    this.environments['pip'] = environment;
    if (!links.endsWith('wheels')) {
      this.#log.push(`downloading ${project}`);
      this.onDownload(project, signal);
    }
    if (signal?.aborted === true) return { code: null, output: '' };
    const wheel = path.join(links.endsWith('wheels') ? links : path.join(this.folder, 'index', project), `${project}-1.0-py3-none-any.whl`);
    if (!existsSync(wheel)) return FAILED(`ERROR: No matching distribution found for ${project}`);
    const text = readFileSync(wheel, 'utf8');
    const got = createHash('sha256').update(text).digest('hex');
    if (got !== sha256) return FAILED(`ERROR: THESE PACKAGES DO NOT MATCH THE HASHES\nExpected sha256 ${sha256}\nGot ${got}`);
    for (const line of [...text.trim().split('\n'), `${project}.dist-info/RECORD lines`]) {
      const [name = '', content = ''] = line.split(' ');
      mkdirSync(path.dirname(path.join(target, name)), { recursive: true });
      writeFileSync(path.join(target, name), content);
    }
    return MADE_UP;
  }

  #compiler(args: readonly string[]): Ran {
    if (!this.has['g++']) return { code: null, output: 'ENOENT' };
    if (args.includes('-fsyntax-only')) return this.has.cxxHeaders ? MADE_UP : FAILED('string: No such file or directory');
    return { code: 0, output: 'g++ (made up) 12.2.0\n' };
  }

  #nodeGyp(args: readonly string[], { cwd = '', environment }: RunOptions): Ran {
    this.#log.push(`node-gyp ${args.slice(1).join(' ')}`);
    this.environments['nodeGyp'] = environment;
    if (this.fails.nodeGyp !== undefined) return FAILED(this.fails.nodeGyp);
    mkdirSync(path.join(cwd, 'build', 'Release'), { recursive: true });
    writeFileSync(path.join(cwd, 'build', 'Release', 'tfjs_binding.node'), 'addon');
    return MADE_UP;
  }

  #npm(prefix: string, args: readonly string[], { environment }: RunOptions): Ran {
    this.#log.push(`npm ${args.at(-1)}`);
    this.environments['npm'] = environment;
    if (this.fails.npm !== undefined) return FAILED(this.fails.npm);
    const modules = path.join(path.relative(this.folder, prefix), 'node_modules');
    for (const name of ['tfjs-core', 'tfjs-layers', 'tfjs-backend-cpu', 'tfjs']) this.#package(modules, name);
    this.#package(modules, 'tfjs-node-gpu', { '@tensorflow/tfjs': '4.22.0' });
    return MADE_UP;
  }

  #package(modules: string, name: string, dependencies: Record<string, string> = {}): void {
    this.write(`${modules}/@tensorflow/${name}/package.json`, JSON.stringify({ version: '4.22.0', dependencies }));
  }
}
