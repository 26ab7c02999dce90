import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { npmEnvironment } from './childEnvironment.ts';
import { MB } from './megabytes.ts';
import { TFJS_NODE_VERSION } from './pins.ts';
import { freshTemporary } from './places.ts';
import { lastLines } from './runProgram.ts';
import type { SetupContext, SetupPlace, SetupStep } from './SetupStep.ts';
import { stepFailed } from './stepFailed.ts';
import { whileShowing } from './whileShowing.ts';

const PACKAGE = '@tensorflow/tfjs-node-gpu';
const SOURCES = `${PACKAGE} ${TFJS_NODE_VERSION}`;
/** Packages that must be the project's own: two copies of them would not know each other's backends. */
const SHARED = ['tfjs-core', 'tfjs-layers', 'tfjs-backend-cpu'];
/** What npm makes of the package: not wanted in the copy. */
const MADE = ['deps', 'build', 'lib'];
/** Of the package and what it needs, measured. */
const NPM_BYTES = { download: 40 * MB, disk: 250 * MB };

/** tfjs-node-gpu's sources: from node_modules, or from the npm registry where npm left the optional package out. */
export const sourcesStep: SetupStep = {
  name: SOURCES,
  isDone: ({ parts }) => isWhole(parts.tfjsNode, parts.tfjsNode),
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
        filter: (source) => !MADE.includes(path.relative(installed, source)),
      });
    rmSync(path.join(parts.folder, 'node_modules'), { recursive: true, force: true });
    mkdirSync(parts.folder, { recursive: true });
    renameSync(modules, path.join(parts.folder, 'node_modules'));
    return installed === undefined ? 'from the npm registry' : `copied from ${path.relative(root, installed)}`;
  },
};

/** The package in tickmark's own dependencies, where it and all that it needs can be used from the place of the copy. */
function installedPackage({ root, parts }: SetupPlace): string | undefined {
  try {
    const folder = path.dirname(createRequire(path.join(root, 'package.json')).resolve(`${PACKAGE}/package.json`));
    return isWhole(folder, parts.tfjsNode) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the folder holds the right version, and what it needs is found from `place`: `npm ci --omit=optional` takes that away. */
function isWhole(folder: string, place: string): boolean {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return false;
  const { version, dependencies = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
    version: string;
    dependencies?: Record<string, string>;
  };
  const from = createRequire(path.join(place, 'package.json'));
  const isThere = (name: string): boolean =>
    (from.resolve.paths(name) ?? []).some((modules) => existsSync(path.join(modules, name, 'package.json')));
  return version === TFJS_NODE_VERSION && [...Object.keys(dependencies), ...SHARED.map((name) => `@tensorflow/${name}`)].every(isThere);
}

async function fetch(context: SetupContext, draft: string): Promise<void> {
  const { parts, tools, environment, run, signal } = context;
  const args = ['install', '--prefix', draft, '--cache', freshTemporary(parts, 'npm-cache'), '--ignore-scripts', '--no-save'];
  const quiet = ['--no-package-lock', '--no-audit', '--no-fund', '--no-update-notifier'];
  const { code, output } = await whileShowing(
    context,
    (seconds) => `npm fetches ${SOURCES} and what it needs: ${Math.floor(seconds)} s`,
    run(process.execPath, [tools.npm, ...args, ...quiet, `${PACKAGE}@${TFJS_NODE_VERSION}`], {
      environment: npmEnvironment(environment, parts),
      cwd: draft,
      signal,
    }),
  );
  if (code !== 0 || !existsSync(path.join(draft, 'node_modules', PACKAGE)))
    throw stepFailed(context, `npm could not install ${SOURCES}. Mend the way to the npm registry. It said:\n${lastLines(output)}`);
  for (const name of SHARED) rmSync(path.join(draft, 'node_modules', '@tensorflow', name), { recursive: true, force: true });
}
