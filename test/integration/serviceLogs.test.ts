import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ROOT } from '../support/tickmarkProcess.ts';

const program = (words: string): string => JSON.stringify(`console.log('early'); console.error(${JSON.stringify(words)}); process.exit(3)`);

const TESTS = `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { keepOutput } from ${JSON.stringify(path.join(ROOT, 'test/support/serviceLogs.ts'))};
async function run(name, program) {
  const child = spawn(process.execPath, ['-e', program]);
  keepOutput(name, child);
  await once(child, 'close');
}
describe('service', () => {
  before(() => run('first', ${program('cause one')}));
  it('fails at once', () => { throw new Error('fault one'); });
  it('fails later', async () => { await run('second', ${program('cause two')}); throw new Error('fault two'); });
  describe('hook', () => {
    before(async () => { await run('third', ${program('cause three')}); throw new Error('fault three'); });
    it('does not run', () => {});
  });
});
`;

describe('serviceLogs', () => {
  const folder = temporaryFolder();

  for (const how of ['--parallel', '--no-parallel'])
    it(`shows the last output of its services in the failure of a test or hook, with ${how}`, () => {
      const [file, counts] = [path.join(folder, 'some.test.mjs'), path.join(folder, 'counts.json')];
      writeFileSync(file, TESTS);
      const mocha = path.join(ROOT, 'node_modules/mocha/bin/mocha.js');
      const env = { ...process.env, TEST_COUNTS_FILE: counts };
      const { stdout, stderr } = spawnSync(process.execPath, [mocha, how, file], { cwd: ROOT, env, encoding: 'utf8' });
      const failures = stdout.split(/^ {2}\d\) /m).slice(1);
      expect(failures, `${stdout}${stderr}`).to.have.length(3);
      for (const [i, [fault, name, cause]] of [
        ['fault one', 'first', 'cause one'],
        ['fault two', 'second', 'cause two'],
        ['fault three', 'third', 'cause three'],
      ].entries()) {
        expect(failures[i])
          .to.contain(fault)
          .and.match(new RegExp(`Last output of ${name} .*\n.*ended with exit code 3.*\n[^]*${cause}`));
      }
    });
});
