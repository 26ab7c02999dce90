import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { spawnTickmark } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

describe('tickmark demo', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(() => void (folder = temporaryFolder()));
  const demo = (...args: string[]) => spawnTickmark(['demo', ...args], { TMPDIR: folder, DATA_DIR: path.join(folder, 'data') });

  it('goes from a generated file to a score next to the baseline, says what that is worth, and leaves nothing behind', async () => {
    const { code, stdout, stderr } = await demo().ended;
    expect(code, stderr).to.equal(0);
    expect(stdout.match(/The ticks are generated: no figure here says anything about a market\./g)).to.have.length(2);
    for (const part of ['Good: nothing to do.', 'POST /signup', 'POST /auth/ti-tick', 'Base rate', 'Brier', 'volatility baseline'])
      expect(stdout).to.include(part);
    expect(stdout).to.not.match(/tkm_live_\w{10}/);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('gives all of it as one JSON value', async () => {
    const { code, stdout, stderr } = await demo('--json').ended;
    expect(code, stderr).to.equal(0);
    const told = JSON.parse(stdout) as {
      generated: boolean;
      seconds: number;
      doctor: object;
      forecast: object;
      replay: { record: object };
    };
    expect(told).to.include({ generated: true });
    expect(told.doctor).to.include({ verdict: 'good', ticks: 20_000 });
    expect(told.forecast).to.have.property('trend_identified');
    expect(told.replay.record).to.have.property('skill');
    expect(told.seconds).to.be.a('number');
  });

  it('cleans up when it is stopped', async () => {
    const { child, ended, stdout } = demo();
    await new Promise<void>((resolve) => child.stdout?.on('data', () => stdout().includes('1. Look') && resolve()));
    child.kill('SIGINT');
    expect((await ended).code).to.equal(130);
    expect(readdirSync(folder)).to.deep.equal([]);
  });
});
