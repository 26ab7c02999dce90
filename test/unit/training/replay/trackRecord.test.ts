import { expect } from 'chai';
import { trackRecord } from '../../../../training/replay/trackRecord.ts';
import type { ReplayedWindow } from '../../../../src/engine/forecast/replayTicks.ts';

const HOUR_US = 3600e6;
const window = (over: Partial<ReplayedWindow> = {}): ReplayedWindow => ({
  ...{ timeUs: 0, price: 1, mark: null, reasons: ['below_threshold'], probability: 0.2, baselineProbability: 0.5 },
  ...{ minMoveBps: 1, moveBps: 0, outcome: 0, isSeen: false },
  ...over,
});
const hit = window({ mark: 1, reasons: [], probability: 0.8, outcome: 1 });
const none = (): boolean => false;

describe('trackRecord', () => {
  it('counts marks, hits and the base rate over windows with a known outcome', () => {
    const windows = [
      hit,
      hit,
      window({ mark: 1, reasons: [], probability: 0.7 }),
      ...Array.from({ length: 6 }, () => window()),
      window({ outcome: 1 }),
    ];
    const { counted, marked, hits, baseRate, nulls } = trackRecord(windows, none);
    expect([counted, marked.count, hits.count, hits.of, baseRate.count, baseRate.share]).to.deep.equal([10, 3, 2, 3, 3, 0.3]);
    expect(hits.interval90[0]).to.be.within(0.2, 0.66);
    expect(hits.interval90[1]).to.be.within(0.67, 0.95);
    expect(nulls).to.deep.equal({ below_threshold: 7 });
  });

  it('excludes windows without outcome and windows that the version was trained on, with the reasons', () => {
    const unknown = (['data_ends', 'session_gap', 'no_threshold'] as const).map((outcome) => window({ mark: 1, outcome }));
    const seen = window({ timeUs: 7, mark: 1, outcome: 1 });
    const { windows, counted, left, marked } = trackRecord(
      [...unknown, seen, window({ isSeen: true }), window()],
      ({ timeUs }) => timeUs === 7,
    );
    expect({ windows, counted, marked: marked.count }).to.deep.equal({ windows: 6, counted: 1, marked: 0 });
    expect(left).to.deep.equal({ data_ends: 1, session_gap: 1, no_threshold: 1, trained_on: 2 });
  });

  it('has mean squared errors of the model, the baseline and the base rate on the same windows', () => {
    const { brier } = trackRecord([hit, window(), window({ probability: null, baselineProbability: null, outcome: 1 })], none);
    expect(brier?.windows).to.equal(2);
    expect(brier?.model).to.be.closeTo((0.2 ** 2 + 0.2 ** 2) / 2, 1e-12);
    expect(brier?.baseline).to.be.closeTo(0.25, 1e-12);
    expect(brier?.baseRate).to.be.closeTo(0.25, 1e-12);
    expect(brier?.skill).to.be.closeTo(1 - 0.04 / 0.25, 1e-12);
    expect(trackRecord([window({ probability: null })], none).brier).to.equal(null);
  });

  it('gives an interval for 30 hours or more, and none for fewer', () => {
    const over = (hours: number): ReplayedWindow[] =>
      Array.from({ length: 3 * hours }, (_, i) =>
        window({ timeUs: (i % hours) * HOUR_US, outcome: i % 3 === 0 ? 1 : 0, probability: i % 3 === 0 ? 0.9 : 0.1 }),
      );
    expect(trackRecord(over(29), none).brier?.skillInterval95).to.equal(null);
    const { skill, skillInterval95 } = trackRecord(over(30), none).brier!;
    expect(skillInterval95![0]).to.be.at.most(skill).and.above(0);
    expect(skillInterval95![1]).to.be.at.least(skill);
  });
});
