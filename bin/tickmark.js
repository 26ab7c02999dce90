#!/usr/bin/env node
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BuildError, ensureBuilt } from './ensureBuilt.js';

// A message that cannot be written (a full disk) must not end the start.
process.stderr.on('error', () => {});
/** @param {string} text */
const say = (text) => {
  const time = new Date().toISOString();
  const line = process.env['LOG_FORMAT'] === 'json' ? JSON.stringify({ level: 'info', time, msg: text.replace(/^tickmark: /, '') }) : text;
  process.stderr.write(`${line}\n`);
};
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
try {
  const build = ensureBuilt(root, say);
  await import(pathToFileURL(path.join(build, 'src', 'main.js')).href);
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  say(`tickmark: ${error.message}`);
  process.exitCode = 1;
}
