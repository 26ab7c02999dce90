import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { packageRoot } from '../src/core/packageRoot.ts';

/** Folders whose code determines the rows and weights for given ticks. */
const FOLDERS = ['../src/ticks', '../src/features', '../src/model', 'data', 'labels', 'loop', 'splits'] as const;

/**
 * The program's version and a hash of the code that makes rows and weights, such as `0.1.0+3f9a2c51d0be`. Caches with another fingerprint
 * are not used, and the lineage of a version contains it. Source and build have different fingerprints.
 */
export function codeFingerprint(): string {
  const hash = createHash('sha256');
  for (const folder of FOLDERS) {
    const at = path.join(import.meta.dirname, folder);
    for (const name of readdirSync(at).sort())
      if (/\.[jt]s$/.test(name) && !name.endsWith('.d.ts')) hash.update(name).update(readFileSync(path.join(at, name)));
  }
  const { version } = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return `${version}+${hash.digest('hex').slice(0, 12)}`;
}
