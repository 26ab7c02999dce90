/**
 * `npm run pack:client [FOLDER]`: compiles clients/typescript, with its types, as ES modules and for `require`, and packs the file
 * that users install. Prints the path of the file.
 */
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { commitOf } from '../bin/commitOf.js';
import { pack, run } from './run.js';
import { wireText } from './wireText.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const client = path.join(root, 'clients', 'typescript');
const folder = path.resolve(process.argv[2] ?? client);

const dist = path.join(client, 'dist');
const required = path.join(dist, 'cjs');

rmSync(dist, { recursive: true, force: true });
// A copy of the sources, with the types of the service written out: the package needs no other one.
cpSync(path.join(client, 'src'), path.join(dist, 'src'), { recursive: true });
writeFileSync(path.join(dist, 'src', 'wire.ts'), await wireText());
const paths = { rootDir: 'src', outDir: '.', typeRoots: [path.join(root, 'node_modules', '@types')] };
writeFileSync(path.join(dist, 'tsconfig.json'), JSON.stringify({ extends: '../tsconfig.json', compilerOptions: paths, include: ['src'] }));
const tsc = [path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', dist];
// Comments are for readers of the declarations.
run(client, process.execPath, ...tsc, '--removeComments', '--declaration', 'false');
run(client, process.execPath, ...tsc, '--emitDeclarationOnly');
const version = path.join(dist, 'version.js');
const commit = commitOf(root, ['clients/typescript']);
if (commit !== 'unknown') writeFileSync(version, readFileSync(version, 'utf8').replace("COMMIT = ''", `COMMIT = '${commit}'`));
// Declarations have the same text in both: the folder says which they describe. Those without values are there once.
run(client, process.execPath, ...tsc, '--emitDeclarationOnly', '--outDir', required);
for (const name of ['src', 'tsconfig.json']) rmSync(path.join(dist, name), { recursive: true });
writeFileSync(path.join(required, 'wire.d.ts'), "export type * from '../wire.js' with { 'resolution-mode': 'import' };\n");
writeFileSync(path.join(required, 'package.json'), '{ "type": "commonjs" }\n');
const common = { platform: 'neutral', target: 'es2023', logLevel: 'error', minify: true };
const entryPoints = [path.join(dist, 'index.js')];
buildSync({ ...common, entryPoints, outfile: path.join(required, 'index.js'), bundle: true, format: 'cjs' });
const modules = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js') && !name.startsWith('cjs'));
const files = modules.map((name) => path.join(dist, name));
buildSync({ ...common, entryPoints: files, outdir: dist, outbase: dist, format: 'esm', allowOverwrite: true });
copyFileSync(path.join(root, 'LICENSE'), path.join(client, 'LICENSE'));
process.stdout.write(`${pack(client, folder)}\n`);
