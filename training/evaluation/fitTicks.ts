import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import { CONTEXT_AT, CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import { TEST_LENGTHS } from '../data/planRows.ts';
import type { RowSet } from '../data/RowSet.ts';
import { auc } from '../metrics/auc.ts';
import { labelsOf, type Scores } from './Scores.ts';

/** `log_ticks` is ln(n / 500). */
const TYPICAL_TICKS = 500;
/** An instrument counts if it has this many origins at every length, and this many of each class. */
const MIN_ORIGINS = 80;
const MIN_OF_EACH_CLASS = 12;
const MIN_INSTRUMENTS = 5;
/** A shorter window may lose so much AUC: it costs less, and more markets have it. */
const MAX_LOSS = 0.01;

/** The test length that the window of a row has at most. */
export function testLengthOf(rows: RowSet, row: number): number {
  const ticks = TYPICAL_TICKS * Math.exp(rows.context[row * rows.draws * CONTEXT_COLUMNS + CONTEXT_AT.log_ticks] as number);
  return TEST_LENGTHS.find((length) => ticks <= 1.01 * length) ?? (TEST_LENGTHS.at(-1) as number);
}

/**
 * The number of ticks that suits each head: the AUC on origins that the network never saw, mean over the instruments with enough origins at
 * every length. From the longest windows on, a shorter one is taken while it loses at most 0.01. With fewer than five instruments, a head
 * has the number of the head before it; undefined: there is none.
 */
export function fitTicks(rows: RowSet, { row, candidate }: Pick<Scores, 'row' | 'candidate'>): (number | undefined)[] {
  const fitted: (number | undefined)[] = [];
  BUCKET_NAMES.forEach((_, head) => {
    const places = new Map<number, number[][]>();
    row.forEach((of, at) => {
      if (rows.head[of] !== head) return;
      const instrument = rows.instrument[of] as number;
      const lists = places.get(instrument) ?? TEST_LENGTHS.map(() => []);
      places.set(instrument, lists);
      (lists[TEST_LENGTHS.findIndex((length) => length === testLengthOf(rows, of))] as number[]).push(at);
    });
    const curves = [...places.values()].flatMap((lists) => curveOf(rows, row, candidate, lists) ?? []);
    fitted.push(curves.length < MIN_INSTRUMENTS * TEST_LENGTHS.length ? fitted.at(-1) : shortestOf(curves));
  });
  return fitted;
}

/** AUC of one instrument at each length; null: it has too few origins. */
function curveOf(rows: RowSet, row: Int32Array, p: Float64Array, lists: readonly (readonly number[])[]): number[] | null {
  const labels = lists.map((list) =>
    labelsOf(
      rows,
      Int32Array.from(list, (at) => row[at] as number),
    ),
  );
  const counts = labels.every((y) => {
    const positives = y.reduce((sum, label) => sum + label, 0);
    return y.length >= MIN_ORIGINS && Math.min(positives, y.length - positives) >= MIN_OF_EACH_CLASS;
  });
  return counts
    ? labels.map((y, i) =>
        auc(
          Float64Array.from(lists[i] as number[], (at) => p[at] as number),
          y,
        ),
      )
    : null;
}

/** `curves`: the AUCs of the instruments, one after another. */
function shortestOf(curves: readonly number[]): number {
  const sums = TEST_LENGTHS.map((_, i) => curves.reduce((sum, value, at) => sum + (at % TEST_LENGTHS.length === i ? value : 0), 0));
  const means = sums.map((sum) => (sum * TEST_LENGTHS.length) / curves.length);
  let at = TEST_LENGTHS.length - 1;
  while (at > 0 && (means[at - 1] as number) >= Math.max(...means) - MAX_LOSS) at--;
  return TEST_LENGTHS[at] as number;
}
