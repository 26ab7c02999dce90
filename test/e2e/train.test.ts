import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import type { TrainReport } from '../../training/TrainOptions.ts';
import { spawnTickmark, type Ended } from '../support/tickmarkProcess.ts';

const TICKS = 24_000;

describe('tickmark train', function () {
  this.timeout(900_000);
  let folder: string;
  let file: string;
  let env: { DATA_DIR: string; MODEL?: string };
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-train-'));
    file = path.join(folder, 'ticks.csv');
    env = { DATA_DIR: path.join(folder, 'data') };
    const { timesUs, prices } = syntheticTicks({ seed: 3, count: TICKS, medianGapMs: 800 });
    const rows = [...prices].map((price, i) => `${formatTimestamp(timesUs[i] as number)},${price}`);
    writeFileSync(file, ['timestamp,price', ...rows, ''].join('\n'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const run = (...args: string[]): Promise<Ended> => spawnTickmark(args, env).ended;
  const weightsOf = (name: string, { DATA_DIR } = env): string =>
    createHash('sha256')
      .update(readFileSync(path.join(DATA_DIR, 'models', name, 'weights.bin')))
      .digest('hex');

  it('turns a tick file into an evaluated version that answers, the same on any number of threads, and never replaces or promotes one without a request', async () => {
    const args = ['train', '--data', file, '--horizon', '60s', '--name', 'mine-1', '--epochs', '4', '--json'];
    const refused = await run(...args);
    // Eight hours of one series: with less than 30 hours after the cut there is no result.
    expect(refused.code, refused.stderr).to.equal(3);
    const report = JSON.parse(refused.stdout) as TrainReport;
    expect(report).to.deep.include({ id: 'mine-1', mode: 'fine_tune', synthetic: false, folder: null, folds: ['later ticks'] });
    expect(report.verdict!.tooLittle).to.equal(true);
    expect(report.verdict!.headline).to.match(/^Too little data to tell whether mine-1 is better: kept base-/);
    expect(report.trainRows).to.be.above(1000);
    expect(report.table).to.include('| AUC, pooled |');
    expect(readFileSync(report.reportFile!, 'utf8')).to.include('Too little data');
    expect(refused.stderr).to.include(`read ticks: ${TICKS.toLocaleString('en-US')} ticks\n`);
    expect(existsSync(path.join(env.DATA_DIR, 'models', 'mine-1'))).to.equal(false);

    const forced = await run(...args, '--force', '--workers', '3');
    expect(forced.code, forced.stderr).to.equal(0);
    // In a separate folder, so that the rows are computed again, on one thread.
    const alone = { DATA_DIR: path.join(folder, 'one-thread') };
    const again = await spawnTickmark([...args, '--force', '--workers', '1'], alone).ended;
    expect(again.code, again.stderr).to.equal(0);
    expect(weightsOf('mine-1', alone)).to.equal(weightsOf('mine-1'));
    const asked = await run('predict', file, '--horizon', '60s', '--model', 'mine-1', '--json');
    expect(asked.code, asked.stderr).to.equal(0);
    const answer = JSON.parse(asked.stdout) as {
      trend_identified: 1 | null;
      detail: { model: { id: string }; opportunity: { probability: number } };
    };
    expect(answer.trend_identified).to.be.oneOf([1, null]);
    expect(answer.detail.model.id).to.equal('mine-1');
    expect(answer.detail.opportunity.probability).to.be.within(0, 1);

    const card = await run('models', 'show', 'mine-1');
    expect(card.stdout).to.include('# mine-1\n').and.to.include('| ticks.csv |').and.to.include('**Did not pass the gate');
    const promoted = await run('models', 'promote', 'mine-1');
    expect([promoted.code, promoted.stderr.includes('did not pass')]).to.deep.equal([1, true]);
    const taken = await run(...args);
    expect([taken.code, taken.stderr.includes('Use another --name, or add --replace')]).to.deep.equal([2, true]);
  });

  it('produces the same weights if it is killed or stopped in between and resumed', async () => {
    const args = ['train', '--base', '--data', file, '--epochs', '1', '--max-rows', '300', '--workers', '1', '--force', '--device', 'wasm'];
    const whole = await run(...args, '--name', 'whole');
    expect(whole.code, whole.stderr).to.equal(0);

    const inputsFile = path.join(env.DATA_DIR, 'models', 'whole', 'inputs.json');
    const inputs = readFileSync(inputsFile, 'utf8');
    expect((JSON.parse(inputs) as { rows: number }).rows).to.be.above(500);
    const none = await run(...args, '--name', 'none', '--add-inputs');
    expect([none.code, none.stderr.includes('There is no version none')]).to.deep.equal([2, true]);
    const adding = (...more: string[]): Promise<Ended> => run(...args, '--name', 'whole', '--add-inputs', ...more);
    const had = await adding();
    expect([had.code, had.stderr.includes('already has inputs.json')]).to.deep.equal([2, true]);
    const made = await adding('--replace');
    expect([made.code, readFileSync(inputsFile, 'utf8')], made.stderr).to.deep.equal([0, inputs]);
    const others = await adding('--replace', '--seed', '2');
    expect([others.code, others.stderr.includes('was not trained on these ticks with these options')]).to.deep.equal([2, true]);

    for (const [name, signal] of [
      ['killed', 'SIGKILL'],
      ['stopped', 'SIGINT'],
    ] as const) {
      const runDir = path.join(env.DATA_DIR, 'training', 'runs', name);
      mkdirSync(runDir, { recursive: true });
      const broken = spawnTickmark([...args, '--name', name], env);
      const watcher = watch(runDir, () => {
        if (!readdirSync(runDir).some((entry) => entry.endsWith('.result'))) return;
        watcher.close();
        broken.child.kill(signal);
      });
      const ended = await broken.ended;
      expect(ended.signal === 'SIGKILL' || ended.code === 1, `${name}: ${ended.stderr}`).to.equal(true);
      if (signal === 'SIGINT') expect(ended.stderr).to.include('--resume');
      expect(existsSync(path.join(env.DATA_DIR, 'models', name))).to.equal(false);
      const resumed = await run(...args, '--name', name, '--resume');
      expect(resumed.code, resumed.stderr).to.equal(0);
      expect(weightsOf(name)).to.equal(weightsOf('whole'));
    }
    const other = await run(...args, '--name', 'killed', '--resume', '--epochs', '3', '--replace');
    expect([other.code, /was started with different data, settings or code/.test(other.stderr)]).to.deep.equal([2, true]);
  });

  it('reports before training what the data contain and what the training would cost', async () => {
    const dry = await run('train', '--data', file, '--horizon', '60s', '--dry-run');
    expect(dry.code, dry.stderr).to.equal(0);
    expect(dry.stdout).to.match(/ticks: 24,000 ticks, 2024-01-02T00:00:00\.\d{3}Z to .*median gap 0\.\d+ s, 8 % equal timestamps/);
    expect(dry.stdout).to.match(
      /\d+ training origins, \d+ test origins at most\.\nAbout \d+ MB of memory and .* on this machine\.\nDry run/,
    );
  });
});
