import { expect } from 'chai';
import { isPause, OutcomeTracker } from '../../../../src/engine/live/OutcomeTracker.ts';

describe('OutcomeTracker', () => {
  it('takes a gap for a pause of the market above 30 minutes and above 50 median gaps, not at them', () => {
    for (const [medianGapS, longestMs] of [
      [null, 1_800_000],
      [0.4, 1_800_000],
      [36, 1_800_000],
      [40, 2_000_000],
    ] as const)
      // prettier-ignore
      expect([longestMs, longestMs + 1].map((gapMs) => isPause(gapMs, medianGapS)), `${medianGapS} s`).to.deep.equal([false, true]);
  });

  it('returns the open forecasts when it is cleared', () => {
    const tracker = new OutcomeTracker<string>(1000);
    tracker.push(0, 1, () => {});
    tracker.add('a');
    expect(tracker.clear()).to.deep.equal(['a']);
    expect(tracker.size).to.equal(0);
  });
});
