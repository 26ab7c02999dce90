import { expect } from 'chai';
import * as fc from 'fast-check';
import { LiveResume } from '../../../clients/typescript/src/live/LiveResume.ts';
import type { LiveServerMessage } from '../../../clients/typescript/src/live/messages.ts';

const DUES = 24;
/** Outcomes are known three forecasts later. */
const LATER = 3;
const timeOf = (due: number): string => `2024-01-02 09:00:${String(due).padStart(2, '0')}.000`;
const forecast = (n: number, due: number): LiveServerMessage =>
  ({ type: 'forecast', series: 's', id: 'a', n, timestamp: timeOf(due) }) as unknown as LiveServerMessage;
const outcome = (n: number): LiveServerMessage => ({ type: 'outcome', series: 's', id: 'a', n }) as unknown as LiveServerMessage;

/** One connection: at which due forecast it ends, which are skipped, and in which order those that are computed at the same time come. */
type Connection = { readonly upTo: number; readonly skipped: readonly number[]; readonly order: readonly number[] };

/** What a service sends on a connection that resumes after `after`: forecasts of a group in any order, then the outcomes that are known. */
function* messagesOf({ upTo, skipped, order }: Connection, after: string | undefined): Generator<LiveServerMessage> {
  const first =
    after === undefined ? 0 : Array.from({ length: DUES }, (_, due) => due).filter((due) => timeOf(due) <= after.slice(0, 23)).length;
  let settled = first;
  for (let from = first; from < upTo; from += LATER) {
    const group = Array.from({ length: Math.min(LATER, upTo - from) }, (_, i) => from + i).sort((x, y) => order[x] - order[y]);
    for (const due of group) if (!skipped.includes(due)) yield forecast(due - first, due);
    for (; settled + LATER < from + LATER; settled++) if (!skipped.includes(settled)) yield outcome(settled - first);
  }
}

describe('LiveResume', () => {
  it('gives each forecast a number of its own, and each outcome that of its forecast, in whatever order they come on each connection', () => {
    const connection = fc.record({
      upTo: fc.integer({ min: 1, max: DUES }),
      skipped: fc.array(fc.integer({ min: 0, max: DUES - 1 }), { maxLength: 4 }),
      order: fc.array(fc.integer(), { minLength: DUES, maxLength: DUES }),
    });
    fc.assert(
      fc.property(fc.array(connection, { minLength: 1, maxLength: 4 }), (connections) => {
        const resume = new LiveResume();
        const spots = new Map<number, string>();
        const settled = new Set<number>();
        // The last connection is whole.
        for (const each of [...connections, { upTo: DUES, skipped: [], order: connections[0].order }]) {
          resume.restart();
          for (const message of messagesOf(each, resume.after('s', 'a'))) {
            const read = resume.read(message) as { type: string; n: number; timestamp: string } | undefined;
            if (read === undefined) continue;
            if (read.type === 'forecast') {
              expect([spots.get(read.n), [...spots.values()].includes(read.timestamp)], JSON.stringify(read)).to.deep.equal([
                undefined,
                false,
              ]);
              expect(timeOf(read.n), 'numbered as on one connection').to.equal(read.timestamp);
              spots.set(read.n, read.timestamp);
            } else {
              expect([spots.has(read.n), settled.has(read.n)], JSON.stringify(read)).to.deep.equal([true, false]);
              settled.add(read.n);
            }
          }
        }
        const owed = [...spots.keys()].filter((n) => n < DUES - LATER && !settled.has(n));
        expect(owed, 'forecasts without outcome').to.deep.equal([]);
      }),
      { numRuns: 2000 },
    );
  });
});
