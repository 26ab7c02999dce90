import { expect } from 'chai';
import { concludeRecord, type RecordRow, groupRecord, weekOf, weeksAgo, writeRecordCsv } from '../../../src/console/record/groupRecord.ts';
import { coverageShare } from '../../../src/engine/scoring/coverage.ts';
import { overlapInterval, wilsonInterval } from '../../../src/engine/scoring/wilsonInterval.ts';
import { coverageOf, recordBins, uncountedText } from '../../../src/console/record/recordBins.ts';
import {
  conclusionText,
  intervalTexts,
  marksText,
  horizonSentences,
  recordSentences,
  scaleOf,
} from '../../../src/console/record/describeComparison.ts';
import { EMPTY_TALLY, type Tally } from '../../../src/engine/live/score.ts';
import { summarizeRecord } from '../../../src/service/live/summarizeRecord.ts';
import { BUCKET_NAMES } from '../../../src/engine/features/horizonBuckets.ts';

const ROW: RecordRow = {
  ...{ day: '2026-11-24', series: 'eurusd', model: 'base', bucket: 'h3m', own_threshold: false },
  ...{ forecasts: 1200, outcomes: 1190, unscored: 10, marks: 100, hits: 41, moved: 240 },
  ...{ brier_sum: 178.5, baseline_brier_sum: 184.45, squared_difference_sum: 0.42, mark_overlap_sum: 400 },
  base_rate_sums: { outcomes: 1190, brier_sum: 191.59, forecast_brier_sum: 178.5, squared_difference_sum: 0.8 },
  bins: [],
  coverage: [],
};

const tallyOf = (row: RecordRow): Tally => ({
  ...EMPTY_TALLY,
  ...{ forecasts: row.forecasts, outcomes: row.outcomes, unscored: row.unscored, marks: row.marks, hits: row.hits, moved: row.moved },
  ...{ brierSum: row.brier_sum, baselineBrierSum: row.baseline_brier_sum, squaredDifferenceSum: row.squared_difference_sum },
  ...(row.base_rate_sums && {
    baseRateSums: {
      ...{ outcomes: row.base_rate_sums.outcomes, brierSum: row.base_rate_sums.brier_sum },
      ...{ forecastBrierSum: row.base_rate_sums.forecast_brier_sum, squaredDifferenceSum: row.base_rate_sums.squared_difference_sum },
    },
  }),
});

describe('the track record in the console', () => {
  it('adds the bins of all rows up, and says which outcomes are in none', () => {
    const bin = (from: number, outcomes: number, moved: number, probability: number): RecordRow['bins'][number] => ({
      ...{ from, outcomes, moved, probability_sum: probability },
    });
    const rows = [
      { ...ROW, outcomes: 30, bins: [bin(0.3, 10, 4, 3.5)] },
      { ...ROW, outcomes: 31, bins: [bin(0.1, 20, 2, 3), bin(0.3, 30, 8, 10.5)] },
    ];
    const bins = recordBins(rows);
    expect(bins).to.deep.equal([
      { from: 0.1, mean: 0.15, share: 0.1, moved: 2, outcomes: 20 },
      { from: 0.3, mean: 0.35, share: 0.3, moved: 12, outcomes: 40 },
    ]);
    expect(uncountedText(rows, bins)).to.equal('1 outcome counted by an earlier release is not in it.');
    expect(uncountedText([{ ...ROW, outcomes: 60 }], bins)).to.equal('');
    expect(recordBins([ROW])).to.deep.equal([]);
  });

  it('adds ranges up by level, with an interval that counts overlapping horizons once', () => {
    const at = (level: number, outcomes: number, covered: number, overlap: number): RecordRow['coverage'][number] => ({
      ...{ level, outcomes, covered },
      overlap_sum: outcomes * overlap,
    });
    const rows = [
      { ...ROW, coverage: [at(0.9, 300, 270, 1)] },
      { ...ROW, coverage: [at(0.5, 100, 40, 10), at(0.9, 100, 90, 1)] },
    ];
    const coverage = coverageOf(rows);
    expect(coverage).to.deep.equal([
      { level: 0.5, outcomes: 100, covered: 40, overlapSum: 1000 },
      { level: 0.9, outcomes: 400, covered: 360, overlapSum: 400 },
    ]);
    const [half, most] = coverage.map(coverageShare);
    expect(most!.share).to.equal(0.9);
    expect(most!.interval).to.deep.equal(wilsonInterval(360, 400, 2.5758));
    expect(half!.interval).to.deep.equal(wilsonInterval(4, 10, 2.5758));
    expect(coverageOf([ROW])).to.deep.equal([]);
  });

  it('concludes as the service does', () => {
    const few = { ...ROW, outcomes: 60, moved: 20, marks: 0, hits: 0 };
    const none = { ...ROW, outcomes: 0, moved: 0, marks: 0, hits: 0, brier_sum: 0, baseline_brier_sum: 0, squared_difference_sum: 0 };
    const worse = { ...ROW, brier_sum: 190 };
    const wide = { ...ROW, squared_difference_sum: 40 };
    const older = { ...ROW, base_rate_sums: null };
    for (const rows of [[ROW], [ROW, few], [few], [none], [worse], [wide], [older], [older, ROW], []]) {
      const expected = summarizeRecord(rows.map(tallyOf));
      const { brier, rival, against, conclusion, outcomes, marks, hits, moved } = concludeRecord(rows);
      expect({ brier, rival, against, conclusion, outcomes, marks, hits, moved }).to.deep.equal({
        ...{ brier: expected.brier, rival: expected.rival, against: expected.against, conclusion: expected.conclusion },
        ...{ outcomes: expected.outcomes, marks: expected.marks, hits: expected.hits, moved: expected.moved },
      });
    }
  });

  it('says in words what the interval allows, and no more', () => {
    expect(recordSentences(concludeRecord([ROW])).join(' ')).to.equal(
      '1,200 forecasts, 1,190 of them with a known outcome. 41 of 100 marks came true (41 %); 20 % of all outcomes moved over the threshold. ' +
        'The probabilities were better than the recalibrated volatility baseline: Brier score lower by +0.0050 (99 % interval +0.0036 to +0.0064).',
    );
    expect(recordSentences(concludeRecord([{ ...ROW, brier_sum: 190 }])).join(' ')).to.include(
      'worse than the recalibrated volatility baseline',
    );
    expect(recordSentences(concludeRecord([{ ...ROW, squared_difference_sum: 40 }])).join(' ')).to.include('cannot be told apart');
    expect(recordSentences(concludeRecord([{ ...ROW, outcomes: 0, base_rate_sums: null }]))).to.deep.equal([
      '1,200 forecasts, 0 of them with a known outcome.',
    ]);
    expect(recordSentences(concludeRecord([]))).to.deep.equal([]);
  });

  it('says it of each horizon for itself where there are several, and writes each row as CSV with its intervals', () => {
    const groups = groupRecord([ROW, { ...ROW, bucket: 'h30s', marks: 0, hits: 0 }], 'bucket');
    expect(horizonSentences(groups)).to.deep.equal([
      'Better than the recalibrated volatility baseline: up to 30 s; over 30 s, up to 3 min.',
    ]);
    expect(horizonSentences(groups.slice(1))).to.have.length(3);
    const [head, first, second, end] = writeRecordCsv(groups).split('\n');
    expect(head).to.match(/^group,forecasts,.*,hit_rate,hit_rate_low_90,hit_rate_high_90,base_rate,.*,conclusion$/);
    expect(first).to.match(/^up to 30 s,1200,1190,10,0,0,,,,0\.2016/);
    expect(second).to.match(
      /^"over 30 s, up to 3 min",1200,1190,10,100,41,0\.41,0\.26\d+,0\.57\d+,0\.2016\d+,0\.15,0\.155,.*,0\.161,.*,baseline,better$/,
    );
    expect(end).to.equal('');
  });

  it('adds rows up by horizon and week from Monday on, newest first', () => {
    expect(weekOf('2026-11-24')).to.equal('2026-11-23 to 11-29');
    expect(weekOf('2026-11-22')).to.equal('2026-11-16 to 11-22');
    expect(weekOf('2026-12-31')).to.equal('2026-12-28 to 01-03');
    const days = ['2026-11-22', '2026-11-23', '2026-11-29'].map((day) => ({ ...ROW, day }));
    expect(groupRecord(days, 'week').map(({ name, sum }) => [name, sum.forecasts])).to.deep.equal([
      ['over 30 s, up to 3 min: 2026-11-23 to 11-29', 2400],
      ['over 30 s, up to 3 min: 2026-11-16 to 11-22', 1200],
    ]);
  });

  it('adds rows up by series, version and horizon, horizons from the shortest on', () => {
    const rows = [...BUCKET_NAMES].reverse().map((bucket) => ({ ...ROW, bucket, series: bucket === 'h30s' ? 'btc' : 'eurusd' }));
    expect(groupRecord(rows, 'series').map(({ name }) => name)).to.deep.equal([
      'up to 30 s: btc',
      'over 30 s, up to 3 min: eurusd',
      'over 3 min, up to 15 min: eurusd',
      'over 15 min: eurusd',
    ]);
    expect(groupRecord(rows, 'model')).to.have.length(4);
    expect(groupRecord(rows, 'bucket').map(({ name }) => name)).to.deep.equal([
      'up to 30 s',
      'over 30 s, up to 3 min',
      'over 3 min, up to 15 min',
      'over 15 min',
    ]);
  });

  it('counts marks that overlap in time as fewer in the interval of the hit rate', () => {
    // 100 marks with 4 for each moment: 25 that do not overlap.
    expect(concludeRecord([ROW]).hitInterval).to.deep.equal(wilsonInterval(41 / 4, 25));
    expect(concludeRecord([ROW, ROW]).hitInterval).to.deep.equal(wilsonInterval(82 / 4, 50));
    expect(concludeRecord([{ ...ROW, marks: 0, hits: 0, mark_overlap_sum: 0 }]).hitInterval).to.equal(null);
    // Of an earlier release, nothing is known: each counts.
    expect(overlapInterval(41, 100, 0)).to.deep.equal(wilsonInterval(41, 100));
  });

  it('asks for whole weeks that end today', () => {
    expect(weeksAgo(1, Date.UTC(2026, 10, 24, 23))).to.equal('2026-11-18');
    expect(weeksAgo(4, Date.UTC(2026, 2, 1))).to.equal('2026-02-02');
  });

  it('scales intervals by the usual one', () => {
    expect([intervalTexts(concludeRecord([])), conclusionText(concludeRecord([]))]).to.deep.equal([[], 'no outcome yet']);
    expect(intervalTexts(concludeRecord([ROW]))[1]).to.equal('base rate: +0.0110 (99 % interval +0.0091 to +0.0129)');
    expect(marksText({ marks: 0, hits: 0, hitInterval: null })).to.equal('no mark');
    expect(marksText({ marks: 2, hits: 1, hitInterval: [0.12, 0.88] })).to.equal('1 of 2 marks: 12 % to 88 %');
    const of = (reach: number) =>
      ({
        ...({ brier: 0, rival: 'baseline', conclusion: 'too_few' } as const),
        against: { baseline: { brier: 0, difference: 0, interval: [-reach, reach] as const }, base_rate: null },
      }) as const;
    expect(scaleOf([of(0.01), of(0.02), of(10)])).to.equal(0.04);
    expect(scaleOf([])).to.equal(1);
  });
});
