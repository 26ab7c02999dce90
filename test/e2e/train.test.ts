import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { formatTimestamp } from '../../src/ticks/formatTimestamp.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import type { TrainReport } from '../../training/TrainOptions.ts';
import { spawnTickmark } from '../support/tickmarkProcess.ts';

const TICKS = 24_000;

describe('tickmark train', function () {
  this.timeout(600_000);
  let folder: string;
  let file: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-train-'));
    file = path.join(folder, 'ticks.csv');
    const { timesUs, prices } = syntheticTicks({ seed: 3, count: TICKS, medianGapMs: 800 });
    const rows = [...prices].map((price, i) => `${formatTimestamp(timesUs[i] as number)},${price}`);
    writeFileSync(file, ['timestamp,price', ...rows, ''].join('\n'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('goes from a tick file to a version that answers, judged on later ticks, and never replaces one unasked', async () => {
    const env = { MODELS_DIR: path.join(folder, 'models'), MODEL: 'mine-1' };
    const args = ['train', '--data', file, '--name', 'mine-1', '--epochs', '1', '--max-rows', '900', '--json'];
    const made = await spawnTickmark(args, env).ended;
    expect(made.code, made.stderr).to.equal(0);
    const report = JSON.parse(made.stdout) as TrainReport;
    expect(report).to.deep.include({ id: 'mine-1', synthetic: false, folds: ['later ticks'] });
    expect(report.trainRows).to.be.above(1000);
    expect(report.table).to.include('| AUC, pooled |');
    expect(made.stderr).to.include(`read ticks: ${TICKS} ticks\n`);

    const asked = await spawnTickmark(['predict', file, '--horizon', '60s', '--json'], env).ended;
    expect(asked.code, asked.stderr).to.equal(0);
    const answer = JSON.parse(asked.stdout) as {
      trend_identified: 1 | null;
      detail: { model: { id: string }; opportunity: { probability: number } };
    };
    expect(answer.trend_identified).to.be.oneOf([1, null]);
    expect(answer.detail.model.id).to.equal('mine-1');
    expect(answer.detail.opportunity.probability).to.be.within(0, 1);

    const card = await spawnTickmark(['models', 'show', 'mine-1'], env).ended;
    expect(card.stdout).to.include('# mine-1\n').and.to.include('| ticks.csv |').and.to.include('--max-rows 900');

    const again = await spawnTickmark(args, env).ended;
    expect([again.code, again.stderr.includes('Give this one another --name, or pass --replace')]).to.deep.equal([2, true]);
  });

  it('refuses too few ticks with the numbers, before it trains', async () => {
    const short = path.join(folder, 'short.csv');
    writeFileSync(short, 'timestamp,price\n2024-01-02 09:32:00.478,101.25\n');
    const refused = await spawnTickmark(['train', '--data', short, '--out', path.join(folder, 'none')]).ended;
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(/The ticks give 0 training rows, .* at least 1000 are needed/);
  });
});
