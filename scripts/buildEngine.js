import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { shippedVersion } from '../bin/shippedVersion.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/**
 * Writes the code of `tickmark-engine` to a folder: index.js for pages and Node.js, and shipped.js with the shipped version.
 *
 * @param {string} folder is emptied
 */
export function buildEngine(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  buildSync({
    ...{
      entryPoints: [path.join(root, 'clients/engine/src/index.ts')],
      outfile: path.join(folder, 'index.js'),
      external: ['./shipped.js'],
    },
    ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022', legalComments: 'none', logLevel: 'error' },
  });
  writeFileSync(path.join(folder, 'shipped.js'), shippedVersion(root));
}
