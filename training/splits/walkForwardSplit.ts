import { groupBy } from '../../src/core/groupBy.ts';
import { US_PER_SECOND } from '../../src/core/units.ts';

/** The part of a row that a split needs: its label interval is (tUs, tUs + horizonS]. */
export type SplitRow = {
  readonly group: string;
  /** Origin, microseconds. */
  readonly tUs: number;
  readonly horizonS: number;
};

export type WalkForwardFold = {
  /** Indices of rows, ascending. */
  readonly train: Int32Array;
  readonly test: Int32Array;
};

export type WalkForwardOptions = {
  /** Number of test blocks in time; each is predicted after training on all earlier rows. */
  readonly folds: number;
  /** Fraction of the rows of each group before the first test block, in (0, 1). */
  readonly firstTrainFraction: number;
  /** Seconds between the end of the last training label and the first test origin of a group. */
  readonly embargoS: number;
};

/**
 * Walk-forward in time within each group (groups may be years apart): the first fraction of the rows is only for training, the rest is cut
 * into equal test blocks, and block b is tested after training on all rows before it. Purge: a training row is dropped if its label ends
 * within `embargoS` of the first origin of the block (López de Prado 2018, ch. 7). Rows with one timestamp stay together. With one fold and
 * a fraction of 0.85, the test block is the calibration part.
 */
export function walkForwardSplit(rows: readonly SplitRow[], options: WalkForwardOptions): WalkForwardFold[] {
  const { folds, firstTrainFraction, embargoS } = options;
  if (!(folds >= 1 && firstTrainFraction > 0 && firstTrainFraction < 1 && embargoS >= 0)) {
    throw new RangeError(`walkForwardSplit: ${folds} folds, first fraction ${firstTrainFraction}, embargo ${embargoS} s`);
  }
  const train = Array.from({ length: folds }, () => [] as number[]);
  const test = Array.from({ length: folds }, () => [] as number[]);
  for (const members of groupBy(rows.keys(), (row) => rows[row].group).values()) {
    const times = members.map((row) => rows[row].tUs).sort((a, b) => a - b);
    const cutAt = (fraction: number): number => times[Math.floor(fraction * times.length)] ?? Infinity;
    for (let fold = 0; fold < folds; fold++) {
      const startUs = cutAt(firstTrainFraction + ((1 - firstTrainFraction) * fold) / folds);
      const endUs = fold + 1 === folds ? Infinity : cutAt(firstTrainFraction + ((1 - firstTrainFraction) * (fold + 1)) / folds);
      for (const row of members) {
        const { tUs, horizonS } = rows[row];
        if (tUs >= startUs && tUs < endUs) test[fold].push(row);
        else if (tUs < startUs && tUs + (horizonS + embargoS) * US_PER_SECOND < startUs) train[fold].push(row);
      }
    }
  }
  return train.map((rowsOfFold, fold) => ({ train: ascending(rowsOfFold), test: ascending(test[fold]) }));
}

function ascending(rows: readonly number[]): Int32Array {
  return Int32Array.from(rows).sort();
}
