import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { type SetupContext, type SetupTarget, type SetupStep, stepFailed, withProgress } from './SetupStep.ts';
import { MB, freshTemporary, headersFolder, nodeGypEnvironment } from './nativePaths.ts';
import { TFJS_NODE_VERSION } from './pins.ts';
import { lastLines } from './runProgram.ts';
import { sourcesStep } from './sourcesStep.ts';

/** Size of the Node.js headers if node-gyp downloads them. */
export const HEADERS_BYTES = { download: 10 * MB, disk: 70 * MB };
const HEADERS_REMEDY =
  'Install Node.js from its archive, which contains the headers, or set npm_config_nodedir to the folder that contains include/node, then run the command again.';

/** Records the inputs of the addon; written together with it. */
const buildRecordFile = (addon: string): string => path.join(path.dirname(addon), 'built.json');
const buildRecordText = (wheels: SetupTarget['wheels'], bytes: number): string =>
  `${JSON.stringify({ tfjsNode: TFJS_NODE_VERSION, libraries: wheels.map(({ sha256 }) => sha256), bytes })}\n`;

/** Compiles the addon (Node-API 8: one binary for Node.js 20 and later). */
export const addonStep: SetupStep = {
  name: 'addon',
  isDone: (place) => {
    const { addon } = place.parts;
    if (!sourcesStep.isDone(place) || !existsSync(addon) || !existsSync(buildRecordFile(addon))) return false;
    return readFileSync(buildRecordFile(addon), 'utf8') === buildRecordText(place.wheels, statSync(addon).size);
  },
  cost: () => ({ needs: ['python', 'npm', 'compiler', 'headers'], downloadBytes: 0, diskBytes: MB, temporaryBytes: 20 * MB }),
  run: async (context) => {
    const { parts } = context;
    const built = await compile(context);
    const draft = freshTemporary(parts, 'addon');
    renameSync(built, path.join(draft, path.basename(parts.addon)));
    writeFileSync(
      buildRecordFile(path.join(draft, 'addon')),
      buildRecordText(context.wheels, statSync(path.join(draft, path.basename(parts.addon))).size),
    );
    const folder = path.dirname(parts.addon);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(path.dirname(folder), { recursive: true });
    renameSync(draft, folder);
    rmSync(path.join(parts.tfjsNode, 'build'), { recursive: true, force: true });
    return `compiled ${path.basename(parts.addon)}, ${Math.ceil(statSync(parts.addon).size / 1000)} kB`;
  },
};

/** Runs node-gyp in the source folder; returns the path of the binary. */
async function compile(context: SetupContext): Promise<string> {
  const { parts, tools, environment, run, signal, progress } = context;
  const headers = tools.headers === undefined ? `--devdir=${headersFolder(parts)}` : `--nodedir=${tools.headers}`;
  writeBuild(parts.tfjsNode);
  let doing = tools.headers === undefined ? 'node-gyp downloads the headers of Node.js' : 'node-gyp prepares the build';
  let isMaking = false;
  const onLine = (line: string): void => {
    isMaking ||= /^gyp info spawn make/.test(line);
    const [, kind, file] = /^\s*(CXX|SOLINK_MODULE)\(target\) (\S+)/.exec(line) ?? [];
    if (file === undefined) return;
    doing = `${kind === 'CXX' ? 'compiling' : 'linking'} ${path.basename(file)}`;
    progress(doing, true);
  };
  const { code, output } = await withProgress(
    context,
    (seconds) => `${doing}: ${Math.floor(seconds)} s so far`,
    run(process.execPath, [tools.nodeGyp, 'rebuild', headers, `--python=${tools.python}`], {
      environment: nodeGypEnvironment(environment, parts),
      cwd: parts.tfjsNode,
      onLine,
      signal,
    }),
  );
  const built = path.join(parts.tfjsNode, 'build', 'Release', path.basename(parts.addon));
  if (code === 0 && existsSync(built)) return built;
  if (tools.headers === undefined && !isMaking)
    throw stepFailed(context, `node-gyp could not get the headers of Node.js. ${HEADERS_REMEDY} Output:\n${errorLines(output)}`);
  throw stepFailed(context, `The addon could not be compiled:\n${errorLines(output)}`);
}

/** Errors of the compiler or of node-gyp, without the diagnostic lines that node-gyp adds. */
function errorLines(output: string): string {
  const errors = output.split('\n').filter((line) => /error|ERR! stack Error|No such file|not found|No space|Killed/i.test(line));
  return lastLines(errors.length > 0 ? errors.join('\n') : output, 8);
}

const LIBRARIES = ['tensorflow_cc', 'tensorflow_framework'];
const EMPTY = 'empty.c';

/**
 * Writes the build file for node-gyp, which replaces the package's own. Differences: the addon is linked against empty libraries with the
 * right names, because resolving its 55 symbols in the real 800 MB library takes minutes and the loader does it anyway; and all paths are
 * relative, because node-gyp does not quote absolute paths.
 */
function writeBuild(folder: string): void {
  const stubs = LIBRARIES.map((name) => ({
    target_name: name,
    type: 'shared_library',
    // The file name becomes the library name that the loader searches for.
    product_prefix: 'lib',
    product_extension: 'so.2',
    sources: [EMPTY],
  }));
  const addon = {
    target_name: 'tfjs_binding',
    sources: ['binding/tfjs_backend.cc', 'binding/tfjs_binding.cc'],
    include_dirs: ['..', 'deps/include'],
    defines: ['NAPI_VERSION=8'],
    dependencies: LIBRARIES,
    // Some linkers drop a library that resolves no symbol.
    ldflags: ['-Wl,--no-as-needed'],
    libraries: ['-Wl,-rpath,\\$$ORIGIN/../../deps/lib'],
  };
  writeFileSync(path.join(folder, EMPTY), '');
  writeFileSync(path.join(folder, 'binding.gyp'), JSON.stringify({ targets: [...stubs, addon] }, undefined, 2));
}
