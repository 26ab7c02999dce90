import { decisionThreshold } from '../../src/forecast/decisionThreshold.ts';
import type { HeadManifest } from '../../src/model/ModelManifest.ts';
import type { RowSet } from '../data/RowSet.ts';

/** 1 where a version gives a mark: its probability at the default threshold reaches the decision threshold of its head. One entry per `row`. */
export function markRows(heads: readonly HeadManifest[], rows: RowSet, row: Int32Array, p: Float64Array): Uint8Array {
  return Uint8Array.from(row, (of, at) => {
    const head = heads[rows.head[of] as number];
    const least = head === undefined ? null : decisionThreshold(head, 0);
    return least !== null && (p[at] as number) >= least ? 1 : 0;
  });
}
