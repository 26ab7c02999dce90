import { mkdirSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './tickmarkProcess.ts';

/** Bundles a script of this repository for Node.js, packages left out, and returns the file: a test that starts it often saves the loader of TypeScript. */
export async function bundleScript(script: string): Promise<string> {
  // Inside the repository, so that the packages are found.
  const folder = path.join(ROOT, 'node_modules', '.cache', 'test-scripts');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${path.basename(script, '.ts')}-${process.pid}.mjs`);
  process.once('exit', () => rmSync(file, { force: true }));
  await build({
    entryPoints: [path.join(ROOT, script)],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
  return file;
}
