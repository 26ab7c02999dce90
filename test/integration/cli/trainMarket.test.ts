import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import type { MarketFile } from '../../../src/engine/model/MarketModel.ts';
import type { EvaluationReport } from '../../../training/EvaluateOptions.ts';
import type { TrainReport } from '../../../training/TrainOptions.ts';
import { busyAfternoon, marketTicks } from '../../support/marketTicks.ts';
import type { TickSeries } from '../../../src/ticks/TickSeries.ts';
import { cliRun, type CliRun } from '../../support/cliRun.ts';
import { rewriteFile } from '../../support/versionFolders.ts';
import { writeTicks } from '../../support/writeTicks.ts';

type Logit = {
  readonly baseline: number;
  readonly network: number;
  readonly clock?: number;
  readonly rules: number;
  readonly total: number;
};

/** Of the first file of the market; the second has the two weeks after it. */
const WEEKS = 4;
const GAP_S = 60;
const SIZE = ['--max-rows', '600', '--workers', '1'];

describe('tickmark train --market', function () {
  this.timeout(600_000);
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-market-'));
    const { timesUs, prices } = marketTicks({ seed: 4, weeks: 6, gapS: GAP_S });
    const cut = timesUs.findIndex((us) => us >= timesUs[0]! + WEEKS * 7 * 86_400e6);
    writeTicks(file('mine-1.csv'), { timesUs: timesUs.slice(0, cut), prices: prices.slice(0, cut) });
    writeTicks(file('mine-2.csv'), { timesUs: timesUs.slice(cut), prices: prices.slice(cut) });
    writeTicks(file('other.csv'), marketTicks({ seed: 5, weeks: 2, gapS: 300, price: 3 }));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const run = (...args: string[]): Promise<CliRun> => cliRun({ DATA_DIR: path.join(folder, 'data') }, ...args);
  const file = (name: string): string => path.join(folder, name);
  const trained = (...args: string[]): Promise<CliRun> => run('train', '--market', ...SIZE, '--name', 'mine', ...args);

  it('learns the time of day of one market, passes its gate, and answers with it', async () => {
    const made = await trained('--data', file('mine-1.csv'), '--json');
    expect(made.code, made.err + made.out).to.equal(0);
    const report = JSON.parse(made.out) as TrainReport;
    expect(report).to.deep.include({ id: 'mine', mode: 'market', folds: ['later weeks'] });
    const checks = report.verdict.checks.map(({ text }) => text).join('\n');
    expect(checks).to.include('Clock rotated by 7 h').and.to.include('Clock with permuted hours');
    expect(checks).to.match(/AUC over all origins against base-[\w-]+: \+0\.[0-9]/);

    const market = JSON.parse(readFileSync(path.join(report.folder!, 'market.json'), 'utf8')) as MarketFile;
    // The weeks end at 22:00 UTC in winter, 17:00 New York time; no clock change shows the rule, so the clock ends at the next one.
    expect(market.daylight).to.equal('us');
    expect(market.clockEndsUs).to.be.below(market.levelEndsUs);
    const hours = Array.from(
      { length: 24 },
      (_, hour) => market.shape.slice(hour * 60, hour * 60 + 60).reduce((sum, value) => sum + value, 0) / 60,
    );
    const worst = Math.max(...hours.map((shape, hour) => Math.abs(shape - busyAfternoon(hour + 0.5))));
    expect(worst, hours.join(' ')).to.be.below(0.25);
    const html = readFileSync(report.reportFile, 'utf8');
    expect(html).to.include('<h2>Time of day</h2>').and.to.include('Gain by horizon and week').and.to.include('clock of one market');

    const card = await run('models', 'show', 'mine');
    expect(card.out).to.include('learned here: the time of day').and.to.include('Market: learned from 2023-01-02 to 2023-01-');
    const asked = await run('predict', file('mine-1.csv'), '--horizon', '5m', '--model', 'mine', '--json');
    expect(asked.code, asked.err).to.equal(0);
    const { logit, input } = (JSON.parse(asked.out) as { detail: { logit: Logit; input: { notes: string[] } } }).detail;
    expect(input.notes).to.include('seen_in_training');
    const other = await run('predict', file('other.csv'), '--horizon', '5m', '--model', 'mine', '--json');
    expect(other.out).to.not.include('seen_in_training');
    expect(logit.clock).to.be.a('number');
    expect(logit.baseline + logit.network + logit.clock! + logit.rules).to.be.closeTo(logit.total, 1e-9);
    const promoted = await run('models', 'promote', 'mine');
    expect([promoted.code, promoted.out.includes('mine is the default')], promoted.err).to.deep.equal([0, true]);
    expect((await run('doctor', file('mine-1.csv'))).out).to.include('mine was trained on ticks of this file');
  });

  it('keeps the old version if the weeks between were unusual, and says so', async () => {
    // No closed hours. The usual weeks, then 20 days with night and day exchanged, and 14 usual days, on which the gate compares.
    const nightsAreBusy = (hour: number): number => busyAfternoon(hour + 12);
    const part = (seed: number, fromDay: number, days: number, shape: (hour: number) => number): TickSeries =>
      marketTicks({ seed, weeks: days / 7, gapS: GAP_S, offsetS: fromDay * 86_400, shape, isOpen: () => true });
    const parts = [part(7, WEEKS * 7, 20, nightsAreBusy), part(8, WEEKS * 7 + 20, 14, busyAfternoon)];
    parts.forEach((ticks, at) => writeTicks(file(`odd-${at}.csv`), ticks));
    const files = ['mine-1.csv', 'odd-0.csv', 'odd-1.csv'].map(file);
    const { code, out, err } = await run('update', 'mine', '--data', ...files, '--promote', ...SIZE);
    expect(out, err)
      .to.include('Not better, kept mine.')
      .and.to.match(/fails: .* against mine: −0\.\d+/);
    expect(err).to.include('The market is open all hours of the week');
    expect(code).to.equal(3);
    expect((await run('models', 'list')).out).to.not.include('mine-2023');
  });

  it('updates a version with newer weeks, and promotes the new one if it is better', async () => {
    // Its clock gets the wrong sign, so that the update is better for certain.
    const folderOfOld = file('data/models/mine');
    const wrong = JSON.parse(readFileSync(path.join(folderOfOld, 'market.json'), 'utf8')) as MarketFile;
    const heads = wrong.heads.map((head) => head && { ...head, fresh: { intercept: 0, base: 1, clock: -1, level: 0 } });
    rewriteFile(folderOfOld, 'market.json', JSON.stringify({ ...wrong, heads }));
    const files = ['mine-1.csv', 'mine-2.csv'].map(file);
    const made = await run('update', 'mine', '--data', ...files, '--promote', ...SIZE, '--json');
    expect(made.code, made.err + made.out).to.equal(0);
    const report = JSON.parse(made.out) as TrainReport;
    expect(report.id).to.match(/^mine-2023-02-1[0-3]$/);
    expect(report.verdict.checks.map(({ text }) => text).join('\n')).to.match(/AUC over all origins against mine: /);
    expect(report.notes.join('\n')).to.match(/Since mine: correlation of the profiles 0\.9\d+, level [01]\.\d\d times as high\./);
    const market = JSON.parse(readFileSync(path.join(report.folder!, 'market.json'), 'utf8')) as MarketFile;
    // Fewer than eight weeks in all: it learns from each of them.
    expect(market.toUs - market.fromUs).to.be.closeTo(6 * 7 * 86_400e6, 3 * 86_400e6);
    expect(market.heads.some((head) => head !== null && head.recent !== null)).to.equal(true);
    expect((await run('models', 'list')).out).to.match(new RegExp(`\\* ${report.id} `));
    const closes = await run('evaluate', report.id, '--data', ...files, '--horizons', '5m', '--closes', '--workers', '1', '--json');
    expect(closes.code, closes.err).to.equal(0);
    const { tables } = JSON.parse(closes.out) as EvaluationReport;
    const gain = tables.find(({ title }) => title.startsWith('With the closes of the day before against without'))!;
    expect(gain.rows.map(([horizon]) => horizon)).to.deep.equal(['all', '300']);
    // All but those of the first hours of the files.
    expect(Number.parseFloat(gain.rows[0]![2]!)).to.be.within(80, 100);
    // Without an id, it is the default version that is updated.
    const again = await run('update', '--data', ...files);
    expect(again.err).to.include(`${report.id} has learned up to`).and.to.include('an update needs about a week of newer ticks');
    expect(again.code).to.equal(1);
  });

  it('writes no version of which every head answers like the base, not even with --force', async () => {
    writeTicks(file('day.csv'), marketTicks({ seed: 3, weeks: 1 / 7, gapS: 4 }));
    const { code, out, err } = await run(...['train', '--market', ...SIZE, '--name', 'day', '--data', file('day.csv'), '--force']);
    expect(err).to.include('The ticks cover 0.2 weeks');
    expect(out).to.include('Nothing was learned: every head answers like the base').and.to.not.include('With --force, the version is');
    expect(code, err).to.equal(3);
    expect((await run('models', 'list')).out).to.not.match(/ day /);
  });

  it('refuses an update without a market, without files, and without the older weeks', async () => {
    const refusals = [
      [await run('update', 'base-2026-11-27', '--data', file('mine-2.csv')), 2, '"base-2026-11-27" knows no market'],
      [await run('update', 'mine'), 2, 'An update needs the ticks of its weeks, old and new'],
      [
        await run('update', 'mine', '--data', file('mine-2.csv')),
        1,
        'A version stores no ticks: name the files of the last weeks before too',
      ],
      [await run('update', 'mine', '--data', file('other.csv')), 1, 'an update needs about a week of newer ticks'],
      [await run('update', 'none', '--data', file('mine-2.csv')), 1, 'No model with this id is loaded'],
    ] as const;
    for (const [{ code, err }, expected, text] of refusals) {
      expect(err).to.include(text);
      expect(code, err).to.equal(expected);
    }
  });

  it('chooses --market by itself for weeks of one market, and says so', async () => {
    const { code, err } = await run('train', '--data', file('mine-1.csv'), file('mine-2.csv'), '--dry-run');
    expect(err).to.match(/The ticks are of one market and cover [56]\.\d weeks: learning its time of day \(--market\)\./);
    expect(code, err).to.equal(0);
  });

  it('refuses ticks that no clock can be learned from, before it computes a row', async () => {
    const refusals = [
      [
        await trained('--data', file('mine-1.csv'), file('other.csv'), '--replace'),
        2,
        'mine-1.csv and other.csv overlap in time: --market needs the ticks of one market',
      ],
      [await trained('--data', file('other.csv'), '--replace'), 1, 'The ticks cover 2.'],
      [await trained(), 2, '--market needs weeks of ticks: name them with --data.'],
      [await trained('--data', file('mine-1.csv'), '--base'), 2, '--horizon, --preset, --base and --market exclude each other.'],
    ] as const;
    for (const [{ code, err }, expected, text] of refusals) {
      expect(err).to.include(text);
      expect(code, err).to.equal(expected);
    }
  });
});
