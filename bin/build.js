#!/usr/bin/env node
// `npm run build`: writes `dist`, which packages and images contain. A start of a source checkout uses the same build, and not `dist`.
import { cpSync, rmSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildError, COPIES, ensureBuilt, USERS } from './ensureBuilt.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');
try {
  const build = ensureBuilt(root, (line) => process.stdout.write(`${line}\n`));
  if (build !== dist) {
    // Of a copied folder, what was compiled stays.
    const leftOut = [...COPIES, USERS].map((name) => path.join(build, name));
    const isCopy = (file) => leftOut.some((left) => file === left || file.startsWith(left + path.sep)) && !/\.js(\.map)?$/.test(file);
    rmSync(dist, { recursive: true, force: true });
    cpSync(build, dist, { recursive: true, filter: (file) => statSync(file).isDirectory() || !isCopy(file) });
  }
  process.stdout.write('tickmark: dist is up to date\n');
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  process.stderr.write(`tickmark: ${error.message}\n`);
  process.exitCode = 1;
}
