import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const page = readFileSync(path.join(ROOT, 'docs', 'how-to', 'docker.md'), 'utf8');

describe('npm run test:image', () => {
  const run = (PATH: string, ...args: readonly string[]) =>
    spawnSync(process.execPath, ['--import', 'tsx', 'scripts/testImage.ts', ...args], {
      cwd: ROOT,
      env: { ...process.env, PATH },
      encoding: 'utf8',
    });

  it('is skipped with the reason without buildah, and refuses unknown images with those that there are', () => {
    const empty = temporaryFolder();
    const skipped = run(empty);
    expect([skipped.status, skipped.stderr]).to.deep.equal([0, '']);
    expect(skipped.stdout).to.match(/^skipped: (buildah is not installed|images are built and run as root on Linux)/);
    const refused = run(empty, 'tickmark:arm');
    expect([refused.status, refused.stderr]).to.deep.equal([
      2,
      'There is no image tickmark:arm. The images are tickmark, tickmark:wasm, tickmark:gpu.\n',
    ]);
  });

  it('measures the images that the page builds', () => {
    const [, known = ''] = /The images are (.*)\./.exec(run('', 'x').stderr) ?? [];
    const built = [...page.matchAll(/^docker build --tag (\S+)/gm)].map(([, name]) => name);
    // TensorFlow with the CUDA libraries is 8 GB, and needs a card to be run.
    expect(built.filter((name) => name !== 'tickmark:gpu-tensorflow')).to.have.members(known.split(', '));
  });
});
