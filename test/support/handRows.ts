import { allocateRows, type RowSet } from '../../training/data/RowSet.ts';
import type { Scores } from '../../training/evaluation/Scores.ts';

/** One row with threshold 1, so that a move beyond it is an opportunity, and what is said of it. */
export type HandRow = {
  readonly move: number;
  readonly candidate?: number;
  readonly ewma?: number;
  readonly served?: number;
  readonly baseRate?: number;
  readonly directionLogit?: number;
  readonly marked?: 0 | 1;
  readonly instrument?: number;
  readonly horizonS?: number;
  readonly head?: number;
  readonly hasPrice?: 0 | 1;
  /** Since 1970 UTC. */
  readonly hour?: number;
};

/** Rows and scores from a list; `served` and `marked` are null unless the first row has them. */
export function handRows(list: readonly HandRow[]): { rows: RowSet; scores: Scores } {
  const rows = allocateRows(list.length, 1);
  rows.theta.fill(1);
  rows.thetaDefault.fill(1);
  list.forEach(({ move, instrument = 0, horizonS = 10, head = 0, hasPrice = 1, hour = 0 }, i) => {
    rows.move[i] = move;
    rows.instrument[i] = instrument;
    rows.horizonS[i] = horizonS;
    rows.head[i] = head;
    rows.hasPrice[i] = hasPrice;
    rows.originUs[i] = (hour * 3600 + (i % 3600)) * 1e6;
  });
  const column = (of: (row: HandRow) => number | undefined): Float64Array => Float64Array.from(list, (row) => of(row) ?? 0.5);
  return {
    rows,
    scores: {
      row: Int32Array.from(list.keys()),
      candidate: column(({ candidate }) => candidate),
      ewma: column(({ ewma }) => ewma),
      baseRate: column(({ baseRate }) => baseRate),
      servedMarked: null,
      served: list[0]?.served === undefined ? null : column(({ served }) => served),
      directionLogit: column(({ directionLogit }) => directionLogit),
      marked: list[0]?.marked === undefined ? null : Uint8Array.from(list, ({ marked = 0 }) => marked),
    },
  };
}
