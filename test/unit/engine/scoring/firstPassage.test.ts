import { expect } from 'chai';
import { chanceOfEach, eitherReached, firstReached } from '../../../../src/engine/scoring/firstPassage.ts';
import { normalSize, normalTail } from '../../../../src/engine/scoring/normal.ts';

/** A walk of so many steps of ±1 per unit of variance, with levels on its grid: no step passes a level unseen. */
const STEPS = 4000;

/** Which of two levels, in steps, such a walk reaches first, by adding up all its paths. */
function byPaths(up: number, down: number): [number, number, number] {
  let at = new Float64Array(up + down + 1);
  at[down] = 1;
  let [upper, lower] = [0, 0];
  for (let step = 0; step < STEPS; step++) {
    const next = new Float64Array(at.length);
    for (let i = 1; i < at.length - 1; i++) {
      next[i + 1] += at[i] / 2;
      next[i - 1] += at[i] / 2;
    }
    upper += next.at(-1)!;
    lower += next[0];
    next[0] = next[next.length - 1] = 0;
    at = next;
  }
  return [upper, lower, 1 - upper - lower];
}

describe('which level a driftless price reaches first', () => {
  const size = (steps: number): number => 2 * normalTail(steps / Math.sqrt(STEPS));

  it('is that of a walk whose paths are all counted, near and far levels alike', () => {
    for (const [up, down] of [
      [20, 20],
      [10, 60],
      [47, 48],
      [63, 95],
      [126, 30],
      [200, 150],
    ] as const) {
      const { upper, lower, neither } = firstReached(size(up), size(down));
      const paths = byPaths(up, down);
      for (const [at, chance] of [upper, lower, neither].entries()) expect(chance, `${up} and ${down}`).to.be.closeTo(paths[at], 6e-4);
    }
  });

  it('adds up to 1, agrees with the chance of each level, and does not jump between its two series', () => {
    for (let one = 0; one <= 1; one += 0.05)
      for (let other = 0; other <= 1; other += 0.05) {
        const { upper, lower, neither } = firstReached(one, other);
        expect(upper + lower + neither).to.be.closeTo(1, 1e-12);
        for (const chance of [upper, lower, neither]) expect(chance).to.be.within(0, 1);
        // What reaches a level first reaches it; what does not may still reach it after the other one.
        expect(upper).to.be.at.most(one);
        expect(one).to.be.at.most(upper + lower + 1e-6);
        const near = firstReached(Math.max(0, one - 1e-7), other);
        expect(Math.abs(near.upper - upper)).to.be.below(1e-5);
      }
    expect(firstReached(0.3, 0)).to.deep.include({ lower: 0 });
  });

  it('gives each of two levels the chance with which either is reached as often as asked', () => {
    for (const either of [0.05, 0.1, 0.2, 0.5, 0.9]) expect(eitherReached(chanceOfEach(either))).to.be.closeTo(either, 1e-9);
    // Borodin and Salminen, 1.15.4: half of the paths stay within 1.149 standard deviations.
    expect(normalSize(chanceOfEach(0.5))).to.be.closeTo(1.14897, 1e-4);
  });
});
