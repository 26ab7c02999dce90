import { expect } from 'chai';
import { RecordWatch } from '../../../../src/service/accounts/RecordWatch.ts';
import { silentLogger } from '../../../../src/core/Logger.ts';
import type { RecordQuery, RecordRow } from '../../../../src/service/live/TrackRecord.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { expectDocumentedAlert } from '../../../support/request.ts';
import { sampleAccount, sampleRecord, sampleWebhook } from '../../../support/sampleAccount.ts';

const counts = { forecasts: 400, outcomes: 400, marks: 100, hits: 20, moved: 100, squaredDifferenceSum: 0.01 };
const WORSE = sampleRecord('a', { tally: { ...counts, brierSum: 100, baselineBrierSum: 60 } });
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
          add: (accountId, type, data) => {
            expectDocumentedAlert({ type, timestamp: '2024-01-02T09:33:18.250Z', data });
            sent.push([accountId, type, (data as { difference: number }).difference]);
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
    await one.check();
    expect(queries).to.have.length(5);
    for (const watch of [one, other]) watch.close();
  });
});
