import { expect } from 'chai';
import { EMPTY_TALLY } from '../../../../src/engine/live/score.ts';
import {
  dayOf,
  NO_TRACK_RECORD,
  PAGE_ROWS,
  readRecord,
  type RecordPage,
  type RecordRow,
} from '../../../../src/service/live/TrackRecord.ts';
import { sampleRecord } from '../../../support/sampleAccount.ts';

describe('readRecord', () => {
  for (const count of [0, 1, PAGE_ROWS - 1, PAGE_ROWS, PAGE_ROWS + 1, 3 * PAGE_ROWS + 7])
    it(`reads ${count} rows, page by page, each after the last row of the one before`, async () => {
      const all = Array.from({ length: count }, (_, i): RecordRow => ({ ...sampleRecord('a', { series: `s${i}` }), tally: EMPTY_TALLY }));
      const pages: RecordPage[] = [];
      const listRecords = (page: RecordPage): Promise<readonly RecordRow[]> => {
        pages.push(page);
        const from = page.after === undefined ? 0 : all.findIndex(({ series }) => series === page.after?.series) + 1;
        return Promise.resolve(all.slice(from, from + page.limit));
      };
      expect(await readRecord({ listRecords }, { accountId: 'a', from: '2026-01-01' })).to.deep.equal(all);
      expect(pages).to.have.length(Math.floor(count / PAGE_ROWS) + 1);
      expect(pages[0]).to.deep.equal({ accountId: 'a', from: '2026-01-01', limit: PAGE_ROWS, after: undefined });
    });
});

describe('dayOf', () => {
  it('is the UTC day, in whatever order days are asked', () => {
    const [midnight, day] = [Date.UTC(2024, 1, 29), 86_400_000];
    for (const [ms, text] of [
      [midnight - 1, '2024-02-28'],
      [midnight, '2024-02-29'],
      [midnight + day - 1, '2024-02-29'],
      [midnight + day, '2024-03-01'],
      [midnight, '2024-02-29'],
      [0, '1970-01-01'],
    ] as const)
      // prettier-ignore
      expect(dayOf(ms)).to.equal(text);
  });
});

it('NO_TRACK_RECORD has no rows', async () => {
  NO_TRACK_RECORD.add(sampleRecord('a'), EMPTY_TALLY);
  NO_TRACK_RECORD.storeSoon();
  expect(await NO_TRACK_RECORD.rows({ accountId: 'a' })).to.deep.equal([]);
});
