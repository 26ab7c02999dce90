import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { LEFT_OUT, moduleSizes, sizeTable, type Part } from '../../../scripts/moduleSizes.ts';
import { parseDockerfile } from '../../support/parseDockerfile.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

/** For serving and training on WebAssembly, as `npm ci --omit=dev` leaves it without the optional packages. */
const MOST_MB = 200;
const page = readFileSync(path.join(ROOT, 'docs', 'how-to', 'docker.md'), 'utf8');

describe('the size of the production packages', () => {
  // The account store is a program of the platform.
  const isMeasured = process.platform === 'linux' && process.arch === 'x64';

  it('is within its limit without the optional packages, and is on the page', function () {
    if (!isMeasured) this.skip();
    const required = moduleSizes().filter(({ isOptional }) => !isOptional);
    expect(required.reduce((sum, { mb }) => sum + mb, 0)).to.be.within(50, MOST_MB);
    expect(page).to.include(sizeTable());
  });

  it('stands in the table of the images as in that of the packages', function () {
    if (!isMeasured) this.skip();
    const sizes = moduleSizes();
    const kept = (rows: readonly Part[]) => rows.reduce((sum, { keptMb }) => sum + keptMb, 0).toFixed(0);
    const inImages = ['`tickmark`', '`tickmark:wasm`', '`tickmark:gpu`', '`tickmark:gpu-tensorflow`'].map((name) => {
      const line = page.split('\n').find((row) => row.startsWith(`| ${name} |`));
      return /node_modules (\d+) MB/.exec(line ?? '')?.[1];
    });
    const withoutNative = kept(sizes.filter(({ purpose }) => !purpose.startsWith('native')));
    expect(inImages).to.deep.equal([kept(sizes), withoutNative, withoutNative, kept(sizes)]);
  });

  it('counts without the files that the images delete', () => {
    for (const file of ['Dockerfile', 'Dockerfile.gpu']) {
      const { steps } = parseDockerfile(path.join(ROOT, file), { NATIVE: 'none' }).find(({ name }) => name === 'modules')!;
      expect(steps.at(-1), file).to.deep.include({
        keyword: 'RUN',
        words: ['find', 'node_modules', '-type', 'f', '-regextype', 'posix-extended', '-regex', LEFT_OUT, '-delete'],
      });
    }
  });

  it('falls by the command of the page, which names each optional package', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const command = /npm uninstall --no-save --omit=dev ([^`]*?)\n```/.exec(page)?.[1] ?? '';
    expect(command.split(/[\s\\]+/).sort()).to.deep.equal(Object.keys(optionalDependencies).sort());
  });
});
