import { expect } from 'chai';
import { type ReplayedWindow, writeReplayCsv } from '../../../src/console/replay/ReplayedWindow.ts';

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
