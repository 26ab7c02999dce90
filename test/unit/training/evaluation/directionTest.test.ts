import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { clusterBootstrap } from '../../../../src/engine/scoring/clusterBootstrap.ts';
import { directionTest } from '../../../../training/evaluation/directionTest.ts';
import { aucStandardError, preparedAuc } from '../../../../training/metrics/auc.ts';
import { handRows, type HandRow } from '../../../support/handRows.ts';

/** Opportunities of a head, half of them up, in hours of 10; the logit follows the direction by `skill`. */
function headRows(head: number, count: number, skill: number, { seed = 1, instrument = 0 } = {}): HandRow[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const side = i % 2 === 0 ? 1 : -1;
    return { head, instrument, move: 2 * side, hour: Math.floor(i / 10), directionLogit: skill * side + random.normal() };
  });
}
const test = (list: HandRow[], seed = 7) => {
  const { rows, scores } = handRows(list);
  return directionTest(rows, scores, seededRandom(seed));
};

describe('directionTest', () => {
  it('gives each head its AUC on opportunities alone, and the standard error of chance', () => {
    const list = headRows(2, 400, 0.5);
    const calm = Array.from({ length: 50 }, (): HandRow => ({ head: 2, move: 1, directionLogit: 99 }));
    const [found, ...more] = test([...calm, ...list]);
    expect(more).to.deep.equal([]);
    const [ups, downs] = [list.filter(({ move }) => move > 0), list.filter(({ move }) => move < 0)];
    const pairs = ups.flatMap((up) => downs.map((down) => (up.directionLogit! > down.directionLogit! ? 1 : 0) as number));
    expect(found?.auc).to.be.closeTo(pairs.reduce((sum, one) => sum + one, 0) / pairs.length, 1e-12);
    expect(found).to.include({ head: 2, n: 400, standardError: aucStandardError(200, 200), passed: true });
  });

  it('bounds the best head at 10 % by the number of heads, and the next ones at more (Holm)', () => {
    const parts = [headRows(3, 300, 0.2, { seed: 3 }), headRows(0, 300, 1, { seed: 1 }), headRows(1, 300, 0.4, { seed: 2 })];
    const found = test(parts.flat());
    expect(found.map(({ head }) => head)).to.deep.equal([0, 1, 3]);
    // In the order of the heads, as the test draws.
    const random = seededRandom(7);
    // z of 10 % / 3, 10 % / 2 and 10 %.
    [[1, 1.83391], [2, 1.64485], [0, 1.28155]].forEach(([part, z], i) => {
      const list = parts[part!];
      const logits = Float64Array.from(list, ({ directionLogit }) => directionLogit!);
      const up = Uint8Array.from(list, ({ move }) => (move > 0 ? 1 : 0));
      const hours = Int32Array.from(list, ({ hour }) => hour!);
      const { se } = clusterBootstrap(hours, preparedAuc(logits, up), { draws: 1000, random });
      expect(found[i].lower).to.be.closeTo(found[i].auc - z! * se, 1e-5);
    }); // prettier-ignore
  });

  it('takes an hour for one cluster, whatever the instrument', () => {
    const list = headRows(0, 400, 0.5);
    expect(test(list.map((row, i) => ({ ...row, instrument: i % 7 })))).to.deep.equal(test(list));
  });

  it('fails all heads after the first one that fails, in the order of their strength', () => {
    const found = test([...headRows(0, 300, 0, { seed: 4 }), ...headRows(1, 300, 1), ...headRows(2, 300, -1, { seed: 5 })]);
    expect(found.map(({ passed }) => passed)).to.deep.equal([false, true, false]);
    expect(found[2].lower).to.be.lessThan(0.5);
  });

  it('passes no head with fewer than 100 moves in a direction', () => {
    const short = (ups: number, downs: number): HandRow[] =>
      Array.from({ length: ups + downs }, (_, i) => ({ head: 0, move: i < ups ? 2 : -2, directionLogit: i < ups ? 1 : 0, hour: i % 50 }));
    for (const [ups, downs, passed] of [
      [100, 100, true],
      [99, 101, false],
      [101, 99, false],
      [300, 99, false],
    ] as const) {
      // prettier-ignore
      const [found] = test(short(ups, downs));
      expect([found?.auc, found?.passed], `${ups} up, ${downs} down`).to.deep.equal([1, passed]);
      expect(Number.isFinite(found?.lower)).to.equal(passed);
    }
  });

  it('does not let a head without opportunities stop the others', () => {
    const found = test([...headRows(1, 300, 1), { head: 0, move: 0 }]);
    expect(found.map(({ head, n, passed }) => [head, n, passed])).to.deep.equal([[0, 0, false], [1, 300, true]]); // prettier-ignore
    expect(found[0]?.auc).to.be.NaN;
  });
});
