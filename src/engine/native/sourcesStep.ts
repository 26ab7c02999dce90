import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { MB, freshTemporary, npmEnvironment } from './nativePaths.ts';
import { TFJS_NODE_VERSION } from './pins.ts';
import { lastLines } from './runProgram.ts';
import { type SetupContext, type SetupTarget, type SetupStep, stepFailed, withProgress } from './SetupStep.ts';

const PACKAGE = '@tensorflow/tfjs-node-gpu';
const SOURCES = `${PACKAGE} ${TFJS_NODE_VERSION}`;
/** Packages that must be the project's own, because two copies would not see each other's backends. */
const SHARED = ['tfjs-core', 'tfjs-layers', 'tfjs-backend-cpu'];
/** Folders that npm generates in the package; they are not copied. */
const GENERATED = ['deps', 'build', 'lib'];
/** Measured size of the package and its dependencies. */
const NPM_BYTES = { download: 40 * MB, disk: 250 * MB };

/** Provides the sources of tfjs-node-gpu from node_modules, or from the npm registry if npm skipped the optional package. */
export const sourcesStep: SetupStep = {
  name: SOURCES,
  isDone: ({ parts }) => isComplete(parts.tfjsNode, parts.tfjsNode),
  cost: (place) =>
    installedPackage(place) === undefined
      ? { needs: ['npm'], downloadBytes: NPM_BYTES.download, diskBytes: NPM_BYTES.disk, temporaryBytes: NPM_BYTES.download }
      : { needs: [], downloadBytes: 0, diskBytes: 3 * MB, temporaryBytes: 0 },
  run: async (context) => {
    const { root, parts } = context;
    const draft = freshTemporary(parts, 'sources');
    const modules = path.join(draft, 'node_modules');
    const installed = installedPackage(context);
    if (installed === undefined) await fetch(context, draft);
    else
      cpSync(installed, path.join(modules, PACKAGE), {
        recursive: true,
        filter: (source) => !GENERATED.includes(path.relative(installed, source)),
      });
    rmSync(path.join(parts.folder, 'node_modules'), { recursive: true, force: true });
    mkdirSync(parts.folder, { recursive: true });
    renameSync(modules, path.join(parts.folder, 'node_modules'));
    return installed === undefined ? 'from the npm registry' : `copied from ${path.relative(root, installed)}`;
  },
};

/** The package in tickmark's dependencies, if it and all its dependencies can be resolved from the folder of the copy. */
function installedPackage({ root, parts }: SetupTarget): string | undefined {
  try {
    const folder = path.dirname(createRequire(path.join(root, 'package.json')).resolve(`${PACKAGE}/package.json`));
    return isComplete(folder, parts.tfjsNode) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the folder has the right version and `base` resolves its dependencies, which `npm ci --omit=optional` removes. */
function isComplete(folder: string, base: string): boolean {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return false;
  const { version, dependencies = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
    version: string;
    dependencies?: Record<string, string>;
  };
  const from = createRequire(path.join(base, 'package.json'));
  const isThere = (name: string): boolean =>
    (from.resolve.paths(name) ?? []).some((modules) => existsSync(path.join(modules, name, 'package.json')));
  return version === TFJS_NODE_VERSION && [...Object.keys(dependencies), ...SHARED.map((name) => `@tensorflow/${name}`)].every(isThere);
}

async function fetch(context: SetupContext, draft: string): Promise<void> {
  const { parts, tools, environment, run, signal } = context;
  const args = ['install', '--prefix', draft, '--cache', freshTemporary(parts, 'npm-cache'), '--ignore-scripts', '--no-save'];
  const quiet = ['--no-package-lock', '--no-audit', '--no-fund', '--no-update-notifier'];
  const { code, output } = await withProgress(
    context,
    (seconds) => `npm fetches ${SOURCES} and its dependencies: ${Math.floor(seconds)} s`,
    run(process.execPath, [tools.npm, ...args, ...quiet, `${PACKAGE}@${TFJS_NODE_VERSION}`], {
      environment: npmEnvironment(environment, parts),
      cwd: draft,
      signal,
    }),
  );
  if (code !== 0 || !existsSync(path.join(draft, 'node_modules', PACKAGE)))
    throw stepFailed(context, `npm could not install ${SOURCES}. Make the npm registry reachable. Output of npm:\n${lastLines(output)}`);
  for (const name of SHARED) rmSync(path.join(draft, 'node_modules', '@tensorflow', name), { recursive: true, force: true });
}
