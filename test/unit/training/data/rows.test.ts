import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { bucketOf } from '../../../../src/model/NetworkSpec.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { buildRows } from '../../../../training/data/buildRows.ts';
import { instrumentName, type Instrument } from '../../../../training/data/Instrument.ts';
import { planTestRows, planTrainRows } from '../../../../training/data/planRows.ts';
import { isOpportunity } from '../../../../training/data/RowSet.ts';
import { thinToBars } from '../../../../training/data/thinToBars.ts';
import { labelOrigin } from '../../../../training/labels/labelOrigin.ts';

const instrument: Instrument = {
  name: 'made',
  group: 'made',
  series: syntheticTicks({ seed: 5, count: 9000 }),
  file: { name: 'made.csv', sha256: '', rows: 9000 },
};

describe('training rows', () => {
  it('are planned in every bucket, within the limit, on windows of 200 to 3000 ticks that end at the origin', () => {
    const planned = planTrainRows(instrument, 0, seededRandom(1), { maxPerBucket: 40 });
    const perBucket = [0, 1, 2, 3].map((bucket) => planned.filter((row) => !row.thinned && bucketOf(row.horizonS) === bucket).length);
    expect(Math.max(...perBucket)).to.equal(40);
    expect(Math.min(...perBucket)).to.be.above(0);
    expect(planned.some(({ thinned }) => thinned)).to.equal(true);
    for (const { from, origin, horizonS } of planned) {
      expect(origin + 1 - from).to.be.within(200, 3000);
      expect(horizonS).to.be.within(5, 2700);
    }
  });

  it('end their labels before a purge limit', () => {
    const toUs = instrument.series.timesUs[6000]!;
    const planned = planTrainRows(instrument, 0, seededRandom(1), { maxPerBucket: 40, toUs });
    expect(planned.length).to.be.above(10);
    for (const { series, origin, horizonS } of planned) expect(series.timesUs[origin]! + horizonS * 1e6).to.be.below(toUs);
  });

  it('of a test never have labels that overlap, and keep their number within the limit', () => {
    const planned = planTestRows(instrument, 0, 10, seededRandom(1));
    const originsS = planned.map(({ series, origin }) => Math.floor(series.timesUs[origin]! / 1000) / 1000);
    originsS.slice(1).forEach((originS, i) => expect(originS - originsS[i]!).to.be.at.least(11));
    expect(planTestRows(instrument, 0, 10, seededRandom(1), { maxCount: 25 })).to.have.length.within(20, 25);
  });

  it('carry the label of their origin, a threshold for each draw, and account for every window', () => {
    const planned = planTestRows(instrument, 0, 60, seededRandom(1));
    const { rows, counts } = buildRows(planned, 2, (draw) => (draw === 1 ? -20 : 0.5));
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).to.equal(planned.length);
    expect(counts.used).to.equal(rows.count).and.be.above(10);
    for (let row = 0; row < rows.count; row++) {
      const plan = planned.find(({ series, origin }) => Math.floor(series.timesUs[origin]! / 1000) * 1000 === rows.originUs[row])!;
      const label = labelOrigin(plan.series, plan.origin, rows.horizonS[row]!, 1800);
      expect(label.status === 'ok' && label.move).to.equal(rows.move[row]);
      const [standard, cheap, dear] = [0, 1, 2].map((draw) => rows.theta[row * 3 + draw]!) as [number, number, number];
      expect(standard).to.equal(rows.thetaDefault[row]);
      // The cheapest threshold is the cost, however low the draw.
      expect(cheap).to.be.within(1e-9, standard);
      expect(dear / standard).to.be.closeTo(Math.exp(0.5), 1e-9);
      expect(isOpportunity(rows, row, 2)).to.be.at.most(isOpportunity(rows, row, 0));
      expect(isOpportunity(rows, row, 1)).to.equal(Math.abs(rows.move[row]!) > cheap ? 1 : 0);
    }
  });
});

describe('thinToBars', () => {
  it('keeps the last tick of each bar that has one, with its own stamp', () => {
    const seconds = [0, 0.4, 4.9, 5, 9.9, 21];
    const series = { timesUs: Float64Array.from(seconds, (s) => s * 1e6), prices: Float64Array.from(seconds, (_, i) => i + 1) };
    expect([...thinToBars(series, 5).prices]).to.deep.equal([3, 5, 6]);
    expect([...thinToBars(series, 5).timesUs]).to.deep.equal([4.9e6, 9.9e6, 21e6]);
  });
});

describe('instrumentName', () => {
  it('is the file name without folder and endings', () => {
    expect(['/a/b/eurusd.csv.gz', 'gold.CSV', 'x.y.txt', 'plain'].map(instrumentName)).to.deep.equal(['eurusd', 'gold', 'x.y', 'plain']);
  });
});
