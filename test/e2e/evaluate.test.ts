import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import type { EvaluationReport } from '../../training/evaluate.ts';
import { cliRun, type CliRun } from '../support/cliRun.ts';
import { writeTicks } from '../support/writeTicks.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

describe('tickmark evaluate', function () {
  this.timeout(300_000);
  let folder: string;
  let file: string;
  let base: string;
  before(async () => {
    folder = temporaryFolder();
    file = path.join(folder, 'ticks.csv');
    writeTicks(file, syntheticTicks({ seed: 5, count: 12_000, medianGapMs: 1500 }));
    base = (JSON.parse((await run('models', 'list', '--json')).out) as { default: string }).default;
  });
  const run = (...args: string[]): Promise<CliRun> => cliRun({ DATA_DIR: path.join(folder, 'data') }, ...args);
  /** In this process; `test/e2e/docs.test.ts` runs the command of the page with workers. */
  const evaluate = (...args: string[]): Promise<CliRun> => run('evaluate', ...args, '--workers', '1');

  it('evaluates a version against the baseline and writes a self-contained page', async () => {
    const page = path.join(folder, 'page.html');
    const { code, out, err } = await evaluate(base, '--data', file, '--horizons', '10s,60s', '--report', page, '--json');
    expect(code, err).to.equal(0);
    const report = JSON.parse(out) as Omit<EvaluationReport, 'html'>;
    expect(report).to.deep.include({ id: base, seen: 0, placebosHold: true });
    expect(report.origins).to.be.above(500);
    expect(report.text).to.include('walk-forward in time').and.to.include('| AUC, pooled |').and.to.include('| Brier skill |');
    expect(report.tables.flatMap(({ head }) => head)).to.include('EWMA');
    const html = readFileSync(page, 'utf8');
    expect(html)
      .to.include(base)
      .and.to.include('Reliability')
      .and.not.to.match(/(src|href)="https?:/);
  });

  it('evaluates bars too: one-minute closes, sparse markets', async () => {
    const { code, out, err } = await evaluate(base, '--data', file, '--horizons', '60s', '--bars', '20');
    expect(code, err).to.equal(0);
    expect(out).to.include('| Brier skill |');
  });

  it('reads timestamps without a zone in the given zone', async () => {
    const refused = await evaluate(base, '--data', file, '--zone', 'Mars/Olympus');
    expect([refused.code, refused.err.includes('The zone "Mars/Olympus" is unknown')]).to.deep.equal([2, true]);
    const { code, err } = await evaluate(base, '--data', file, '--horizons', '60s', '--zone', 'America/New_York');
    expect(code, err).to.equal(0);
  });

  const wrong: [what: string, args: (file: string) => string[], code: number, expected: RegExp][] = [
    ['a version that is not there', (of) => ['no-such', '--data', of], 1, /Unknown model "no-such"\. Known models: base-/],
    [
      'a report where there is no folder',
      (of) => [base, '--data', of, '--horizons', '60s', '--report', '/dev/null/x.html'],
      1,
      /cannot be written/,
    ],
  ];
  for (const [what, args, code, expected] of wrong)
    it(`refuses ${what}`, async () => {
      const refused = await evaluate(...args(file));
      expect(refused.err).to.match(expected);
      expect(refused.code).to.equal(code);
    });
});
