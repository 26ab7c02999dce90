import { expect } from 'chai';
import { trackRecord } from '../../../../training/replay/trackRecord.ts';
import type { ReplayedWindow } from '../../../../src/engine/forecast/replayTicks.ts';

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
    const { counted, marked, hits, baseRate, nulls } = trackRecord(windows, 1, none);
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
      1,
      ({ timeUs }) => timeUs === 7,
    );
    expect({ windows, counted, marked: marked.count }).to.deep.equal({ windows: 6, counted: 1, marked: 0 });
    expect(left).to.deep.equal({ data_ends: 1, session_gap: 1, no_threshold: 1, trained_on: 2 });
  });

  it('compares probabilities with baselines that learn from every known outcome before a window, also of one that does not count', () => {
    const seen = window({ timeUs: 0, outcome: 1, isSeen: true });
    const known = [
      seen,
      window({ timeUs: 2, probability: 0.8, outcome: 1 }),
      window({ timeUs: 2 }),
      window({ timeUs: 4, probability: null }),
    ];
    const { skill } = trackRecord(known, 2, none);
    expect(skill?.baseline.windows).to.equal(2);
    expect(skill?.baseline.model).to.be.closeTo((0.2 ** 2 + 0.2 ** 2) / 2, 1e-12);
    const rate = (1 + 2 / (1 + Math.exp(1.5))) / 3;
    expect(skill?.base_rate.rival).to.be.closeTo(((1 - rate) ** 2 + rate ** 2) / 2, 1e-12);
    expect(trackRecord([window({ probability: null })], 1, none).skill).to.equal(null);
  });
});
