import { decisionThreshold } from '../../src/forecast/decisionThreshold.ts';
import type { HeadManifest } from '../../src/model/ModelManifest.ts';
import type { RowSet } from '../data/RowSet.ts';

/** 1 where a version marks: its probability at the default threshold reaches its head's decision threshold. One entry for each of `row`. */
export function markRows(heads: readonly HeadManifest[], rows: RowSet, row: Int32Array, p: Float64Array): Uint8Array {
  return Uint8Array.from(row, (of, at) => {
    const head = heads[rows.head[of] as number];
    const least = head === undefined ? null : decisionThreshold(head, 0);
    return least !== null && (p[at] as number) >= least ? 1 : 0;
  });
}
