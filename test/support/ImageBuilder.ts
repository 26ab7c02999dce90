import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import * as path from 'node:path';
import type { DockerStage, DockerStep } from './parseDockerfile.ts';
import { builtFolder } from './tickmarkProcess.ts';

export type BuiltStage = {
  /** Folder that represents the root of the file system of the stage. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  /** All steps, including those of the stages that it starts from. */
  readonly steps: readonly DockerStep[];
};

export type BuilderDeps = {
  readonly stages: readonly DockerStage[];
  /** Copy of the build context. */
  readonly context: string;
  /** Empty folder for the stages. */
  readonly workspace: string;
  /** Checkout whose node_modules and .native are used. */
  readonly checkout: string;
};

/** Programs that change the machine instead of the package folder: skipped and listed. */
const OF_THE_MACHINE = new Set(['apt-get', 'groupadd', 'install', 'rm', 'useradd']);

/**
 * Executes a Dockerfile in plain folders as far as possible without Docker: COPY, and RUN commands with programs of this tree. `npm ci` is
 * replaced by a link to the node_modules of the checkout (by hard links once npm changes them), the native set-up by a check (`--check`) of
 * the parts in the checkout.
 */
export class ImageBuilder {
  /** Skipped commands. */
  readonly leftOut: string[] = [];
  /** Report of the native set-up, if a stage ran it. */
  nativeReport: { readonly steps: readonly { readonly state: string }[]; readonly probe?: { readonly works: boolean } } | undefined;
  readonly #deps: BuilderDeps;
  readonly #built = new Map<string, BuiltStage>();

  constructor(deps: BuilderDeps) {
    this.#deps = deps;
  }

  /** Builds one stage and the stages that it needs. */
  build(name: string): BuiltStage {
    const done = this.#built.get(name);
    if (done !== undefined) return done;
    const stage = this.#deps.stages.find((candidate) => candidate.name === name);
    if (stage === undefined) throw new Error(`no stage ${name}`);
    const isStage = this.#deps.stages.some((candidate) => candidate.name === stage.from);
    const parent = isStage ? this.build(stage.from) : undefined;
    const root = path.join(this.#deps.workspace, name);
    mkdirSync(root);
    if (parent !== undefined) link(parent.root, root);
    let built: BuiltStage = { workdir: '/', env: {}, ...parent, root, steps: [...(parent?.steps ?? []), ...stage.steps] };
    for (const step of stage.steps) {
      if (step.keyword === 'WORKDIR') built = { ...built, workdir: step.value };
      if (step.keyword === 'ENV') built = { ...built, env: { ...built.env, ...step.values } };
      mkdirSync(path.join(root, built.workdir), { recursive: true });
      if (step.keyword === 'COPY') this.#copy(step, path.join(root, built.workdir));
      if (step.keyword === 'RUN') this.#run(step.words, path.join(root, built.workdir));
    }
    this.#built.set(name, built);
    return built;
  }

  /**
   * Copies like Docker: the content of a folder goes into the target; a file goes into the target if it ends with a slash or is the folder
   * itself.
   */
  #copy({ from, sources, target }: Extract<DockerStep, { keyword: 'COPY' }>, workdir: string): void {
    const base = from === undefined ? this.#deps.context : this.build(from).root;
    for (const source of sources) {
      const full = path.join(base, source);
      const isInto = statSync(full).isFile() && (target.endsWith('/') || target === '.');
      const to = path.join(workdir, target, isInto ? path.basename(source) : '');
      mkdirSync(path.dirname(to), { recursive: true });
      if (from === undefined) cpSync(full, to, { recursive: true });
      else link(full, to);
    }
  }

  #run(words: readonly string[], workdir: string): void {
    const [program = '', ...args] = words;
    const { checkout } = this.#deps;
    const modules = path.join(workdir, 'node_modules');
    if (program === 'npm' && args[0] === 'ci') return symlinkSync(path.join(checkout, 'node_modules'), modules);
    if (program === 'npm' && args[0] !== 'run' && lstatSync(modules).isSymbolicLink()) ownModules(modules);
    // The build of the checkout is that of these sources if the hash in its name is theirs; else this makes another one.
    if (program === 'npm' && args[1] === 'build') link(builtFolder(), path.join(workdir, path.basename(builtFolder())));
    if (OF_THE_MACHINE.has(program)) return void this.leftOut.push(words.join(' '));
    if (args.includes('scripts/setupNative.js')) return this.#checkNative([...args, '--check'], workdir);
    // Modes are shared with the checkout through the hard links.
    if (program === 'chmod' && args.includes('node_modules')) throw new Error('chmod of node_modules would reach the checkout');
    // Nothing is downloaded: the lockfile has installed everything that a step needs.
    const done = spawnSync(program, args, { cwd: workdir, encoding: 'utf8', env: { ...process.env, npm_config_offline: 'true' } });
    if (done.status !== 0)
      throw new Error(`${words.join(' ')} ended with ${done.status}:\n${done.error?.message ?? ''}${done.stdout}${done.stderr}`);
  }

  #checkNative(args: readonly string[], workdir: string): void {
    const parts = path.join(this.#deps.checkout, '.native');
    if (existsSync(parts)) link(parts, path.join(workdir, '.native'));
    else mkdirSync(path.join(workdir, '.native'));
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: workdir, encoding: 'utf8' });
    try {
      this.nativeReport = JSON.parse(stdout) as NonNullable<ImageBuilder['nativeReport']>;
    } catch {
      throw new Error(`the native set-up printed no report:\n${stdout}${stderr}`);
    }
  }
}

/** Makes a node_modules from which npm can remove packages. */
function ownModules(modules: string): void {
  const lent = realpathSync(modules);
  rmSync(modules);
  link(lent, modules);
  // The only file that npm writes in place.
  const lock = '.package-lock.json';
  rmSync(path.join(modules, lock));
  cpSync(path.join(lent, lock), path.join(modules, lock));
}

/** Copies a folder or file with its modes, by hard links if both are on one file system. */
function link(from: string, to: string): void {
  const real = realpathSync(from);
  const source = statSync(real).isDirectory() ? [`${real}/.`, to] : [real, to];
  if (statSync(real).isDirectory()) mkdirSync(to, { recursive: true });
  if (spawnSync('cp', ['--archive', '--link', ...source]).status === 0) return;
  const copied = spawnSync('cp', ['--archive', '--force', ...source], { encoding: 'utf8' });
  if (copied.status !== 0) throw new Error(`cp ${source.join(' ')}: ${copied.stderr}`);
}
