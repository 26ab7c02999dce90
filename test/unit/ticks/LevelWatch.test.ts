import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../src/core/Random.ts';
import { LevelWatch } from '../../../src/ticks/LevelWatch.ts';

/** Moves of 0.002 % a second, from a price on; `gapS` before the first. */
const from = (price: number, ticks: number, gapS = 1) => ({ price, ticks, gapS });
type Part = ReturnType<typeof from>;

function watched(parts: readonly Part[], seed = 1): LevelWatch {
  const watch = new LevelWatch('trades');
  const random = seededRandom(seed);
  let us = 0;
  for (const { price: first, ticks, gapS } of parts) {
    let price = first;
    us += gapS * 1e6;
    for (let i = 0; i < ticks; i++, us += 1e6) watch.add((price *= Math.exp(4e-5 * (random.uniform() - 0.5))), us);
  }
  return watch;
}

describe('LevelWatch', () => {
  it('finds two markets one after another, whatever their levels', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1.08, max: 50, noNaN: true }),
        fc.boolean(),
        fc.integer({ min: 1, max: 1e6 }),
        (factor, isDown, seed) => {
          const second = isDown ? 100 / factor : 100 * factor;
          const { jump } = watched([from(100, 200), from(second, 30)], seed);
          expect(jump).to.not.equal(undefined);
          expect(jump![1] / jump![0]).to.be.closeTo(second / 100, 0.01 * (second / 100));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('finds none in isolated prints, halts, splits and openings after a night, and in the first ticks', () => {
    const calm: readonly (readonly [string, readonly Part[]])[] = [
      ['an isolated print', [from(100, 200), from(112, 1), from(100, 200)]],
      ['two of them', [from(100, 200), from(60, 2), from(100, 50), from(60, 1), from(100, 50)]],
      ['a large one', [from(100, 200), from(1000, 1), from(100, 200)]],
      ['a halt', [from(100, 200), from(72, 200, 301)]],
      ['a split', [from(100, 200), from(50, 200, 63_000)]],
      ['a weekend', [from(100, 200), from(108, 200, 180_000)]],
      ['the first ticks', [from(100, 20), from(106, 200)]],
    ];
    for (const [what, parts] of calm) expect(watched(parts).jump, what).to.equal(undefined);
  });

  it('leaves a market that moves by much with each tick alone', () => {
    const watch = new LevelWatch('trades');
    const random = seededRandom(2);
    let price = 1;
    for (let i = 0; i < 5000; i++) watch.add((price *= Math.exp(0.04 * (random.uniform() - 0.5) + (i % 500 === 499 ? 0.2 : 0))), i * 1e6);
    expect(watch.jump).to.equal(undefined);
  });
});
