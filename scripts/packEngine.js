/**
 * `npm run pack:engine [FOLDER]`: builds clients/engine, the engine with the shipped version and its types, and packs the file that users install.
 * Prints the path of the file.
 */
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildEngine } from './buildEngine.js';
import { pack, run } from './run.js';
import { wireText } from './wireText.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const engine = path.join(root, 'clients', 'engine');
const folder = path.resolve(process.argv[2] ?? engine);
const types = path.join(engine, 'dist', 'types');
/** Declarations that the public ones name; the others describe what is inside of the bundle. */
const PUBLIC = [
  ...['index', 'openEngine', 'Series', 'EngineError', 'memory', 'api', 'options'].map((name) => `clients/engine/src/${name}.d.ts`),
  ...['wire', 'errors', 'tickBody', 'barBody'].map((name) => `clients/typescript/src/${name}.d.ts`),
];

buildEngine(path.join(engine, 'dist'));
const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
run(engine, process.execPath, tsc, '-p', engine, '--emitDeclarationOnly', '--noCheck');
for (const entry of readdirSync(types, { recursive: true, withFileTypes: true })) {
  const file = path.join(entry.parentPath, entry.name);
  if (entry.isFile() && !PUBLIC.includes(path.relative(types, file).replaceAll(path.sep, '/'))) rmSync(file);
}
writeFileSync(path.join(types, 'clients/typescript/src/wire.d.ts'), await wireText());
copyFileSync(path.join(root, 'LICENSE'), path.join(engine, 'LICENSE'));
process.stdout.write(`${pack(engine, folder)}\n`);
