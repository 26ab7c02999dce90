import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { buildEngine } from '../../scripts/buildEngine.js';
import { checkCases, engineCases, RUN_CASES } from '../support/engineCases.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** `DENO_PATH`, or the one on the PATH. */
const deno = process.env['DENO_PATH'] ?? 'deno';

describe('tickmark-engine in Deno', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();

  before(function () {
    const { error, stderr } = spawnSync(deno, ['--version'], { encoding: 'utf8' });
    if (error === undefined && stderr === '') return;
    process.stdout.write(`    skipped: no Deno at ${deno} (set DENO_PATH; npm package deno): ${error?.message ?? stderr}\n`);
    this.skip();
  });

  it('gives the answers of the service, with the permission to read one file', async () => {
    buildEngine(folder);
    const cases = await engineCases();
    const file = path.join(folder, 'cases.json');
    writeFileSync(file, JSON.stringify(cases));
    writeFileSync(
      path.join(folder, 'run.js'),
      `import { openEngine } from './index.js';
${RUN_CASES}
console.log(JSON.stringify(await runCases(await openEngine(), JSON.parse(Deno.readTextFileSync(${JSON.stringify(file)})))));
`,
    );
    const args = ['run', '--no-prompt', '--no-config', '--no-remote', `--allow-read=${file}`, path.join(folder, 'run.js')];
    const printed = execFileSync(deno, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env: { ...process.env, DENO_DIR: folder } });
    expect(checkCases(cases, JSON.parse(printed) as { answers: unknown[]; windows: unknown[] })).to.equal(null);
  });
});
