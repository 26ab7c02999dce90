import { byGroup, type Fold, type GroupMap, groupOf } from './walkForwardSplit.ts';

export type GroupFold = Fold & { readonly group: string };

/**
 * One fold for each group: tested on all its rows, trained on none of them, so that instruments which move together never stand on both
 * sides. Folds in order of the groups' first rows.
 */
export function leaveOneGroupOut(rows: readonly { readonly series: string }[], groups?: GroupMap): GroupFold[] {
  return [...byGroup(rows, groups)].map(([group, members]) => ({
    group,
    test: Int32Array.from(members),
    train: Int32Array.from([...rows.keys()].filter((row) => groupOf(rows[row]!.series, groups) !== group)),
  }));
}
