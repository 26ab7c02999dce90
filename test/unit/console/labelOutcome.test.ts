import { expect } from 'chai';
import { labelOutcome } from '../../../src/console/ticks/labelOutcome.ts';
import { syntheticTicks } from '../../../src/ticks/syntheticTicks.ts';
import { labelOrigin } from '../../../src/engine/features/labelOrigin.ts';

const seriesOf = (rows: readonly (readonly [ms: number, price: number])[]) => ({
  timesUs: Float64Array.from(rows, ([ms]) => ms * 1000),
  prices: Float64Array.from(rows, ([, price]) => price),
});

describe('the outcome of a window', () => {
  it('is what the models are evaluated with, window by window', () => {
    const series = syntheticTicks({ seed: 11, count: 4000, sessions: { lengthS: 200, pauseS: 4000 } });
    const seen = new Set<string>();
    for (let origin = 0; origin < 4000; origin += 7)
      for (const horizonS of [0.5, 10, 60]) {
        const label = labelOrigin(series, origin, horizonS, 1800);
        const outcome = labelOutcome(series, origin, horizonS * 1000, null);
        if (label.status === 'dropped') {
          seen.add(label.why);
          expect(outcome).to.deep.equal({ status: 'unknown', why: label.why === 'data_ends' ? 'file_ends' : 'market_paused' });
        } else {
          seen.add(label.hasPrice ? 'price' : 'no price');
          if (outcome.status !== 'known') return expect.fail(`origin ${origin}`);
          expect(outcome.moveBps).to.be.closeTo(label.move * 1e4, 1e-9);
          expect(outcome.entry !== null).to.equal(label.hasPrice);
        }
      }
    expect([...seen].sort()).to.deep.equal(['data_ends', 'no price', 'price', 'session_gap']);
  });

  it('enters at the first price a second later, not at the last tick sent', () => {
    const series = seriesOf([
      [0, 100],
      [999, 101],
      [1000, 102],
      [5000, 103],
      [5001, 200],
    ]);
    expect(labelOutcome(series, 0, 5000, null)).to.deep.include({ status: 'known', entry: 2, exit: 3, moveBps: Math.log(103 / 102) * 1e4 });
  });
});
