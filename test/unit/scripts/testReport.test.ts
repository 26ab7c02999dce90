import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../support/tickmarkProcess.ts';

const tests = { name: 'tests', passed: 5, failed: 0, skipped: 2, seconds: 61.4, failures: [], reasons: { 'no MongoDB available': 2 } };
const lint = { name: 'lint', passed: 0, failed: 1, skipped: 0, seconds: 3, failures: ['npm run lint'], reasons: {} };

describe('the report of npm test', () => {
  let folder = '';
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'tickmark-report-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  function report(...files: readonly object[][]): { readonly status: number | null; readonly lines: readonly string[] } {
    const names = files.map((_, i) => path.join(folder, `${i}.json`));
    names.forEach((name, i) => writeFileSync(name, JSON.stringify(files[i])));
    const { status, stdout } = spawnSync(process.execPath, [path.join(ROOT, 'scripts', 'testReport.js'), ...names], { encoding: 'utf8' });
    return { status, lines: stdout.trimEnd().split('\n') };
  }

  it('adds up all parts, says what was skipped and why, and ends with the counts', () => {
    const { status, lines } = report([tests], [{ ...tests, name: 'native', passed: 7 }]);
    expect(status).to.equal(0);
    expect(lines).to.deep.equal([
      'part     passed   failed  skipped  seconds',
      'tests         5        0        2       61',
      'native        7        0        2       61',
      'skipped: tests: no MongoDB available (2)',
      'skipped: native: no MongoDB available (2)',
      '12 passed, 0 failed, 4 skipped',
    ]);
  });

  it('names each failure once more, and fails', () => {
    const { status, lines } = report([lint, tests]);
    expect([status, lines[0], lines.at(-1)]).to.deep.equal([1, 'failed: npm run lint', '5 passed, 1 failed, 2 skipped']);
  });

  it('fails without any report', () => {
    expect(report([]).status).to.equal(1);
  });
});
