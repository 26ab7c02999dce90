import { expect } from 'chai';
import { marketDaylight } from '../../../../training/market/marketDaylight.ts';
import { newYork, weeksFrom } from '../../../support/minuteWeeks.ts';

/** Eight weeks of 2024: without a clock change, and around that of New York on March 10. */
const WINTER = '2024-01-08';
const BOTH = '2024-02-05';
const peakAt = (hour: number): number => (hour >= 13.5 && hour < 14 ? 6 : 1);

describe('the daylight-saving rule of a market', () => {
  it('is that of the United States for weeks that end at 17:00 New York time', () => {
    expect(marketDaylight(weeksFrom(WINTER))).to.deep.equal({ rule: 'us', byClose: true, scores: { us: null, eu: null } });
  });

  it('is none for weeks that end at another time, and for a market without a weekend', () => {
    const { minute, size } = weeksFrom(WINTER);
    expect(marketDaylight({ minute: minute.map((at) => at + 60), size })).to.deep.include({ rule: 'none', byClose: false });
    expect(marketDaylight(weeksFrom(WINTER, { isOpen: () => true }))).to.deep.include({ rule: 'none', byClose: false });
  });

  it('follows the volatility where the weeks contain a clock change', () => {
    const inUtc = marketDaylight(weeksFrom(BOTH, { weeks: 8, busy: peakAt }));
    expect(inUtc).to.deep.include({ rule: 'none', byClose: false });
    expect(inUtc.scores.us).to.be.below(-2);
    const inNewYork = weeksFrom(BOTH, { weeks: 8, busy: (_, utc) => peakAt(((newYork(utc) + 300) / 60) % 24) });
    expect(marketDaylight(inNewYork)).to.deep.include({ rule: 'us', byClose: false });
  });
});
