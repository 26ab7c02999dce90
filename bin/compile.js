/**
 * `node compile.js ROOT OUT STAMP HASH`: writes every source file that ROOT/tsconfig.json names to OUT as JavaScript with a source
 * map, and the stamp last. Types are stripped, not checked: `npm test` checks them, and a start takes a second instead of ten.
 * Exit codes: 0 done, 1 the sources do not parse (messages on standard error), 3 TypeScript is not installed.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';

const [root, out, stamp, hash] = process.argv.slice(2);

const ts = await import('typescript').then(
  (loaded) => loaded.default,
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(error.code === 'ERR_MODULE_NOT_FOUND' ? 3 : 1);
  },
);

const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' };
const faults = [];
const read = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
const config = ts.parseJsonConfigFileContent(read.config ?? {}, ts.sys, root);
if (read.error) faults.push(read.error);
faults.push(...config.errors);

const compilerOptions = { ...config.options, declaration: false, incremental: false, composite: false };
for (const fileName of config.fileNames.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))) {
  const made = ts.transpileModule(readFileSync(fileName, 'utf8'), { fileName, compilerOptions, reportDiagnostics: true });
  faults.push(...(made.diagnostics ?? []));
  const relative = path.relative(root, fileName).replace(/\.ts$/, '.js');
  const target = path.join(out, relative);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, made.outputText);
  if (made.sourceMapText === undefined) continue;
  // The build is renamed to `dist`: the way back to the sources is told as from there.
  const source = path.relative(path.dirname(path.join(root, 'dist', relative)), fileName);
  writeFileSync(`${target}.map`, JSON.stringify({ ...JSON.parse(made.sourceMapText), sources: [source] }));
}

if (faults.length > 0) {
  process.stderr.write(ts.formatDiagnostics(faults.slice(0, 20), host));
  process.exit(1);
}
writeFileSync(stamp, JSON.stringify({ sources: hash }) + '\n');
