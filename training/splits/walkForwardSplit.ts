import { US_PER_SECOND } from '../../src/core/units.ts';

/** What a split needs of a row: its label interval is (tUs, tUs + horizonS]. */
export type SplitRow = {
  /** Instrument or file; what the map of groups names. */
  readonly series: string;
  /** Origin, microseconds. */
  readonly tUs: number;
  readonly horizonS: number;
};

/** Instrument to group, for instruments that move together; one that is not named is a group of its own. */
export type GroupMap = ReadonlyMap<string, string>;

export type Fold = {
  /** Indices of rows, ascending. */
  readonly train: Int32Array;
  readonly test: Int32Array;
};

export type WalkForwardOptions = {
  /** Test blocks in time, each trained on all that lies before it. */
  readonly folds: number;
  /** Share of each group's rows before the first test block, in (0, 1). */
  readonly firstTrainShare: number;
  /** Seconds that stay empty between the end of the last training label and the first test origin of a group. */
  readonly embargoS: number;
  readonly groups?: GroupMap;
};

export function groupOf(series: string, groups?: GroupMap): string {
  return groups?.get(series) ?? series;
}

/**
 * Walk-forward in time within each group (its files may lie years from another's): the first share of its rows only trains, the rest is
 * cut into equal test blocks, and block b is tested by what was trained on all before it. Purge: a training row goes where its label ends
 * within `embargoS` of the block's first origin (López de Prado 2018, ch. 7). Rows of one stamp stay together. With one fold and a share
 * of .85 the test block is the calibration part.
 */
export function walkForwardSplit(rows: readonly SplitRow[], options: WalkForwardOptions): Fold[] {
  const { folds, firstTrainShare, embargoS, groups } = options;
  if (!(folds >= 1 && firstTrainShare > 0 && firstTrainShare < 1 && embargoS >= 0)) {
    throw new RangeError(`walkForwardSplit: ${folds} folds, first share ${firstTrainShare}, embargo ${embargoS} s`);
  }
  const train = Array.from({ length: folds }, () => [] as number[]);
  const test = Array.from({ length: folds }, () => [] as number[]);
  for (const members of byGroup(rows, groups).values()) {
    const times = members.map((row) => rows[row]!.tUs).sort((a, b) => a - b);
    const cutAt = (share: number): number => times[Math.floor(share * times.length)] ?? Infinity;
    for (let fold = 0; fold < folds; fold++) {
      const startUs = cutAt(firstTrainShare + ((1 - firstTrainShare) * fold) / folds);
      const endUs = fold + 1 === folds ? Infinity : cutAt(firstTrainShare + ((1 - firstTrainShare) * (fold + 1)) / folds);
      for (const row of members) {
        const { tUs, horizonS } = rows[row]!;
        if (tUs >= startUs && tUs < endUs) test[fold]!.push(row);
        else if (tUs < startUs && tUs + (horizonS + embargoS) * US_PER_SECOND < startUs) train[fold]!.push(row);
      }
    }
  }
  return train.map((rowsOfFold, fold) => ({ train: ascending(rowsOfFold), test: ascending(test[fold]!) }));
}

/** Rows of each group, groups in order of their first row. */
export function byGroup(rows: readonly { readonly series: string }[], groups?: GroupMap): Map<string, number[]> {
  const members = new Map<string, number[]>();
  rows.forEach(({ series }, row) => {
    const group = groupOf(series, groups);
    const list = members.get(group);
    if (list === undefined) members.set(group, [row]);
    else list.push(row);
  });
  return members;
}

function ascending(rows: readonly number[]): Int32Array {
  return Int32Array.from(rows).sort();
}
