import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import type { TrainReport } from '../../training/TrainOptions.ts';
import { TrainingFolder } from '../support/TrainingFolder.ts';
import { spawnTickmark } from '../support/tickmarkProcess.ts';

const TICKS = 24_000;

describe('tickmark train', function () {
  this.timeout(900_000);
  let rig: TrainingFolder;
  before(() => {
    rig = new TrainingFolder(TICKS);
  });

  it('turns a tick file into an evaluated version that answers, the same on any number of threads, and never replaces or promotes one without a request', async () => {
    const args = ['train', '--data', rig.file, '--horizon', '60s', '--name', 'mine-1', '--epochs', '1', '--max-rows', '1100', '--json'];
    const refused = await rig.run(...args);
    // Eight hours of one series: with less than 30 hours after the cut there is no result.
    expect(refused.code, refused.stderr).to.equal(3);
    const report = JSON.parse(refused.stdout) as TrainReport;
    expect(report).to.deep.include({ id: 'mine-1', mode: 'fine_tune', synthetic: false, folder: null, folds: ['later ticks'] });
    expect(report.verdict.tooLittle).to.equal(true);
    expect(report.verdict.headline).to.match(/^Too little data to tell whether mine-1 is better: kept base-/);
    expect(report.trainRows).to.be.above(1000);
    expect(report.table).to.include('| AUC, pooled |');
    expect(readFileSync(report.reportFile, 'utf8')).to.include('Too little data');
    expect(refused.stderr).to.include(`read ticks: ${TICKS.toLocaleString('en-US')} ticks\n`);
    expect(existsSync(path.join(rig.dataDir, 'models', 'mine-1'))).to.equal(false);

    const forced = await rig.run(...args, '--force', '--workers', '3');
    expect(forced.code, forced.stderr).to.equal(0);
    // In a separate folder, so that the rows are computed again, on one thread.
    const alone = { DATA_DIR: path.join(rig.folder, 'one-thread') };
    const again = await spawnTickmark([...args, '--force', '--workers', '1'], alone).ended;
    expect(again.code, again.stderr).to.equal(0);
    expect(rig.weightsOf('mine-1', alone.DATA_DIR)).to.equal(rig.weightsOf('mine-1'));
    const asked = await rig.run('predict', rig.file, '--horizon', '60s', '--model', 'mine-1', '--json');
    expect(asked.code, asked.stderr).to.equal(0);
    const answer = JSON.parse(asked.stdout) as {
      trend_identified: 1 | null;
      detail: { model: { id: string }; opportunity: { probability: number } };
    };
    expect(answer.trend_identified).to.be.oneOf([1, null]);
    expect(answer.detail.model.id).to.equal('mine-1');
    expect(answer.detail.opportunity.probability).to.be.within(0, 1);

    const card = await rig.run('models', 'show', 'mine-1');
    expect(card.stdout).to.match(
      /\*\*As served.*compared with the recalibrated volatility baseline[^]*\*\*As served.*the base rate so far[^]*\*\*Windows alone/,
    );
    expect(card.stdout).to.include('# mine-1\n').and.to.include('| ticks.csv |').and.to.include('**Did not pass the gate');
    const promoted = await rig.run('models', 'promote', 'mine-1');
    expect([promoted.code, promoted.stderr.includes('did not pass')]).to.deep.equal([1, true]);
    const taken = await rig.run(...args);
    expect([taken.code, taken.stderr.includes('Use another --name, or add --replace')]).to.deep.equal([2, true]);
  });

  it('reports before training what the data contain and what the training would cost', async () => {
    const dry = await rig.run('train', '--data', rig.file, '--horizon', '60s', '--dry-run');
    expect(dry.code, dry.stderr).to.equal(0);
    expect(dry.stdout).to.match(/ticks: 24,000 ticks, 2024-01-02T00:00:00\.\d{3}Z to .*median gap 0\.\d+ s, 8 % equal timestamps/);
    expect(dry.stdout).to.match(
      /\d+ training origins, \d+ test origins at most\.\nAbout \d+ MB of memory and .* on this machine\.\nDry run/,
    );
  });
});
