import { expect } from 'chai';
import fc from 'fast-check';
import { type SplitRow, walkForwardSplit } from '../../../../training/splits/walkForwardSplit.ts';

const row: fc.Arbitrary<SplitRow> = fc.record({
  group: fc.constantFrom('crypto', 'crypto', 'eurusd', 'aapl'),
  tUs: fc.integer({ min: 0, max: 3000 }).map((s) => 1_700_000_000_000_000 + s * 1_000_000),
  horizonS: fc.constantFrom(5, 60, 300),
});
const rowsOf = fc.array(row, { minLength: 0, maxLength: 80 });
const overlaps = (a: SplitRow, b: SplitRow, embargoS: number): boolean =>
  a.tUs <= b.tUs + b.horizonS * 1e6 && b.tUs <= a.tUs + (a.horizonS + embargoS) * 1e6;

describe('walkForwardSplit', () => {
  it('keeps training labels plus embargo apart from test labels of the same group, and trains only on the past', () => {
    fc.assert(
      fc.property(rowsOf, fc.integer({ min: 1, max: 4 }), fc.constantFrom(0, 30, 600), (rows, folds, embargoS) => {
        for (const { train, test } of walkForwardSplit(rows, { folds, firstTrainFraction: 0.5, embargoS })) {
          for (const a of train) {
            for (const b of test) {
              if (rows[a].group !== rows[b].group) continue;
              expect(overlaps(rows[a], rows[b], embargoS)).to.equal(false);
              expect(rows[a].tUs).to.be.below(rows[b].tUs);
            }
          }
        }
      }),
      { numRuns: 80 },
    );
  });

  it('tests no row twice, and drops from training only rows within horizon and embargo of the cut', () => {
    fc.assert(
      fc.property(rowsOf, fc.integer({ min: 1, max: 4 }), (rows, folds) => {
        const split = walkForwardSplit(rows, { folds, firstTrainFraction: 0.4, embargoS: 10 });
        const tested = split.flatMap(({ test }) => [...test]);
        expect(new Set(tested).size).to.equal(tested.length);
        const { train, test } = split.at(-1)!;
        rows.forEach((r, i) => {
          const first = Math.min(...[...test].filter((j) => rows[j].group === r.group).map((j) => rows[j].tUs));
          if (!Number.isFinite(first) || r.tUs >= first) return;
          expect(train.includes(i)).to.equal(r.tUs + (r.horizonS + 10) * 1e6 < first);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('cuts each group at its own fraction of rows, for any distance in time between groups', () => {
    const rows = ['old', 'new'].flatMap((group, k) =>
      Array.from({ length: 100 }, (_, i) => ({ group, tUs: (k * 1e6 + i * 100) * 1e6, horizonS: 10 })),
    );
    const [fold] = walkForwardSplit(rows, { folds: 1, firstTrainFraction: 0.85, embargoS: 0 });
    expect([...fold!.test]).to.deep.equal([...rows.keys()].filter((i) => i % 100 >= 85));
    expect([...fold!.train]).to.deep.equal([...rows.keys()].filter((i) => i % 100 < 85));
  });

  it('rejects a fraction outside (0, 1), zero folds and a negative embargo', () => {
    for (const wrong of [{ firstTrainFraction: 1 }, { firstTrainFraction: 0 }, { folds: 0 }, { embargoS: -1 }, { embargoS: NaN }]) {
      expect(() => walkForwardSplit([], { folds: 1, firstTrainFraction: 0.5, embargoS: 0, ...wrong })).to.throw(RangeError);
    }
  });
});
