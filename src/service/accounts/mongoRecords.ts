import type { Collection, Filter } from 'mongodb';
import type { RecordKey, RecordPage, RecordRow } from '../live/TrackRecord.ts';
import type { RecordParts } from './AccountStore.ts';
import { insertNew, isDuplicate, type MongoDatabase, ofAccount } from './MongoDatabase.ts';
import { SEALED_FORECASTS, TRACK_RECORD } from './mongoSchema.ts';
import type { Coverage } from '../../engine/scoring/coverage.ts';
import type { Bin } from '../../engine/live/bins.ts';
import { checkedRecord } from './storedRows.ts';
import type { Tally } from '../../engine/live/score.ts';

/** A row of the track record. `_id`: its key, in the order of the rows. */
type RecordDocument = RecordKey &
  Omit<Tally, 'bins' | 'coverage'> & {
    readonly _id: string;
    readonly addedDay?: string;
    /** By tenth, so that each number is added up by its path. */
    readonly bins?: Readonly<Record<string, Omit<Bin, 'tenth'>>>;
    /** By level in percent. */
    readonly coverage?: Readonly<Record<string, Omit<Coverage, 'level'>>>;
    /** The last batch that was added. */
    readonly batch: string;
  };

/** No part contains a blank, which comes before every character of the parts. */
const idOf = ({ accountId, day, series, model, bucket, ownThreshold }: RecordKey): string =>
  [accountId, day, series, model, bucket, ownThreshold ? 1 : 0].join(' ');

export const toRow = ({ _id, batch: _batch, ...document }: RecordDocument): RecordRow => {
  const { accountId, series, model, bucket, ownThreshold, day, addedDay, bins, coverage, ...tally } = document;
  return checkedRecord({
    accountId,
    series,
    model,
    bucket,
    ownThreshold,
    day,
    ...(addedDay !== undefined && { addedDay }),
    // A row of an earlier release has none.
    tally: {
      ...tally,
      markOverlapSum: tally.markOverlapSum ?? 0,
      ...(bins && { bins: toBins(bins) }),
      ...(coverage && { coverage: toCoverage(coverage) }),
    },
  });
};

const toBins = (bins: NonNullable<RecordDocument['bins']>): Bin[] =>
  Object.entries(bins)
    .map(([tenth, bin]) => ({ tenth: Number(tenth), outcomes: bin?.outcomes, moved: bin?.moved, probabilitySum: bin?.probabilitySum }))
    .sort((a, b) => a.tenth - b.tenth);

const toCoverage = (coverage: NonNullable<RecordDocument['coverage']>): Coverage[] =>
  Object.entries(coverage)
    .map(([percent, one]) => ({
      ...{ level: Number(percent) / 100, outcomes: one?.outcomes, covered: one?.covered, overlapSum: one?.overlapSum },
    }))
    .sort((a, b) => a.level - b.level);

type Lists = Required<Pick<RecordDocument, 'bins' | 'coverage'>>;

const listsOf = ({ bins = [], coverage = [] }: Tally): Lists => ({
  bins: Object.fromEntries(bins.map(({ tenth, ...counts }) => [tenth, counts])),
  coverage: Object.fromEntries(coverage.map(({ level, ...counts }) => [Math.round(level * 100), counts])),
});

/** What is added, by path. */
function increments(tally: Tally): Record<string, number> {
  const { bins: _bins, coverage: _coverage, baseRateSums, touchSums, ...counts } = tally;
  const paths = Object.entries<Record<string, Record<string, number>>>(listsOf(tally)).flatMap(([list, entries]) =>
    Object.entries(entries).flatMap(([entry, numbers]) =>
      Object.entries(numbers).map(([name, count]) => [`${list}.${entry}.${name}`, count] as const),
    ),
  );
  const rates = Object.entries<object | undefined>({ baseRateSums, touchSums }).flatMap(([of, sums = {}]) =>
    Object.entries(sums as Record<string, number>).map(([name, sum]) => [`${of}.${name}`, sum] as const),
  );
  return { ...counts, ...Object.fromEntries([...paths, ...rates]) };
}

function toDocument(tally: Tally): Omit<Tally, 'bins' | 'coverage'> & Pick<RecordDocument, 'bins' | 'coverage'> {
  const { bins, coverage, ...counts } = tally;
  const lists = listsOf(tally);
  return { ...counts, ...(bins && { bins: lists.bins }), ...(coverage && { coverage: lists.coverage }) };
}

export function mongoRecords({ db, keepOf }: MongoDatabase, mostRows: number): RecordParts {
  const collection = db.collection<RecordDocument>(TRACK_RECORD);
  return {
    addRecords: (rows, batch) => keepOf(rows, () => addRecords(collection, rows, batch, mostRows)),
    importRecords: (rows) => keepOf(rows, () => importRecords(collection, rows)),
    listRecords: (page) => listRecords(collection, page),
    pruneRecords: async (beforeDay) => {
      const blocks = await db.collection(SEALED_FORECASTS).deleteMany({ atMs: { $lt: Date.parse(beforeDay) } });
      const before = { $lt: beforeDay };
      const added = await collection.deleteMany({ addedDay: before });
      return (
        blocks.deletedCount + added.deletedCount + (await collection.deleteMany({ addedDay: { $exists: false }, day: before })).deletedCount
      );
    },
  };
}

/** Adds to existing rows and inserts missing ones; a row whose last batch is this one stays. `mostRows`: those that an account keeps. */
async function addRecords(
  collection: Collection<RecordDocument>,
  rows: readonly RecordRow[],
  batch: string,
  mostRows: number,
): Promise<void> {
  const add = async ({ tally, addedDay, ...key }: RecordRow): Promise<boolean> => {
    const filter = { _id: idOf(key), batch: { $ne: batch } };
    const change = { $inc: increments(tally), $set: { batch }, ...(addedDay && { $max: { addedDay } }) };
    try {
      return (await collection.updateOne(filter, { ...change, $setOnInsert: key }, { upsert: true })).upsertedCount > 0;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      // This batch is in the row already, or another process has just inserted the row.
      await collection.updateOne(filter, change);
      return false;
    }
  };
  const inserted = await Promise.all(rows.map(add));
  const grown = new Set(rows.filter((_, i) => inserted[i]).map(({ accountId }) => accountId));
  for (const accountId of grown) await trim(collection, accountId, mostRows);
}

/** Inserts rows that do not exist. */
async function importRecords(collection: Collection<RecordDocument>, rows: readonly RecordRow[]): Promise<void> {
  await Promise.all(rows.map(({ tally, ...key }) => insertNew(collection, { _id: idOf(key), ...key, ...toDocument(tally), batch: '' })));
}

async function listRecords(
  collection: Collection<RecordDocument>,
  { accountId, series, model, from, to, after, limit }: RecordPage,
): Promise<RecordRow[]> {
  const filter: Filter<RecordDocument> = {
    _id: { $gt: after === undefined ? `${accountId} ` : idOf(after), $lt: `${accountId}!` },
    ...(series && { series }),
    ...(model && { model }),
    ...((from ?? to) && { day: { ...(from && { $gte: from }), ...(to && { $lte: to }) } }),
  };
  return (await collection.find(filter).sort({ _id: 1 }).limit(limit).toArray()).map(toRow);
}

async function trim(collection: Collection<RecordDocument>, accountId: string, mostRows: number): Promise<void> {
  const excess = (await collection.countDocuments(ofAccount(accountId))) - mostRows;
  if (excess <= 0) return;
  const [last] = await collection
    .find(ofAccount(accountId), { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .skip(excess - 1)
    .limit(1)
    .toArray();
  if (last !== undefined) await collection.deleteMany({ _id: { $gte: `${accountId} `, $lte: last._id } });
}
