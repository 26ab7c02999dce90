import { expect } from 'chai';
import { calibrationOf, scoredWindows, rankWindows, rateOverTime, readCurve, thresholdCurve } from '../../../src/console/replay/curves.ts';
import { type ReplayedWindow, type Uncounted, writeReplayCsv } from '../../../src/console/replay/ReplayedWindow.ts';
import { compareVersions, replayRecord } from '../../../src/console/replay/replayRecord.ts';
import { trackRecord } from '../../../training/replay/trackRecord.ts';
import type { ReplayedWindow as CommandWindow } from '../../../src/engine/forecast/replayTicks.ts';
import { WindowLog } from '../../../src/console/replay/WindowLog.ts';

const MINUTE_US = 60_000_000;

/** 4000 windows over 67 hours, calibrated by construction: window i moves where a fixed pattern is below its probability. */
const windows: readonly ReplayedWindow[] = Array.from({ length: 4000 }, (_, i) => {
  const probability = 0.05 + 0.9 * ((i * 0.618034) % 1);
  const moved = (i * 0.754878) % 1 < probability;
  const why: Uncounted | undefined = i % 97 === 0 ? 'market_paused' : i === 3999 ? 'file_ends' : undefined;
  return {
    ...{ origin: i * 10, timeUs: i * MINUTE_US, isMarked: probability >= 0.7, reasons: probability >= 0.7 ? [] : ['below_threshold'] },
    ...{
      probability,
      baselineProbability: 0.5,
      decision: 0.7,
      minMoveBps: 2,
      moveBps: moved ? 3 : 1,
      isSeen: false,
      outcome: why ?? moved,
    },
  };
});

const asCommand = ({ outcome, isMarked, ...rest }: ReplayedWindow): CommandWindow => ({
  ...rest,
  price: 1,
  mark: isMarked ? 1 : null,
  outcome: typeof outcome === 'boolean' ? (outcome ? 1 : 0) : outcome === 'file_ends' ? 'data_ends' : 'session_gap',
});

describe('the record of a replay', () => {
  it('has the figures of the command, interval included', () => {
    const here = replayRecord(windows, MINUTE_US / 1000);
    const there = trackRecord(windows.map(asCommand), MINUTE_US, () => false);
    expect([here.windows, here.counted]).to.deep.equal([there.windows, there.counted]);
    for (const name of ['marked', 'hits', 'baseRate'] as const) expect(here[name]).to.deep.equal(there[name]);
    expect(here.skill).to.deep.equal(there.skill);
    expect(here.skill?.base_rate.skillInterval95?.[0]).to.be.above(0);
    expect(here.left).to.deep.equal({ market_paused: 42, file_ends: 1 });
    expect(here.decision).to.equal(0.7);
    expect(here.nulls).to.deep.equal([['below_threshold', here.counted - here.marked.count]]);
  });

  it('is one of nothing without a known outcome', () => {
    const none = replayRecord(windows.slice(-1), 1);
    expect(none).to.include({ windows: 1, counted: 0, skill: null, decision: null });
    expect(none.hits.share).to.be.NaN;
  });

  it('compares two versions on the windows that both answered', () => {
    const worse = windows.slice(100).map((window) => ({ ...window, probability: 0.5 }));
    const compared = compareVersions(windows, worse);
    expect(compared?.windows).to.equal(scoredWindows(windows.slice(100)).length);
    expect(compared?.skillInterval95?.[0]).to.be.above(0);
    expect(compareVersions(windows, [])).to.equal(null);
  });
});

describe('the plots of a replay', () => {
  it('show every counted window in exactly one part of the time', () => {
    const parts = rateOverTime(windows);
    const counted = replayRecord(windows, 1).counted;
    expect(parts).to.have.length(16);
    expect(parts.reduce((sum, { baseRate }) => sum + baseRate.of, 0)).to.equal(counted);
    for (const [i, { fromUs, toUs }] of parts.entries())
      expect([fromUs <= toUs, i === 0 || fromUs > parts[i - 1].toUs]).to.deep.equal([true, true]);
    expect(rateOverTime(windows.slice(1, 30))).to.deep.equal([]);
  });

  it('give precision and coverage of each decision threshold', () => {
    const scored = scoredWindows(windows);
    const curve = thresholdCurve(rankWindows(scored));
    expect(curve.length).to.be.within(60, 130);
    for (const { threshold, precision, coverage } of curve) {
      const above = scored.filter(({ probability }) => probability >= threshold);
      expect(precision.of).to.equal(above.length);
      expect(precision.count).to.equal(above.filter(({ moved }) => moved).length);
      expect(coverage).to.equal(above.length / scored.length);
    }
    expect(curve[0].coverage).to.equal(1);
    expect(thresholdCurve(rankWindows(scored.slice(0, 5)))).to.deep.equal([]);
  });

  it('are read at exactly the threshold that is asked about, where few windows are too', () => {
    const scored = scoredWindows(windows);
    const ranked = rankWindows(scored);
    const thresholds = [0, 1, ...scored.flatMap(({ probability }) => [probability, probability - 1e-9, probability + 1e-9])];
    for (const threshold of thresholds) {
      const above = scored.filter(({ probability }) => probability >= threshold);
      const { precision, coverage } = readCurve(ranked, threshold);
      expect([precision.of, precision.count]).to.deep.equal([above.length, above.filter(({ moved }) => moved).length]);
      expect(coverage).to.equal(above.length / scored.length);
    }
  });

  it('mark equal probabilities together', () => {
    const equal = scoredWindows(windows).map((one) => ({ ...one, probability: 0.3 }));
    expect(thresholdCurve(rankWindows(equal))).to.have.length(1);
    expect(calibrationOf(equal)).to.have.length(1);
  });

  it('show the observed fraction of each tenth, with its count', () => {
    const scored = scoredWindows(windows);
    const bins = calibrationOf(scored);
    expect(bins).to.have.length(10);
    expect(bins.reduce((sum, { observed }) => sum + observed.of, 0)).to.equal(scored.length);
    for (const { mean, observed } of bins) expect(mean).to.be.closeTo(observed.share, 0.06);
    expect(calibrationOf([])).to.deep.equal([]);
  });
});

describe('writeReplayCsv', () => {
  it('writes a line for each window, with empty fields for what is unknown', () => {
    const mark: ReplayedWindow = {
      ...{ origin: 1, timeUs: Date.UTC(2024, 0, 2) * 1000, isMarked: true, reasons: [], probability: 0.5, baselineProbability: 0.25 },
      ...{ decision: 0.4, minMoveBps: 2, moveBps: -3, isSeen: false, outcome: true },
    };
    const none: ReplayedWindow = { ...mark, origin: 0, isMarked: false, reasons: ['a', 'b'], outcome: false, moveBps: 1 };
    const unknown: ReplayedWindow = { ...none, probability: null, baselineProbability: null, moveBps: null, outcome: 'market_paused' };
    expect(writeReplayCsv([mark, none, unknown], [1.5, 1.25]).split('\n')).to.deep.equal([
      'timestamp,price,trend_identified,probability,baseline_probability,min_move_bps,move_bps,outcome,reasons',
      '2024-01-02 00:00:00.000,1.25,1,0.5,0.25,2,-3,1,',
      '2024-01-02 00:00:00.000,1.5,,0.5,0.25,2,1,0,a b',
      '2024-01-02 00:00:00.000,1.5,,,,2,,market_paused,a b',
      '',
    ]);
  });
});

const windowAt = (seconds: number, outcome: ReplayedWindow['outcome'] = true): ReplayedWindow => ({
  ...{ origin: 0, timeUs: seconds * 1e6, isMarked: true, reasons: [], probability: 0.5, baselineProbability: 0.25, decision: 0.4 },
  ...{ minMoveBps: 2, moveBps: 3, isSeen: false, outcome },
});

describe('WindowLog', () => {
  it('counts no stretch of time twice, the same window once, and only known outcomes, in the order of time', () => {
    const log = new WindowLog();
    for (const window of [windowAt(11), windowAt(0), windowAt(10.9), windowAt(0), windowAt(22, 'trained_on')]) log.add('q', 10_000, window);
    expect(log.windows.map(({ timeUs }) => timeUs / 1e6)).to.deep.equal([0, 11]);
  });

  it('starts again with another question', () => {
    const log = new WindowLog();
    log.add('q', 10_000, windowAt(0));
    log.turnTo('other');
    expect(log.windows).to.have.length(0);
  });
});
