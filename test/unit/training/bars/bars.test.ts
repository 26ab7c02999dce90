import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { barLogit } from '../../../../src/engine/model/BarModel.ts';
import { loadModelFolder } from '../../../../src/engine/model/loadModelFolder.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { addBars } from '../../../../training/addBars.ts';
import { addSection } from '../../../../training/addSection.ts';
import { type BarsRun, leftOutBars } from '../../../../training/bars/leftOutBars.ts';
import { makeBars } from '../../../../training/bars/makeBars.ts';
import { VersionFolders } from '../../../support/versionFolders.ts';
import { writeTicks } from '../../../support/writeTicks.ts';

/** 19 hours of ticks, one in five seconds, whose moves grow and shrink with the hour. */
function ticksOf(seed: number): TickSeries {
  const random = seededRandom(seed);
  const count = 13_500;
  const timesUs = Float64Array.from({ length: count }, (_, i) => (Date.UTC(2026, 0, 5) + 5000 * i) * 1000);
  let log = 0;
  const prices = timesUs.map((us) => {
    log += 1e-4 * (1.5 + Math.sin(us / 1e6 / 600)) * random.normal();
    return Number((100 * Math.exp(log)).toFixed(4));
  });
  return { timesUs, prices };
}

describe('the training of bar models', () => {
  const folders = new VersionFolders();
  let run: BarsRun;

  before(async () => {
    await folders.open();
    const plan = [1, 2].map((seed) => {
      const file = path.join(folders.root, `${seed}.csv`);
      writeTicks(file, ticksOf(seed));
      return { name: `series ${seed}`, group: String(seed), files: [file] };
    });
    run = await leftOutBars(plan);
  });

  it('makes bars that end where the next one begins, without those that have no tick', () => {
    const at = (seconds: number): number => (Date.UTC(2026, 0, 5) / 1000 + seconds) * 1e6;
    const made = makeBars(
      { timesUs: Float64Array.of(at(0), at(3), at(9.999), at(10), at(31)), prices: Float64Array.of(5, 7, 4, 6, 8) },
      10_000,
    );
    expect([...made.series.timesUs]).to.deep.equal([at(10), at(20), at(40)]);
    expect([...made.series.prices]).to.deep.equal([4, 6, 8]);
    expect(Object.values(made.ranges).map((values) => [...values])).to.deep.equal([
      [5, 6, 8],
      [7, 6, 8],
      [4, 6, 8],
    ]);
  });

  it('answers each series by a model of the other groups, better than by chance', () => {
    expect(run.leftOut.map(({ name }) => name)).to.deep.equal(['series 1', 'series 2']);
    for (const { answers } of run.leftOut) {
      const minutes = answers.filter(({ periodMs, horizonMs }) => periodMs === 10_000 && horizonMs === 60_000);
      expect(minutes.length).to.be.above(800);
      const rate = minutes.reduce((sum, { y }) => sum + y, 0) / minutes.length;
      const brier = (of: (answer: (typeof minutes)[number]) => number): number =>
        minutes.reduce((sum, answer) => sum + (of(answer) - answer.y) ** 2, 0);
      expect(brier(({ window }) => window)).to.be.below(0.97 * brier(() => rate));
    }
  });

  it('marks at most a fifth of the windows of a series, alone and with its memory', () => {
    const cut = run.model.heads.filter((head) => head.cut !== null);
    expect(cut).to.have.length.greaterThan(2);
    for (const { periodS, horizonS, cut: least } of cut)
      for (const { answers } of run.leftOut) {
        const own = answers.filter(({ periodMs, horizonMs }) => periodMs === periodS * 1000 && horizonMs === horizonS * 1000);
        if (own.length < 100) continue;
        for (const sight of ['window', 'history'] as const)
          expect(own.filter((answer) => answer[sight] >= least!).length).to.be.at.most(own.length / 5);
      }
  });

  it('gives heads whose log-odds fall with the threshold, and that a version keeps', async () => {
    const measures = { logMoves: [-7, -7, -7], ranges: [0, 0], level: 0.2 } as const;
    for (const head of run.model.heads)
      for (const logistic of [head.baseline, head.window.closes, head.history.ranges]) {
        const logits = [1e-5, 1e-4, 1e-3, 1e-2].map((theta) => barLogit(logistic, run.model.knots, measures, theta));
        expect(logits).to.deep.equal(logits.toSorted((a, b) => b - a));
      }
    const folder = folders.add(folders.modelsDir, 'a');
    await addBars(folder, run);
    await addBars(folder, run);
    await addSection(folder, '## Another section\n\nIts text.');
    const { bars, card } = loadModelFolder(folder);
    expect(bars).to.deep.equal(run.model);
    expect(card.match(/## Forecasts from bars/g)).to.have.length(1);
    expect(card).to.contain('| 10s/1m |');
    expect(JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'))).to.have.property('id', 'a');
  });
});
