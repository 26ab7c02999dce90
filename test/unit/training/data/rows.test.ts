import { expect } from 'chai';
import { CONTEXT_AT, CONTEXT_COLUMNS } from '../../../../src/engine/features/columns.ts';
import { bucketOf } from '../../../../src/engine/features/horizonBuckets.ts';
import { RecentInputs } from '../../../../src/engine/forecast/InputMonitor.ts';
import { checkInputStatistics } from '../../../../src/engine/model/inputsSchema.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { buildRows } from '../../../../training/data/buildRows.ts';
import { BASE_SCOPE, scopeOfHorizon } from '../../../../training/data/HorizonScope.ts';
import { instrumentName } from '../../../../training/data/groupSources.ts';
import { planTestRows, planTrainRows } from '../../../../training/data/planRows.ts';
import { joinPlans, type PlanBlock, type PlannedWindow, type RowPlan } from '../../../../training/data/RowPlan.ts';
import { isOpportunity } from '../../../../training/data/RowSet.ts';
import { sourceOfSeries } from '../../../../training/data/readSources.ts';
import { thinToBars } from '../../../../training/data/BarCloses.ts';
import { inputsText } from '../../../../training/evaluation/describeRun.ts';
import { labelOrigin } from '../../../../src/engine/features/labelOrigin.ts';

const series = syntheticTicks({ seed: 5, count: 9000 });
const sources = [sourceOfSeries('made', series, 'made.csv')];
const base = { scope: BASE_SCOPE, seed: 1, maxPerBucket: 40 };

type Window = { block: PlanBlock; from: number; origin: number; horizonS: number };
const windowsOf = ({ blocks }: RowPlan): Window[] => blocks.flatMap((block) => block.windows.map((window) => ({ block, ...window })));

/** Rows of the series as it is. */
const isOfTicks = ({ barS, augmentation }: PlanBlock): boolean => barS === 0 && augmentation === undefined;

describe('planned rows', () => {
  it('are in every bucket, within the limit, on windows of 200 to 3000 ticks that end at the origin', () => {
    const planned = windowsOf(planTrainRows(sources, base));
    const perBucket = [0, 1, 2, 3].map(
      (bucket) => planned.filter(({ block, horizonS }) => isOfTicks(block) && bucketOf(horizonS) === bucket).length,
    );
    expect(Math.max(...perBucket)).to.equal(40);
    expect(Math.min(...perBucket)).to.be.above(0);
    expect(planned.some(({ block }) => block.barS > 0)).to.equal(true);
    for (const { from, origin, horizonS } of planned) {
      expect(origin + 1 - from).to.be.within(200, 3000);
      expect(horizonS).to.be.within(5, 2700);
    }
  });

  it('are in the order of a joined plan, with ticks and closes of each source together', async () => {
    const both = [...sources, sourceOfSeries('other', syntheticTicks({ seed: 6, count: 9000 }), 'other.csv')];
    const plans = [0, 5].map((barS) => planTestRows(both, { scope: scopeOfHorizon(60), seed: 1, barS }));
    const joined = joinPlans(plans);
    expect(joined.count).to.equal(plans[0].count + plans[1].count);
    expect(joined.blocks.map(({ source, barS }) => [source, barS])).to.deep.equal([
      [0, 0],
      [0, 5],
      [1, 0],
      [1, 5],
    ]);
    const { rows } = await buildRows(both, joined, 1);
    const own = await Promise.all(plans.map(async (plan) => (await buildRows(both, plan, 1)).rows));
    expect(rows.count).to.equal(own[0].count + own[1].count);
    expect([...rows.move].sort()).to.deep.equal([...own[0].move, ...own[1].move].sort());
    expect(() => joinPlans([plans[0], planTrainRows(both, base)])).to.throw(RangeError);
  });

  it('stay in the bucket of a given horizon, with test rows at three horizons of it', () => {
    const scope = scopeOfHorizon(60);
    expect(scope).to.deep.equal({ heads: [1], rangeS: [30, 180], testedS: [40, 60, 150] });
    for (const { horizonS } of windowsOf(planTrainRows(sources, { ...base, scope }))) expect(bucketOf(horizonS)).to.equal(1);
    const tested = windowsOf(planTestRows(sources, { scope, seed: 1 })).map(({ horizonS }) => horizonS);
    expect([...new Set(tested)]).to.deep.equal([40, 60, 150]);
  });

  it('extend the last bucket to a horizon above the usual range', () => {
    expect(scopeOfHorizon(7200)).to.deep.equal({ heads: [3], rangeS: [900, 7200], testedS: [1200, 1800, 7200] });
  });

  it('have labels that end before a purge limit, and start no earlier than requested', () => {
    const [fromUs, toUs] = [series.timesUs[3000], series.timesUs[6000]];
    const planned = windowsOf(planTrainRows(sources, { ...base, fromUs, untilUs: () => toUs })).filter(({ block }) => isOfTicks(block));
    expect(planned.length).to.be.above(10);
    for (const { origin, horizonS } of planned) {
      expect(series.timesUs[origin]).to.be.at.least(fromUs);
      expect(series.timesUs[origin] + horizonS * 1e6).to.be.below(toUs);
    }
  });

  it('of a test never have overlapping labels, and stay within the limit', () => {
    const scope = { ...BASE_SCOPE, testedS: [10] };
    const planned = windowsOf(planTestRows(sources, { scope, seed: 1 }));
    const originsS = planned.map(({ origin }) => Math.floor(series.timesUs[origin] / 1000) / 1000);
    originsS.slice(1).forEach((originS, i) => expect(originS - originsS[i]).to.be.at.least(11));
    expect(windowsOf(planTestRows(sources, { scope, seed: 1, maxCount: 25 }))).to.have.length.within(20, 25);
  });

  it('are the same if the ticks are read in several segments, except for windows at the start of a segment', () => {
    const inParts = {
      ...sources[0],
      segments: () => [
        { series: sources[0].segments()[Symbol.iterator]().next().value!.series, from: 0, to: 4500 },
        { series: sources[0].segments()[Symbol.iterator]().next().value!.series, from: 4500, to: 9000 },
      ],
    };
    const scope = { ...BASE_SCOPE, testedS: [60] };
    const whole = windowsOf(planTestRows(sources, { scope, seed: 1 })).map(({ origin }) => origin);
    const parts = windowsOf(planTestRows([inParts], { scope, seed: 1 })).map(({ origin }) => origin);
    expect(parts.filter((origin) => origin < 4500)).to.deep.equal(whole.filter((origin) => origin < 4500));
    expect(Math.abs(parts.length - whole.length)).to.be.at.most(2);
  });
});

describe('buildRows', () => {
  it('gives each origin its label and a threshold per draw, and counts every window', async () => {
    const plan = planTestRows(sources, { scope: { ...BASE_SCOPE, testedS: [60] }, seed: 1 });
    const { rows, counts } = await buildRows(sources, plan, 1);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).to.equal(plan.count);
    expect(counts.used).to.equal(rows.count).and.be.above(10);
    const planned = windowsOf(plan);
    for (let row = 0; row < rows.count; row++) {
      const { origin } = planned.find((window) => Math.floor(series.timesUs[window.origin] / 1000) * 1000 === rows.originUs[row])!;
      const label = labelOrigin(series, origin, rows.horizonS[row], 1800);
      expect(label.status === 'ok' && label.move).to.equal(rows.move[row]);
      const [standard, cheap, , , , dear] = Array.from({ length: rows.draws }, (_, draw) => rows.theta[row * rows.draws + draw]);
      expect(standard).to.equal(rows.thetaDefault[row]);
      expect(cheap).to.be.within(1e-9, standard!);
      expect(dear! / standard!).to.be.closeTo(Math.exp(1.7), 1e-9);
      expect(isOpportunity(rows, row, 5)).to.be.at.most(isOpportunity(rows, row, 0));
      expect(isOpportunity(rows, row, 1)).to.equal(Math.abs(rows.move[row]) > cheap! ? 1 : 0);
    }
  });

  it('never sets a threshold below the cost', async () => {
    const plan = planTestRows(sources, { scope: { ...BASE_SCOPE, testedS: [60] }, seed: 1 });
    const cheaper = ({ logThetaRatios, ...window }: PlannedWindow) => ({ ...window, logThetaRatios: logThetaRatios.map(() => -20) });
    const cheap = { ...plan, blocks: plan.blocks.map((block) => ({ ...block, windows: block.windows.map(cheaper) })) };
    const { rows } = await buildRows(sources, cheap, 1);
    for (let row = 0; row < rows.count; row++) expect(rows.theta[row * 3 + 1]).to.be.within(1e-9, rows.thetaDefault[row]);
  });
});

describe('thinToBars', () => {
  it('keeps the last tick of each bar, with its own timestamp', () => {
    const seconds = [0, 0.4, 4.9, 5, 9.9, 21];
    const ticks = { timesUs: Float64Array.from(seconds, (s) => s * 1e6), prices: Float64Array.from(seconds, (_, i) => i + 1) };
    expect([...thinToBars(ticks, 5).prices]).to.deep.equal([3, 5, 6]);
    expect([...thinToBars(ticks, 5).timesUs]).to.deep.equal([4.9e6, 9.9e6, 21e6]);
  });
});

describe('instrumentName', () => {
  it('is the file name without folder and extensions', () => {
    expect(
      ['/a/b/eurusd.csv.gz', 'gold.CSV', 'x.y.txt', 'plain', 'oil.parquet', 'p.zip', 'q.ndjson.gz', 'r.gz'].map(instrumentName),
    ).to.deep.equal([...['eurusd', 'gold', 'x.y', 'plain', 'oil', 'p', 'q', 'r']]);
  });
});

describe('the statistics of training rows', () => {
  it('form the inputs.json of a version: every row is in one bin of each column, at the default threshold', async () => {
    const { rows } = await buildRows(sources, planTrainRows(sources, base), 1);
    const text = inputsText(rows);
    const refuse = (why: string): never => expect.fail(why);
    const inputs = checkInputStatistics(JSON.parse(text), refuse);
    expect([inputs.rows, text.split('\n').length]).to.deep.equal([rows.count, CONTEXT_COLUMNS + 3]);
    // Draw 0 is the default threshold: the one at which this column is 0.
    expect(inputs.columns[CONTEXT_AT.theta_to_default].shares).to.deep.equal([0, 1, 0]);
    const { edges, shares } = inputs.columns[CONTEXT_AT.log_sigma];
    expect([edges.length, shares.length]).to.deep.equal([9, 10]);
    for (const share of shares) expect(share).to.be.closeTo(0.1, 0.03);
    const recent = new RecentInputs(inputs, rows.count);
    for (let row = 0; row < rows.count; row++) {
      const at = row * rows.draws * CONTEXT_COLUMNS;
      recent.add(rows.context.subarray(at, at + CONTEXT_COLUMNS));
    }
    for (const { name, psi } of recent.drift()) expect(psi, name).to.be.below(1e-6);
  });
});
