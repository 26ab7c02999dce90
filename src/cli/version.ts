import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { packageRoot } from '../core/packageRoot.ts';

/** The version of this package. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return version;
}
