import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { build, transformSync, type BuildFailure } from 'esbuild';
import { ROOT } from '../support/tickmarkProcess.ts';

const ENGINE = path.join(ROOT, 'src/engine');
/** Files and folders of `src/engine` that may use Node.js: files, processes, native code. */
const { nodejs } = JSON.parse(readFileSync(path.join(ROOT, 'test/architecture/layers.json'), 'utf8')) as { nodejs: string[] };
/** Names that only Node.js defines, each replaced by a word that no source has. */
const GLOBALS = ['Buffer', 'process', 'global', 'setImmediate', 'clearImmediate', 'require', '__dirname', '__filename'];
const define = Object.fromEntries(GLOBALS.map((name) => [name, 'nodejsGlobal']));

/** Sources of the engine, without the AssemblyScript that is compiled to WebAssembly. */
const files = readdirSync(ENGINE, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.startsWith('runtime/assembly/'),
);
const mayUseNodejs = (file: string): boolean => nodejs.some((entry) => file === entry || file.startsWith(`${entry}/`));

/** What keeps a bundle of these files out of a browser: imports that it cannot resolve, and globals of Node.js. */
async function foundIn(entries: readonly string[]): Promise<string[]> {
  const bundle = build({
    entryPoints: entries.map((file) => path.join(ENGINE, file)),
    ...{ bundle: true, splitting: true, write: false, metafile: true, outdir: 'not-written', logLevel: 'silent' },
    ...{ platform: 'browser', format: 'esm', target: 'es2023', absWorkingDir: ROOT },
  });
  const failed = await bundle.then(() => [], (error: BuildFailure) => error.errors); // prettier-ignore
  if (failed.length > 0) return failed.map(({ text, location }) => `${location?.file}: ${text}`);
  // Packages ask whether a global is there before they use it.
  const sources = Object.keys((await bundle).metafile.inputs).filter((file) => file.startsWith('src/'));
  return sources.filter((file) => {
    const source = readFileSync(path.join(ROOT, file), 'utf8');
    return transformSync(source, { loader: 'ts', define }).code.includes('nodejsGlobal');
  });
}

describe('the engine', () => {
  it('runs in a browser, except what layers.json lists', async () => {
    expect(await foundIn(files.filter((file) => !mayUseNodejs(file)))).to.deep.equal([]);
  });

  it('needs Node.js in each part that the list names', async () => {
    for (const entry of nodejs) {
      const part = files.filter((file) => file === entry || file.startsWith(`${entry}/`));
      expect(part, entry).to.not.deep.equal([]);
      // Most say so themselves.
      if (part.some((file) => readFileSync(path.join(ENGINE, file), 'utf8').includes(" from 'node:"))) continue;
      expect(await foundIn(part), entry).to.not.deep.equal([]);
    }
  });
});
