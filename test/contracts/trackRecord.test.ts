import { expect } from 'chai';
import type { AccountStore } from '../../src/service/accounts/AccountStore.ts';
import type { Coverage } from '../../src/engine/scoring/coverage.ts';
import type { Bin } from '../../src/engine/live/bins.ts';
import { EMPTY_TALLY, type Tally } from '../../src/engine/live/score.ts';
import type { RecordRow } from '../../src/service/live/TrackRecord.ts';
import { describeEachStore } from '../support/eachStore.ts';
import { sampleAccount, sampleEvent, sampleRecord } from '../support/sampleAccount.ts';

/** Contract of the track record of every account store (see the port). */
describeEachStore('track record', ({ kind, open }) => {
  const all = (store: AccountStore, accountId = 'a'): Promise<readonly RecordRow[]> => store.listRecords({ accountId, limit: 1000 });

  it('adds to the row of a key, and keeps rows apart that differ in any part of it', async () => {
    const store = await open();
    for (const id of ['a', 'b']) await store.createAccount(sampleAccount(id));
    const tally = {
      forecasts: 7,
      outcomes: 5,
      unscored: 1,
      marks: 3,
      hits: 2,
      moved: 4,
      brierSum: 0.75,
      baselineBrierSum: 1.5,
      squaredDifferenceSum: 0.125,
      markOverlapSum: 4.5,
    };
    const first = sampleRecord('a', { tally });
    const others = [
      sampleRecord('b', { tally }),
      sampleRecord('a', { series: 'eurusd.2', tally }),
      sampleRecord('a', { model: 'base-2', tally }),
      sampleRecord('a', { bucket: 'h30s', tally }),
      sampleRecord('a', { ownThreshold: true, tally }),
      sampleRecord('a', { day: '2026-11-24', tally }),
    ];
    await store.addRecords([first, ...others], '1');
    const more = { ...tally, brierSum: 0.1, squaredDifferenceSum: 1e-9 };
    await store.addRecords([sampleRecord('a', { tally: more })], '2');
    const rows = await all(store);
    expect(rows).to.have.length(6);
    const found = rows.find(
      ({ day, series, model, bucket, ownThreshold }) =>
        `${day}${series}${model}${bucket}${ownThreshold}` === '2026-11-23eurusdbase-1h3mfalse',
    );
    expect(found?.tally).to.deep.equal({
      ...{ forecasts: 14, outcomes: 10, unscored: 2, marks: 6, hits: 4, moved: 8 },
      ...{ brierSum: 0.75 + 0.1, baselineBrierSum: 3, squaredDifferenceSum: 0.125 + 1e-9, markOverlapSum: 9 },
    });
    expect(await all(store, 'b')).to.deep.equal([others[0]]);
  });

  const bin = (tenth: number, outcomes: number, probabilitySum: number): Bin => ({ tenth, outcomes, moved: 1, probabilitySum });
  const at = (level: number, outcomes: number, covered: number): Coverage => ({ level, outcomes, covered, overlapSum: 1.5 * outcomes });
  const rate = { outcomes: 2, brierSum: 0.5, forecastBrierSum: 0.25, squaredDifferenceSum: 0.125 };
  const touches = { ...rate, levels: 5, reached: 3 };
  const twice = <Sums extends object>(sums: Sums) => Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, 2 * Number(sum)]));
  const lists: [what: string, first: Partial<Tally>, second: Partial<Tally>, both: object][] = [
    [
      'bins up by tenth',
      { bins: [bin(3, 4, 1.25)] },
      { bins: [bin(9, 1, 1), bin(3, 2, 0.75), bin(0, 1, 0)] },
      { bins: [bin(0, 1, 0), { ...bin(3, 6, 2), moved: 2 }, bin(9, 1, 1)] },
    ],
    [
      'ranges up by level',
      { coverage: [at(0.8, 4, 3)] },
      { coverage: [at(0.9, 2, 2), at(0.8, 6, 5), at(0.5, 2, 0)] },
      { coverage: [at(0.5, 2, 0), at(0.8, 10, 8), at(0.9, 2, 2)] },
    ],
    ['the sums of the base rate up', { baseRateSums: rate }, { baseRateSums: rate }, { baseRateSums: twice(rate) }],
    ['the sums of touches up', { touchSums: touches }, { touchSums: touches }, { touchSums: twice(touches) }],
  ];
  for (const [what, first, second, both] of lists)
    it(`adds ${what}, next to rows without them, and never twice for one batch`, async () => {
      const store = await open();
      await store.createAccount(sampleAccount('a'));
      const row = (tally: Partial<Tally>): RecordRow => sampleRecord('a', { tally: { ...EMPTY_TALLY, outcomes: 2, ...tally } });
      await store.addRecords([row({})], '1');
      expect((await all(store))[0]?.tally).to.deep.equal({ ...EMPTY_TALLY, outcomes: 2 });
      await store.addRecords([row(first)], '2');
      await store.addRecords([row({})], '3');
      for (let i = kind === 'sqlite' ? 1 : 0; i < 2; i++) await store.addRecords([row(second)], '4');
      const [found] = await all(store);
      expect(found?.tally).to.deep.equal({ ...EMPTY_TALLY, outcomes: 8, ...both });
      expect(await all(await open())).to.deep.equal([found]);
    });

  it('lists by day, series, version, bucket and threshold, page by page, filtered', async () => {
    const store = await open();
    await store.createAccount(sampleAccount('a'));
    const rows = ['2026-11-22', '2026-11-23'].flatMap((day) =>
      ['BTC-USD', 'btc', 'btc.2', 'btc2'].flatMap((series) =>
        ['base-1', 'mine'].flatMap((model) => [false, true].map((ownThreshold) => sampleRecord('a', { day, series, model, ownThreshold }))),
      ),
    );
    await store.addRecords(rows.toReversed(), '1');
    expect(await all(store)).to.deep.equal(rows);
    const paged: RecordRow[] = [];
    for (let page: readonly RecordRow[] = []; paged.length === 0 || page.length > 0;) {
      const after = paged.at(-1);
      page = await store.listRecords({ accountId: 'a', series: 'btc', limit: 3, ...(after === undefined ? {} : { after }) });
      paged.push(...page);
    }
    expect(paged).to.deep.equal(rows.filter(({ series }) => series === 'btc'));
    const filtered = await store.listRecords({ accountId: 'a', model: 'mine', from: '2026-11-23', to: '2026-11-23', limit: 99 });
    expect(filtered).to.deep.equal(rows.filter(({ day, model }) => day === '2026-11-23' && model === 'mine'));
    expect(await store.listRecords({ accountId: 'a', to: '2026-11-21', limit: 99 })).to.deep.equal([]);
    expect(await store.listRecords({ accountId: '', limit: 99 })).to.deep.equal([]);
  });

  it('loses and repeats nothing if two handles add 20 times at the same time', async () => {
    const stores = [await open(), await open()];
    await stores[0]?.createAccount(sampleAccount('a'));
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        stores[i % 2]?.addRecords(
          [sampleRecord('a'), sampleRecord('a', { day: '2026-11-24', tally: { outcomes: 1, brierSum: 0.5 } })],
          `batch-${i}`,
        ),
      ),
    );
    const rows = await all(stores[0] as AccountStore);
    expect(rows.map(({ tally }) => [tally.forecasts, tally.brierSum])).to.deep.equal([
      [20, 0],
      [20, 10],
    ]);
  });

  if (kind === 'mongodb')
    it('adds a batch once that is sent again because its answer was lost', async () => {
      const store = await open();
      await store.createAccount(sampleAccount('a'));
      await store.addRecords([sampleRecord('a')], '1');
      const rest = sampleRecord('a', { day: '2026-11-24' });
      await store.addRecords([sampleRecord('a'), rest], '1');
      expect(await all(store)).to.deep.equal([sampleRecord('a'), rest]);
    });

  it('deletes the record with the account, and adds nothing for an account that does not exist', async () => {
    const store = await open();
    for (const id of ['a', 'ab']) await store.createAccount(sampleAccount(id));
    await store.addRecords([sampleRecord('a'), sampleRecord('ab')], '1');
    await store.deleteAccount('a', sampleEvent('1', 'a', { action: 'account.deleted' }));
    // What another process had not written yet.
    await store.addRecords([sampleRecord('a'), sampleRecord('ab')], '2');
    await store.importRecords([sampleRecord('a')]);
    expect(await all(store)).to.deep.equal([]);
    expect((await all(store, 'ab')).map(({ tally }) => tally.forecasts)).to.deep.equal([2]);
  });

  it('keeps at most so many rows an account, those of the last days', async () => {
    const store = await open({ mostRecords: 3 });
    for (const id of ['a', 'b']) await store.createAccount(sampleAccount(id));
    const days = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'];
    await store.addRecords([sampleRecord('b'), ...days.slice(0, 2).map((day) => sampleRecord('a', { day }))], '1');
    await store.addRecords(
      days.map((day) => sampleRecord('a', { day })),
      '2',
    );
    expect((await all(store)).map(({ day }) => day)).to.deep.equal(days.slice(2));
    expect(await all(store, 'b')).to.have.length(1);
  });

  it('imports only rows that do not exist, with bins and ranges', async () => {
    const store = await open();
    await store.createAccount(sampleAccount('a'));
    await store.addRecords([sampleRecord('a')], '1');
    const bins = [{ tenth: 3, outcomes: 4, moved: 1, probabilitySum: 1.25 }];
    const coverage = [{ level: 0.9, outcomes: 2, covered: 1, overlapSum: 3 }];
    const other = sampleRecord('a', { day: '2026-11-24', tally: { ...EMPTY_TALLY, outcomes: 4, bins, coverage } });
    for (let i = 0; i < 2; i++) await store.importRecords([sampleRecord('a', { tally: { forecasts: 9 } }), other]);
    expect(await all(store)).to.deep.equal([sampleRecord('a'), other]);
  });

  it('deletes the rows that were last added to before a day; those of an earlier release by their own day', async () => {
    const store = await open();
    await store.createAccount(sampleAccount('a'));
    const row = (day: string, addedDay?: string): RecordRow => sampleRecord('a', { day, ...(addedDay && { addedDay }) });
    await store.addRecords([row('2018-01-02', '2026-11-20'), row('2018-01-03', '2026-11-23'), row('2026-11-22'), row('2026-11-24')], '1');
    // Added to later, and in the wrong order by two processes.
    await store.addRecords([row('2018-01-02', '2026-11-24'), row('2026-11-22', '2026-11-24')], '2');
    await store.addRecords([row('2018-01-02', '2026-11-21'), row('2018-01-02'), row('2026-11-24', '2026-11-25')], '3');
    const added = async () => (await all(store)).map(({ day, addedDay }) => [day, addedDay]);
    const kept = [
      ['2018-01-02', '2026-11-24'],
      ['2018-01-03', '2026-11-23'],
      ['2026-11-22', '2026-11-24'],
      ['2026-11-24', '2026-11-25'],
    ];
    expect(await added()).to.deep.equal(kept);
    await store.importRecords([row('2018-02-01', '2026-11-24'), row('2026-11-21')]);
    expect(await store.pruneRecords('2026-11-24')).to.equal(2);
    expect(await added()).to.deep.equal([kept[0], ['2018-02-01', '2026-11-24'], ...kept.slice(2)]);
  });
});
