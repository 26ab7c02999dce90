import type { Statement } from 'libsql';
import type { RecordKey, RecordPage, RecordRow } from '../live/TrackRecord.ts';
import type { RecordParts } from './AccountStore.ts';
import { marks, type Prepare, type SqliteDatabase } from './SqliteDatabase.ts';
import type { Coverage } from '../../engine/scoring/coverage.ts';
import { checkedRecord } from './storedRows.ts';
import type { Bin } from '../../engine/live/bins.ts';
import { EMPTY_TALLY, mergeTallies, type BaseRateSums, type Tally, type TouchSums } from '../../engine/live/score.ts';

const TALLY_FIELDS = {
  forecasts: 'forecasts',
  outcomes: 'outcomes',
  unscored: 'unscored',
  marks: 'marks',
  hits: 'hits',
  moved: 'moved',
  brier_sum: 'brierSum',
  baseline_brier_sum: 'baselineBrierSum',
  squared_difference_sum: 'squaredDifferenceSum',
  mark_overlap_sum: 'markOverlapSum',
} as const satisfies Record<string, keyof Tally>;

/** The primary key, in the order of the rows. */
const RECORD_KEY_COLUMNS = ['account_id', 'day', 'series', 'model', 'bucket', 'own_threshold'] as const;
const TALLY_COLUMNS = Object.keys(TALLY_FIELDS) as (keyof typeof TALLY_FIELDS)[];

/** JSON: [tenth, outcomes, moved, sum of the probabilities] for each bin; null without one. */
export const BINS_COLUMN = 'bins';
/** JSON: [level, outcomes, covered, sum of the overlaps] for each level; null without one. */
export const COVERAGE_COLUMN = 'coverage';
/** JSON: [[outcomes, brierSum, forecastBrierSum, squaredDifferenceSum]]; null without one. */
export const BASE_RATE_COLUMN = 'base_rate_sums';
/** JSON: [[outcomes, brierSum, forecastBrierSum, squaredDifferenceSum], [levels, reached, 0, 0]]; null without one. */
export const TOUCH_COLUMN = 'touch_sums';
const LISTS = [BINS_COLUMN, COVERAGE_COLUMN, BASE_RATE_COLUMN, TOUCH_COLUMN] as const;

const COLUMNS: readonly string[] = [...RECORD_KEY_COLUMNS, ...TALLY_COLUMNS, ...LISTS, 'added_day'];
const KEY_COLUMNS = RECORD_KEY_COLUMNS.join(', ');
const SUMS = TALLY_COLUMNS.map((column) => `${column} = ${column} + excluded.${column}`).join(', ');
/** Added up by `withStoredLists`. */
const ADDED_LISTS = LISTS.map((column) => `${column} = coalesce(excluded.${column}, ${column})`).join(', ');

/** The later one; max() of a null is null. */
const ADDED_DAY = 'added_day = coalesce(max(added_day, excluded.added_day), excluded.added_day, added_day)';

/** A row of an account that was deleted meanwhile is skipped. */
const insert = (onConflict: string): string =>
  `INSERT INTO track_record (${COLUMNS.join(', ')}) SELECT ${marks(COLUMNS)} WHERE EXISTS (SELECT 1 FROM accounts WHERE id = ?) ON CONFLICT DO ${onConflict}`;
const ADD = insert(`UPDATE SET ${SUMS}, ${ADDED_LISTS}, ${ADDED_DAY}`);
const IMPORT = insert('NOTHING');
const STORED_LISTS = `SELECT ${LISTS.join(', ')} FROM track_record WHERE ${RECORD_KEY_COLUMNS.map((column) => `${column} = ?`).join(' AND ')}`;

type Row = Readonly<Record<string, number | string | null>>;

const keyValues = ({ accountId, day, series, model, bucket, ownThreshold }: RecordKey): unknown[] => [
  ...[accountId, day, series, model, bucket],
  ownThreshold ? 1 : 0,
];

/** `mostRows`: those that an account keeps. */
export function sqliteRecords({ read, write }: SqliteDatabase, mostRows: number): RecordParts {
  return {
    // A transaction that failed has changed nothing, so it needs no batch id.
    addRecords: (rows) => write((prepare) => addRecords(prepare, rows, mostRows)),
    importRecords: (rows) => write((prepare) => putRows(prepare(IMPORT), rows)),
    listRecords: (page) => read((prepare) => listRecords(prepare, page)),
    pruneRecords: (beforeDay) =>
      write((prepare) => {
        const blocks = prepare('DELETE FROM sealed_forecasts WHERE at_ms < ?').run(Date.parse(beforeDay)).changes;
        // As in the index.
        return blocks + prepare('DELETE FROM track_record WHERE coalesce(added_day, day) < ?').run(beforeDay).changes;
      }),
  };
}

function addRecords(prepare: Prepare, rows: readonly RecordRow[], mostRows: number): void {
  const stored = prepare(STORED_LISTS);
  // One after the other: a batch may have a row twice.
  for (const row of rows) putRows(prepare(ADD), [withStoredLists(stored, row)]);
  for (const accountId of new Set(rows.map((row) => row.accountId))) {
    const [{ count } = { count: 0 }] = prepare('SELECT count(*) AS count FROM track_record WHERE account_id = ?').all(accountId) as {
      count: number;
    }[];
    if (count <= mostRows) continue;
    const oldest = `SELECT ${KEY_COLUMNS} FROM track_record WHERE account_id = ? ORDER BY ${KEY_COLUMNS} LIMIT ?`;
    prepare(`DELETE FROM track_record WHERE (${KEY_COLUMNS}) IN (${oldest})`).run(accountId, count - mostRows);
  }
}

/** SQL cannot add up JSON: within the transaction, the row stays what is read here. */
function withStoredLists(stored: Statement, row: RecordRow): RecordRow {
  const { bins, coverage, baseRateSums, touchSums } = row.tally;
  if ([bins, coverage, baseRateSums, touchSums].every((list) => list === undefined)) return row;
  const [found] = stored.all(...keyValues(row)) as Row[];
  return found === undefined ? row : { ...row, tally: mergeTallies({ ...EMPTY_TALLY, ...listsOf(found) }, row.tally) };
}

const textOf = (list: readonly (readonly number[])[] | undefined): string | null => (list === undefined ? null : JSON.stringify(list));
/** What is no list of four numbers each begins again, so that the row can still be added to. */
function numbersOf(text: string | null): [number, number, number, number][] | undefined {
  if (text === null) return undefined;
  try {
    const lists = JSON.parse(text) as unknown;
    const isRight = Array.isArray(lists) && lists.every((one) => Array.isArray(one) && one.length === 4 && one.every(Number.isFinite));
    return isRight ? (lists as [number, number, number, number][]) : undefined;
  } catch {
    return undefined;
  }
}

const sumsOf = (sums: BaseRateSums): number[] => [sums.outcomes, sums.brierSum, sums.forecastBrierSum, sums.squaredDifferenceSum];

const listTexts = ({ bins, coverage, baseRateSums, touchSums }: Tally): (string | null)[] => [
  textOf(bins?.map(({ tenth, outcomes, moved, probabilitySum }) => [tenth, outcomes, moved, probabilitySum])),
  textOf(coverage?.map(({ level, outcomes, covered, overlapSum }) => [level, outcomes, covered, overlapSum])),
  textOf(baseRateSums && [sumsOf(baseRateSums)]),
  textOf(touchSums && [sumsOf(touchSums), [touchSums.levels, touchSums.reached, 0, 0]]),
];

const toBins = (text: string | null): readonly Bin[] | undefined =>
  numbersOf(text)?.map(([tenth, outcomes, moved, probabilitySum]) => ({ tenth, outcomes, moved, probabilitySum }));

const toCoverage = (text: string | null): readonly Coverage[] | undefined =>
  numbersOf(text)?.map(([level, outcomes, covered, overlapSum]) => ({ level, outcomes, covered, overlapSum }));

function toBaseRate(text: string | null): BaseRateSums | undefined {
  const [outcomes, brierSum, forecastBrierSum, squaredDifferenceSum] = numbersOf(text)?.[0] ?? [];
  if (outcomes === undefined) return undefined;
  return { outcomes, brierSum: brierSum!, forecastBrierSum: forecastBrierSum!, squaredDifferenceSum: squaredDifferenceSum! };
}

function toTouches(text: string | null): TouchSums | undefined {
  const [sums, [levels, reached] = []] = [toBaseRate(text), numbersOf(text)?.[1]];
  return sums === undefined || levels === undefined ? undefined : { ...sums, levels, reached: reached! };
}

function putRows(statement: Statement, rows: readonly RecordRow[]): void {
  for (const row of rows) {
    const tally = TALLY_COLUMNS.map((column) => row.tally[TALLY_FIELDS[column]]);
    statement.run(...keyValues(row), ...tally, ...listTexts(row.tally), row.addedDay ?? null, row.accountId);
  }
}

function listRecords(prepare: Prepare, { accountId, series, model, from, to, after, limit }: RecordPage): RecordRow[] {
  const conditions = ['account_id = ?'];
  const values: unknown[] = [accountId];
  const where = (condition: string, ...given: readonly (string | undefined)[]): void => {
    if (given[0] === undefined) return;
    conditions.push(condition);
    values.push(...given);
  };
  where('series = ?', series);
  where('model = ?', model);
  where('day >= ?', from);
  where('day <= ?', to);
  if (after !== undefined) {
    conditions.push(`(${KEY_COLUMNS}) > (${marks(RECORD_KEY_COLUMNS)})`);
    values.push(...keyValues(after));
  }
  const sql = `SELECT ${COLUMNS.join(', ')} FROM track_record WHERE ${conditions.join(' AND ')} ORDER BY ${KEY_COLUMNS} LIMIT ?`;
  return (prepare(sql).all(...values, limit) as Row[]).map(toRow);
}

function listsOf(row: Row): Pick<Tally, 'bins' | 'coverage' | 'baseRateSums' | 'touchSums'> {
  const bins = toBins(row[BINS_COLUMN] as string | null);
  const coverage = toCoverage(row[COVERAGE_COLUMN] as string | null);
  const baseRateSums = toBaseRate(row[BASE_RATE_COLUMN] as string | null);
  const touchSums = toTouches(row[TOUCH_COLUMN] as string | null);
  return {
    ...(touchSums && { touchSums }),
    ...(bins && { bins }),
    ...(coverage && { coverage }),
    ...(baseRateSums && { baseRateSums }),
  };
}

/** Without a loop over the columns, which would take longer than the query. */
function toRow(row: Row): RecordRow {
  return checkedRecord({
    accountId: row['account_id'] as string,
    day: row['day'] as string,
    series: row['series'] as string,
    model: row['model'] as string,
    bucket: row['bucket'] as string,
    ownThreshold: row['own_threshold'] === 1,
    ...(row['added_day'] !== null && { addedDay: row['added_day'] as string }),
    tally: {
      forecasts: row['forecasts'] as number,
      outcomes: row['outcomes'] as number,
      unscored: row['unscored'] as number,
      marks: row['marks'] as number,
      hits: row['hits'] as number,
      moved: row['moved'] as number,
      brierSum: row['brier_sum'] as number,
      baselineBrierSum: row['baseline_brier_sum'] as number,
      squaredDifferenceSum: row['squared_difference_sum'] as number,
      markOverlapSum: row['mark_overlap_sum'] as number,
      ...listsOf(row),
    },
  });
}
