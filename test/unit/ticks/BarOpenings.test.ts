import { expect } from 'chai';
import { BarOpenings, type StampEvidence } from '../../../src/ticks/BarOpenings.ts';
import { sessionBars } from '../../support/sessionBars.ts';

type Options = Parameters<typeof sessionBars>[0] & { readonly hasRanges?: boolean };

/** What bars look like whose timestamps are `truth` and are read as `read`. */
function seen(truth: 'open' | 'close', read: 'open' | 'close' | null, { hasRanges = true, ...options }: Options): StampEvidence | null {
  const periodUs = (options.periodS ?? 60) * 1e6;
  const openings = new BarOpenings(periodUs, read);
  for (const { startUs, close, high, low } of sessionBars(options)) {
    const stampUs = truth === 'open' ? startUs : startUs + periodUs;
    const endUs = read === 'close' ? stampUs : stampUs + periodUs;
    if (hasRanges) openings.push(endUs, close, high, low);
    else openings.push(endUs, close);
  }
  return openings.evidence();
}

describe('what the timestamps of bars are, by the clock', () => {
  for (const periodS of [10, 60, 300])
    for (const truth of ['open', 'close'] as const)
      it(`is found from the first bars of five sessions: bars of ${periodS} s, ${truth}`, () => {
        for (const read of ['open', 'close', null] as const) {
          const evidence = seen(truth, read, { days: 6, periodS, busier: 1, hasRanges: false });
          expect(evidence?.barTime, String(read)).to.equal(truth);
          expect(evidence?.text).to.match(/^5 of 5 sessions begin (?:at|one bar (?:before|after)) a full or half hour/);
        }
      });

  it('is found without a pause of the market, from the busiest bars', () => {
    for (const truth of ['open', 'close'] as const)
      for (const read of ['open', 'close', null] as const) expect(seen(truth, read, { days: 5, hours: 24 })?.barTime).to.equal(truth);
    expect(seen('open', 'close', { days: 5, hours: 24 })?.text).to.match(/^bars that begin one bar before full and half hours are busier/);
  });

  it('is left open where the clock says nothing', () => {
    for (let seed = 0; seed < 30; seed++) expect(seen('open', 'close', { days: 5, hours: 24, busier: 1, seed })).to.equal(null);
    expect(seen('open', 'close', { days: 1 })).to.equal(null);
    // A quarter of an hour has no neighbours between two half hours.
    expect(seen('open', 'close', { days: 6, periodS: 900 })).to.equal(null);
  });
});
