import { expect } from 'chai';
import fc from 'fast-check';
import { labelOrigin } from '../../../../src/engine/features/labelOrigin.ts';
import { isPause, OutcomeTracker, type Settled } from '../../../../src/service/live/OutcomeTracker.ts';

/** Gaps in ms: mostly short, equal timestamps, some around the entry delay, and pauses of the market. */
const GAPS = [0, 0, 0.5, 1, 300, 999, 1000, 1001, 4000, 30_000, 1_799_000, 1_800_000, 1_800_001, 4_000_000];
const START_US = 1_700_000_000_000_000;

describe('OutcomeTracker', () => {
  it('gives the label of training for every origin, also with equal timestamps, gaps and no price', () => {
    const tick = fc.record({ gapMs: fc.constantFrom(...GAPS), price: fc.constantFrom(1, 1.0000000001, 1.1, 1.2) });
    const ticks = fc.array(tick, { minLength: 2, maxLength: 60 });
    const horizonMs = fc.constantFrom(1, 700, 1000, 1500, 60_000, 1_900_000);
    fc.assert(
      fc.property(ticks, horizonMs, fc.constantFrom(0.1, 40), (list, horizon, medianGapS) => {
        let timeUs = START_US;
        const timesUs = Float64Array.from(list, ({ gapMs }) => (timeUs += gapMs * 1000));
        const prices = Float64Array.from(list, ({ price }) => price);
        const tracker = new OutcomeTracker<number>(horizon);
        const settled = new Map<number, Settled>();
        for (let i = 0; i < list.length; i++) {
          tracker.push(Math.floor(timesUs[i]! / 1000), prices[i]!, (origin, outcome) => settled.set(origin, outcome));
          tracker.add(i);
        }
        const lastMs = Math.floor(timesUs.at(-1)! / 1000);
        for (let origin = 0; origin < list.length; origin++) {
          const outcome = settled.get(origin);
          const isOver = Math.floor(timesUs[origin]! / 1000) + horizon < lastMs;
          expect(outcome !== undefined, `origin ${origin} settled`).to.equal(isOver);
          if (outcome === undefined) continue;
          const label = labelOrigin({ timesUs, prices }, origin, horizon / 1000, Math.max(1800, 50 * medianGapS));
          if (isPause(outcome.longestGapMs, medianGapS)) expect(label).to.deep.equal({ status: 'dropped', why: 'session_gap' });
          else expect(label).to.deep.include({ status: 'ok', move: outcome.move });
        }
        expect(tracker.size).to.equal(list.length - settled.size);
      }),
      { numRuns: 2000 },
    );
  });

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
