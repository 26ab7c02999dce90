import { expect } from 'chai';
import type { Coverage } from '../../../../src/engine/scoring/coverage.ts';
import { RecordWatch } from '../../../../src/service/accounts/RecordWatch.ts';
import { silentLogger } from '../../../../src/core/Logger.ts';
import type { RecordQuery, RecordRow } from '../../../../src/service/live/TrackRecord.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { expectDocumentedAlert } from '../../../support/request.ts';
import { sampleAccount, sampleRecord, sampleWebhook } from '../../../support/sampleAccount.ts';

const counts = { forecasts: 400, outcomes: 400, marks: 100, hits: 20, moved: 100, squaredDifferenceSum: 0.01 };
const WORSE = sampleRecord('a', { tally: { ...counts, brierSum: 100, baselineBrierSum: 60 } });
const atLevel = (covered: number): Coverage => ({ level: 0.9, outcomes: 400, covered, overlapSum: 400 });
const BETTER = sampleRecord('a', { tally: { ...counts, brierSum: 60, baselineBrierSum: 100 } });

describe('RecordWatch', () => {
  it('sends record.worse once for each time that the last 30 days become worse, over all processes', async () => {
    const store = new MemoryStore();
    await store.createAccount(sampleAccount('a', { webhooks: [sampleWebhook('1')] }));
    await store.createAccount(sampleAccount('b'));
    const clock = new FakeClock();
    let rows: RecordRow[] = [WORSE];
    const queries: RecordQuery[] = [];
    const sent: unknown[] = [];
    const watchOf = (): RecordWatch =>
      new RecordWatch({
        ...{ store, clock, logger: silentLogger },
        trackRecord: { rows: async (query) => (queries.push(query), rows) },
        alerts: {
          add: (accountId, type, dataFor) => {
            const data = dataFor(sampleWebhook('1'))!;
            expectDocumentedAlert({ type, timestamp: '2024-01-02T09:33:18.250Z', data });
            const { difference, narrow_ranges: narrow } = data as { difference: number; narrow_ranges: unknown[] };
            sent.push([accountId, type, difference, ...(narrow.length === 0 ? [] : [narrow])]);
          },
        },
      });
    const look = async (watch: RecordWatch): Promise<void> => {
      watch.note('a');
      watch.note('b');
      await watch.check();
    };
    const [one, other] = [watchOf(), watchOf()];
    for (const watch of [one, other, one]) await look(watch);
    expect(sent).to.deep.equal([['a', 'record.worse', -0.1]]);
    rows = [BETTER];
    await look(other);
    rows = [WORSE];
    await look(one);
    expect(sent).to.have.length(2);
    expect(queries.every(({ accountId }) => accountId === 'a')).to.equal(true);
    // 320 of 400 in 90 % ranges are too few, 350 could be chance.
    rows = [{ ...BETTER, tally: { ...BETTER.tally, coverage: [atLevel(350)] } }];
    await look(one);
    expect(sent).to.have.length(2);
    rows = [{ ...BETTER, tally: { ...BETTER.tally, coverage: [atLevel(320)] } }];
    for (const watch of [one, other]) await look(watch);
    expect(sent.slice(2)).to.deep.equal([['a', 'record.worse', 0.1, [{ level: 0.9, share: 0.8, outcomes: 400 }]]]);
    await one.check();
    expect(queries).to.have.length(8);
    for (const watch of [one, other]) watch.close();
  });

  it('sends it while one of several targets has not heard of it, and nothing if the record is not worse', async () => {
    for (const [row, times] of [
      [WORSE, 1],
      [BETTER, 0],
    ] as const) {
      const store = new MemoryStore();
      await store.createAccount(sampleAccount('a', { webhooks: [sampleWebhook('1', { recordIsWorse: true }), sampleWebhook('2')] }));
      const sent: string[] = [];
      const alerts = { add: (_account: string, type: string) => void sent.push(type) };
      const watch = new RecordWatch({
        store,
        clock: new FakeClock(),
        logger: silentLogger,
        trackRecord: { rows: async () => [row] },
        alerts,
      });
      watch.note('a');
      await watch.check();
      watch.close();
      expect(sent).to.deep.equal(Array(times).fill('record.worse'));
    }
  });
});
