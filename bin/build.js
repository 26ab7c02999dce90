#!/usr/bin/env node
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildError, ensureBuilt } from './ensureBuilt.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
try {
  if (!ensureBuilt(root, (line) => process.stdout.write(`${line}\n`))) process.stdout.write('tickmark: dist is up to date\n');
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  process.stderr.write(`tickmark: ${error.message}\n`);
  process.exitCode = 1;
}
