import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';
import { ROOT } from '../../support/tickmarkProcess.ts';

describe('the archive of npm run pack:cuda', () => {
  it('has all files that its benches import', async () => {
    const script = readFileSync(path.join(ROOT, 'scripts/packCuda.js'), 'utf8');
    const namesOf = (list: string): string[] =>
      [...(new RegExp(`^const ${list} = \\[(.*?)\\];$`, 'ms').exec(script)?.[1] ?? '').matchAll(/'([^']+)'/g)].map(([, name]) => name);
    const packed = [...namesOf('PARTS'), ...namesOf('TEST_PARTS')];
    const run = [...script.matchAll(/^(?:.* )?bench (cuda\w*)$/gm)].map(([, name]) => `bench/${name}.ts`);
    expect(run).to.have.length(2);
    const { metafile } = await build({
      ...{ entryPoints: ['bench/run.ts', 'bench/cudaOnce.ts', ...run], absWorkingDir: ROOT, bundle: true, packages: 'external' },
      ...{ platform: 'node', format: 'esm', outdir: 'never', write: false, metafile: true, logLevel: 'silent' },
    });
    const missing = Object.keys(metafile.inputs).filter((file) => !packed.some((part) => file === part || file.startsWith(`${part}/`)));
    expect(missing).to.deep.equal([]);
  });
});
