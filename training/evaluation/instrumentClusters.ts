import type { RowSet } from '../data/RowSet.ts';

/** Clusters of rows for the bootstrap: instrument and span of `spanUs` (an hour, a day), numbered from 0 in order of appearance. */
export function instrumentClusters(rows: RowSet, members: ArrayLike<number>, spanUs: number): Int32Array {
  const numbers = new Map<string, number>();
  return Int32Array.from(members, (row) => {
    const key = `${rows.instrument[row]}/${Math.floor((rows.originUs[row] as number) / spanUs)}`;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
}
