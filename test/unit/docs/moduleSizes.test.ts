import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { LEFT_OUT, moduleSizes, sizeTable, type Part } from '../../../scripts/moduleSizes.ts';
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

  it('is near what npm run test:image has measured in the images', function () {
    if (!isMeasured) this.skip();
    const sizes = moduleSizes();
    // The table of the images has MB of 10^6 bytes.
    const kept = (rows: readonly Part[]) => (rows.reduce((sum, { keptMb }) => sum + keptMb, 0) * 2 ** 20) / 1e6;
    const withoutNative = kept(sizes.filter(({ purpose }) => !purpose.startsWith('native')));
    for (const [name, counted] of [
      ['`tickmark`', kept(sizes)],
      ['`tickmark:wasm`', withoutNative],
      ['`tickmark:gpu`', withoutNative],
    ] as const) {
      const cells = page.split('\n').find((row) => row.startsWith(`| ${name} |`))?.split(' | ') ?? []; // prettier-ignore
      expect(Number.parseInt(cells[3] ?? '', 10) / counted, name).to.be.within(0.95, 1.05);
    }
  });

  it('counts without the files that the images delete', () => {
    const run = `RUN find node_modules -type f -regextype posix-extended -regex '${LEFT_OUT}' -delete\n`;
    for (const file of ['Dockerfile', 'Dockerfile.gpu']) expect(readFileSync(path.join(ROOT, file), 'utf8'), file).to.include(run);
  });

  it('falls by the command of the page, which names each optional package', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const command = /npm uninstall --no-save --omit=dev ([^`]*?)\n```/.exec(page)?.[1] ?? '';
    expect(command.split(/[\s\\]+/).sort()).to.deep.equal(Object.keys(optionalDependencies).sort());
  });
});
