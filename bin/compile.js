/**
 * `node compile.js ROOT OUT`: writes every source file that ROOT/tsconfig.build.json names to OUT as JavaScript with a source map, the console for
 * the browser, copies of the other files that the program reads, and build.json with the commit. Types are stripped, not checked: `npm test` checks them, and a start takes a second instead of ten.
 * Exit codes: 0 done, 1 the sources do not parse (messages on standard error), 3 TypeScript or esbuild is not installed.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { bundleConsole } from './bundleConsole.js';
import { commitOf } from './commitOf.js';
import { COPIES, SOURCES, USERS } from './ensureBuilt.js';

const [root, out] = process.argv.slice(2);

function endWith(error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(error.code) ? 3 : 1);
}

/** The command `tsc`, which is all that TypeScript 7 offers: a native program without an API for JavaScript. */
function findCompiler() {
  try {
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
    return path.join(path.dirname(manifest), 'bin', 'tsc');
  } catch (error) {
    return endWith(error);
  }
}

// Types are not checked: what is left is parsing and writing.
// OUT lies where `dist` will lie, so that the paths in source maps stay right when it is renamed.
const flags = ['--noCheck', '--declaration', 'false', '--noEmitOnError', 'true', '--pretty', 'false'];
const args = [findCompiler(), '-p', path.join(root, 'tsconfig.build.json'), '--rootDir', root, '--outDir', out, ...flags];
const { status, stdout, error } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
if (status !== 0) endWith(error ?? new Error(stdout.split('\n').slice(0, 20).join('\n').trim()));

const bundleFaults = await bundleConsole(root, path.join(out, 'console')).catch(endWith);
if (bundleFaults.length > 0) {
  process.stderr.write(bundleFaults.join('\n'));
  process.exit(1);
}
for (const name of COPIES.filter((copied) => existsSync(path.join(root, copied))))
  cpSync(path.join(root, name), path.join(out, name), { recursive: true, filter: (file) => !/\.ts$/.test(file) });
const ptx = path.join('src', 'engine', 'runtime', 'cuda', 'lstm.ptx.gz');
if (existsSync(path.join(root, ptx))) cpSync(path.join(root, ptx), path.join(out, ptx));
writeFileSync(path.join(out, 'build.json'), `${JSON.stringify({ commit: commitOf(root, SOURCES) })}\n`);
mkdirSync(path.join(out, USERS));
