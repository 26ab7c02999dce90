import { existsSync, readdirSync } from 'node:fs';
import * as path from 'node:path';

const MODELS = path.resolve(import.meta.dirname, '../../models');

/** Skips, with its reason, what needs a shipped model version where none is in `models/`. */
export function skipWithoutBase(this: Mocha.Context): void {
  if (existsSync(MODELS) && readdirSync(MODELS).some((name) => name.startsWith('base-'))) return;
  process.stdout.write('    skipped: no model version is in models/ (npm run train makes one)\n');
  this.skip();
}
