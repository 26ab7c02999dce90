import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { goldenPredicates } from '../support/goldenPredicates.ts';

type Results = ReturnType<typeof goldenPredicates>['predicates'];

const { predicates: recorded } = JSON.parse(readFileSync(path.join(import.meta.dirname, 'predicates.json'), 'utf8')) as {
  predicates: Results;
};
const actual = goldenPredicates().predicates;

/** Whether two results have the same words and, but for rounding, the same numbers. */
function isSame(one: string | null, other: string | null | undefined): boolean {
  if (one === null || other === null || other === undefined) return one === other;
  const [left, right] = [one.split(' '), other.split(' ')];
  const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 + 1e-6 * Math.abs(b);
  return left.length === right.length && left.every((text, i) => text === right[i] || isClose(Number(text), Number(right[i])));
}

/** A rule set was fitted to what its predicates found, so that they may find nothing else in the same window (test/golden/makePredicates.ts). */
describe('golden predicates', () => {
  it('are all that exist', () => expect(Object.keys(actual)).to.deep.equal(Object.keys(recorded)));

  for (const [name, results] of Object.entries(recorded))
    it(`${name} gives what is recorded`, () => {
      const differences = Object.entries(actual[name] ?? {}).filter(([window, result]) => !isSame(result, results[window]));
      expect(differences.map(([window, result]) => `${window}: ${result}, recorded ${results[window]}`)).to.deep.equal([]);
      expect(Object.keys(actual[name] ?? {})).to.deep.equal(Object.keys(results));
    });
});
