import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../src/core/Random.ts';
import { LevelWatch } from '../../../src/ticks/LevelWatch.ts';

/** Moves of 0.002 % a second, from a price on; `gapS` before the first. */
type Part = { readonly price: number; readonly ticks: number; readonly gapS?: number };

function watched(parts: readonly Part[], seed = 1): LevelWatch {
  const watch = new LevelWatch('trades');
  const random = seededRandom(seed);
  let us = 0;
  for (const { price: from, ticks, gapS = 1 } of parts) {
    let price = from;
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
          const { jump } = watched(
            [
              { price: 100, ticks: 200 },
              { price: second, ticks: 30 },
            ],
            seed,
          );
          expect(jump).to.not.equal(undefined);
          expect(jump![1] / jump![0]).to.be.closeTo(second / 100, 0.01 * (second / 100));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('finds none in isolated prints, halts, splits and openings after a night, and in the first ticks', () => {
    const calm: readonly (readonly [string, readonly Part[]])[] = [
      [
        'an isolated print',
        [
          { price: 100, ticks: 200 },
          { price: 112, ticks: 1 },
          { price: 100, ticks: 200 },
        ],
      ],
      [
        'two of them',
        [
          { price: 100, ticks: 200 },
          { price: 60, ticks: 2 },
          { price: 100, ticks: 50 },
          { price: 60, ticks: 1 },
          { price: 100, ticks: 50 },
        ],
      ],
      [
        'a large one',
        [
          { price: 100, ticks: 200 },
          { price: 1000, ticks: 1 },
          { price: 100, ticks: 200 },
        ],
      ],
      [
        'a halt',
        [
          { price: 100, ticks: 200 },
          { price: 72, ticks: 200, gapS: 301 },
        ],
      ],
      [
        'a split',
        [
          { price: 100, ticks: 200 },
          { price: 50, ticks: 200, gapS: 63_000 },
        ],
      ],
      [
        'a weekend',
        [
          { price: 100, ticks: 200 },
          { price: 108, ticks: 200, gapS: 180_000 },
        ],
      ],
      [
        'the first ticks',
        [
          { price: 100, ticks: 20 },
          { price: 106, ticks: 200 },
        ],
      ],
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
