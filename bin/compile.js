/**
 * `node compile.js ROOT OUT STAMP HASH`: writes every source file that ROOT/tsconfig.json names to OUT as JavaScript with a source
 * map, the console for the browser, and the stamp last. Types are stripped, not checked: `npm test` checks them, and a start takes a second instead of ten.
 * Exit codes: 0 done, 1 the sources do not parse (messages on standard error), 3 TypeScript or esbuild is not installed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { bundleConsole } from './bundleConsole.js';

const [root, out, stamp, hash] = process.argv.slice(2);

function endWith(error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(error.code === 'ERR_MODULE_NOT_FOUND' ? 3 : 1);
}

const ts = await import('typescript').then((loaded) => loaded.default, endWith);

const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' };
const faults = [];
const read = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
const config = ts.parseJsonConfigFileContent(read.config ?? {}, ts.sys, root);
if (read.error) faults.push(read.error);
faults.push(...config.errors);

// One file at a time says nothing of package.json's "type": the module format is named here.
// No module is resolved and no library read: what is left is parsing and writing.
const program = ts.createProgram({
  rootNames: config.fileNames.filter((name) => !name.endsWith('.d.ts')),
  options: {
    ...config.options,
    rootDir: root,
    outDir: out,
    declaration: false,
    noEmitOnError: false,
    noCheck: true,
    noResolve: true,
    noLib: true,
    types: [],
  },
});
faults.push(...program.getSyntacticDiagnostics());
program.emit(undefined, (name, text) => {
  mkdirSync(path.dirname(name), { recursive: true });
  writeFileSync(name, name.endsWith('.map') ? sourceMapOf(name, text) : text);
});

/** The build is renamed to `dist`: the way back to the sources is told as from there. */
function sourceMapOf(name, text) {
  const target = path.join(root, 'dist', path.relative(out, name));
  const map = JSON.parse(text);
  const sources = map.sources.map((source) => path.relative(path.dirname(target), path.resolve(path.dirname(name), source)));
  return JSON.stringify({ ...map, sources });
}

if (faults.length > 0) {
  process.stderr.write(ts.formatDiagnostics(faults.slice(0, 20), host));
  process.exit(1);
}
const bundleFaults = await bundleConsole(root, path.join(out, 'console')).catch(endWith);
if (bundleFaults.length > 0) {
  process.stderr.write(bundleFaults.join('\n'));
  process.exit(1);
}
writeFileSync(stamp, JSON.stringify({ sources: hash }) + '\n');
