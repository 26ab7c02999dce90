import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { BufferedTrackRecord } from '../../../../src/service/live/BufferedTrackRecord.ts';
import { EMPTY_TALLY } from '../../../../src/engine/live/score.ts';
import type { RecordRow } from '../../../../src/service/live/TrackRecord.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { sampleRecord } from '../../../support/sampleAccount.ts';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('BufferedTrackRecord', () => {
  let clock: FakeClock;
  let store: MemoryStore;
  let batches: [string, readonly RecordRow[]][];
  let warnings: unknown[][];
  let record: BufferedTrackRecord;

  beforeEach(() => {
    clock = new FakeClock();
    store = new MemoryStore();
    batches = [];
    warnings = [];
    const add = store.addRecords.bind(store);
    store.addRecords = async (rows, batch) => {
      batches.push([batch, rows]);
      await add(rows, batch);
    };
    let ids = 0;
    const logger = { ...SILENT, warn: (...args: unknown[]) => void warnings.push(args) };
    record = new BufferedTrackRecord({ store, clock, logger, newBatchId: () => `${++ids}` });
  });

  const add = (forecasts: number, given: Parameters<typeof sampleRecord>[1] = {}): void => {
    record.add(sampleRecord('a', given), { ...EMPTY_TALLY, forecasts });
  };
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 50; i++) await Promise.resolve();
  };

  it('writes the sum of each key every 10 s with the day of its clock, and nothing without additions', async () => {
    add(1);
    add(2);
    add(5, { day: '2026-11-24' });
    clock.advance(9_999);
    expect(batches).to.deep.equal([]);
    clock.advance(1);
    await settle();
    expect(batches.map(([id, rows]) => [id, rows.map(({ tally }) => tally.forecasts)])).to.deep.equal([['1', [3, 5]]]);
    expect(batches[0][1].map(({ day, addedDay }) => [day, addedDay])).to.deep.equal([
      ['2026-11-23', '2024-01-01'],
      ['2026-11-24', '2024-01-01'],
    ]);
    clock.advance(60_000);
    await settle();
    expect(batches).to.have.length(1);
    expect(warnings).to.deep.equal([]);
  });

  it('writes at once when a series ends, but at most once a second', async () => {
    add(1);
    record.storeSoon();
    await settle();
    expect(batches.map(([, rows]) => rows[0]?.tally.forecasts)).to.deep.equal([1]);
    for (let i = 0; i < 5; i++) {
      add(2);
      record.storeSoon();
      clock.advance(199);
      await settle();
    }
    expect(batches).to.have.length(1);
    clock.advance(5);
    await settle();
    expect(batches.map(([, rows]) => rows[0]?.tally.forecasts)).to.deep.equal([1, 10]);
    clock.advance(60_000);
    record.storeSoon();
    await settle();
    expect(batches).to.have.length(2);
    clock.advance(1000);
    add(1);
    record.storeSoon();
    await settle();
    expect(batches, 'a second after the last write').to.have.length(3);
  });

  it('writes at most 100 rows at a time', async () => {
    for (let i = 0; i < 250; i++) add(1, { series: `s${i}` });
    await record.flush();
    expect(batches.map(([, rows]) => rows.length)).to.deep.equal([100, 100, 50]);
  });

  it('repeats a failed batch under its id, and keeps what is added meanwhile for the next one', async () => {
    add(1);
    store.failure = new ServiceError('store.unavailable', 'down');
    clock.advance(10_000);
    await settle();
    add(2);
    clock.advance(10_000);
    await settle();
    store.failure = undefined;
    const error = new ServiceError('store.unavailable', 'down');
    expect(warnings.map(([, fields]) => String((fields as { error: unknown }).error))).to.deep.equal([`${error}`, `${error}`]);
    await record.flush();
    expect(batches.map(([id, rows]) => [id, rows[0]?.tally.forecasts])).to.deep.equal([
      ['1', 1],
      ['1', 1],
      ['1', 1],
      ['2', 2],
    ]);
  });

  it('drops rows of the account with the most, not those of others', async () => {
    record.add(sampleRecord('b', {}), { ...EMPTY_TALLY, forecasts: 1 });
    for (let i = 0; i < 20_010; i++) add(1, { series: `s${i}` });
    await record.flush();
    expect(batches.flatMap(([, rows]) => rows).filter(({ accountId }) => accountId === 'b')).to.have.length(1);
    expect(warnings).to.deep.equal([['track record incomplete: the store did not answer for too long', { dropped: 11 }]]);
  });

  it('bounds what waits for a store that does not answer, and logs how much was dropped', async () => {
    for (let i = 0; i < 20_010; i++) add(1, { series: `s${i}` });
    add(1, { series: 's10' });
    await record.flush();
    expect(store.records).to.have.length(20_000);
    expect(store.records[0]?.tally.forecasts).to.equal(2);
    expect(warnings).to.deep.equal([['track record incomplete: the store did not answer for too long', { dropped: 10 }]]);
  });

  it('includes what is not written yet in the rows, and throws while the store does not answer', async () => {
    add(4);
    expect((await record.rows({ accountId: 'a' })).map(({ tally }) => tally.forecasts)).to.deep.equal([4]);
    add(1);
    store.failure = new ServiceError('store.unavailable', 'down');
    const error = await record.rows({ accountId: 'a' }).catch((thrown: unknown) => thrown);
    expect(error).to.equal(store.failure);
  });
});
