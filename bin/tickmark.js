#!/usr/bin/env node
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BuildError, ensureBuilt } from './ensureBuilt.js';

// A message that cannot be written (a full disk) must not end the start.
process.stderr.on('error', () => {});
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
try {
  ensureBuilt(root, (line) => process.stderr.write(`${line}\n`));
  await import(pathToFileURL(path.join(root, 'dist', 'src', 'main.js')).href);
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  process.stderr.write(`tickmark: ${error.message}\n`);
  process.exitCode = 1;
}
