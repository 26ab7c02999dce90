/**
 * `npm run sizes`: prints, as a table, what the production packages of node_modules take and what they are for. The parts that
 * can be left out come last, and a package counts for the first part that needs it. Counts like `du` on a file system with blocks of 4 KiB.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const BLOCK = 4096;
const MB = 1024 * 1024;
/** Files that the Dockerfiles delete, as a pattern of `find`. */
export const LEFT_OUT = '.*([.](map|ts|mts|cts)|/miniprogram/.*|/tf[a-z-]*([.](es2017|fesm))?([.]min)?[.]js([.]html)?)';
const leftOut = new RegExp(`^${LEFT_OUT}$`);
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

type Package = Partial<Record<'dependencies' | 'optionalDependencies' | 'peerDependencies', Readonly<Record<string, string>>>>;
type Packages = Readonly<Record<string, Package>>;

/** Sizes in mebibytes, as `du --block-size=M` says; `keptMb` without the files that the Dockerfiles delete. */
export type Part = {
  readonly purpose: string;
  readonly packages: number;
  readonly mb: number;
  readonly keptMb: number;
  readonly isOptional: boolean;
};

/** Direct dependencies by purpose. */
const PURPOSES: readonly (readonly [purpose: string, names: readonly string[]])[] = [
  ['network on WebAssembly', ['@tensorflow/tfjs-backend-cpu', '@tensorflow/tfjs-backend-wasm', '@tensorflow/tfjs-core']],
  ['training', ['@tensorflow/tfjs-layers']],
  ['NVIDIA cards through their driver', ['koffi']],
  ['accounts in SQLite', ['libsql', 'argon2']],
  ['accounts in MongoDB', ['mongodb']],
  ['HTTP, live series, schemas', ['koa', '@koa/cors', '@koa/router', 'ws', 'ajv', 'typebox', 'yaml']],
  ['MCP server', ['@modelcontextprotocol/server']],
  ['commands, logs, metrics, files', ['commander', 'read', 'pino', 'prom-client', '@opentelemetry/api', 'fflate', 'fzstd', 'hyparquet']],
  ['traces, if not left out', ['@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources', '@opentelemetry/sdk-trace']],
  ['native TensorFlow and CUDA, if not left out', ['@tensorflow/tfjs-node-gpu']],
];

export function moduleSizes(): Part[] {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as { packages: Packages };
  const { dependencies: required, optionalDependencies: optional } = packages[''];
  const direct = { ...required, ...optional };
  const named = PURPOSES.flatMap(([, names]) => names);
  const unknown = Object.keys(direct).filter((name) => !named.includes(name));
  if (unknown.length > 0) throw new Error(`Give ${unknown.join(', ')} a purpose in scripts/moduleSizes.ts.`);
  const counted = new Set<string>();
  return PURPOSES.map(([purpose, names]) => {
    const reached: string[] = [];
    const reach = (from: string, name: string): void => {
      const at = resolve(packages, from, name);
      if (at === undefined || counted.has(at) || !existsSync(path.join(root, at))) return;
      counted.add(at);
      reached.push(at);
      const { dependencies, optionalDependencies, peerDependencies } = packages[at];
      for (const next of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) reach(at, next);
    };
    for (const name of names) reach('', name);
    const sizes = reached.map((at) => sizeOf(path.join(root, at)));
    const sum = (key: 'all' | 'kept'): number => sizes.reduce((total, size) => total + size[key], 0) / MB;
    const isOptional = names.every((name) => name in optional!);
    return { purpose, packages: reached.length, mb: sum('all'), keptMb: sum('kept'), isOptional };
  });
}

/** Where Node.js finds the package: in the nearest node_modules upwards. */
function resolve(packages: Packages, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const at = path.posix.join(folder, 'node_modules', name);
    if (at in packages) return at;
    if (folder === '') return undefined;
  }
}

function sizeOf(folder: string): { readonly all: number; readonly kept: number } {
  const size = { all: 0, kept: 0 };
  const add = (bytes: number, isKept: boolean): void => {
    size.all += bytes;
    if (isKept) size.kept += bytes;
  };
  const walk = (at: string): void => {
    add(BLOCK, true);
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const full = path.join(at, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') walk(full);
      } else if (entry.isFile()) add(Math.ceil(statSync(full).size / BLOCK) * BLOCK, !leftOut.test(full));
    }
  };
  walk(folder);
  return size;
}

export function sizeTable(): string {
  const rows = moduleSizes();
  const line = (title: string, chosen: readonly Part[]): string => {
    const sum = (key: 'packages' | 'mb' | 'keptMb'): number => chosen.reduce((total, row) => total + row[key], 0);
    return `| ${title} | ${sum('packages')} | ${sum('mb').toFixed(0)} | ${sum('keptMb').toFixed(0)} |`;
  };
  return [
    '| for | packages | MB | MB in an image |',
    '| --- | --- | --- | --- |',
    ...rows.map((row) => line(row.purpose, [row])),
    line(
      '**serving and training on WebAssembly**',
      rows.filter((row) => !row.isOptional),
    ),
    line('**all**', rows),
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${sizeTable()}\n`);
