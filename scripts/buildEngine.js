import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { shippedVersion } from '../bin/shippedVersion.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/**
 * Writes what the Python package runs in Node.js: child.js, and shipped.js with the shipped version.
 *
 * @param {string} folder is emptied
 */
export function buildEngineChild(folder) {
  bundle(folder, 'child', 'node');
  // The module is not JavaScript of the web: Node.js reads the kind of a file here.
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n');
}

/**
 * Writes the code of `tickmark-engine` to a folder: index.js for pages and Node.js, and shipped.js with the shipped version.
 *
 * @param {string} folder is emptied
 */
export function buildEngine(folder) {
  bundle(folder, 'index', 'browser');
}

function bundle(folder, entry, platform) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  buildSync({
    ...{
      entryPoints: [path.join(root, `clients/engine/src/${entry}.ts`)],
      outfile: path.join(folder, `${entry}.js`),
      external: ['./shipped.js'],
    },
    ...{ bundle: true, minify: true, format: 'esm', platform, target: 'es2022', legalComments: 'none', logLevel: 'error' },
  });
  writeFileSync(path.join(folder, 'shipped.js'), shippedVersion(root));
}
