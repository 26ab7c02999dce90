import { expect } from 'chai';
import { driftNote, profileDrift } from '../../../../training/market/profileDrift.ts';
import { weeksOf } from '../../../../training/market/updateWeeks.ts';
import { smallMarket } from '../../../support/smallMarket.ts';

const DAY_US = 86_400e6;
const WEEK_US = 7 * DAY_US;

describe('the weeks of an update', () => {
  const market = { fromUs: 100 * WEEK_US, toUs: 110 * WEEK_US };

  it('are as many as those of the version before, up to the newest tick', () => {
    expect(weeksOf('a', market, 0, 114 * WEEK_US)).to.deep.equal({ fromUs: 104 * WEEK_US, lastUs: 114 * WEEK_US });
    expect(weeksOf('a', market, 105 * WEEK_US, 114 * WEEK_US).fromUs).to.equal(105 * WEEK_US);
  });

  it('are at least eight', () => {
    expect(weeksOf('a', { fromUs: 107 * WEEK_US, toUs: 110 * WEEK_US }, 0, 111 * WEEK_US).fromUs).to.equal(103 * WEEK_US);
  });

  it('need about a week of newer ticks', () => {
    expect(() => weeksOf('a', market, 0, market.toUs + 5 * DAY_US)).to.throw('a has learned up to 1972-02-10 00:00:00.000');
    expect(weeksOf('a', market, 0, market.toUs + 6 * DAY_US).lastUs).to.equal(market.toUs + 6 * DAY_US);
  });

  it('need files that reach back to the weeks before', () => {
    expect(() => weeksOf('a', market, market.toUs + 1, 114 * WEEK_US)).to.throw('A version stores no ticks');
  });
});

describe('the drift of a profile', () => {
  it('is none between equal ones, also under another daylight-saving rule that shifts the same sessions', () => {
    expect(profileDrift(smallMarket(), smallMarket())).to.deep.equal({ correlation: 1, levelRatio: 1 });
    const summerUs = Date.UTC(2024, 6, 1) * 1000;
    const shifted = smallMarket({ toUs: summerUs, daylight: 'us' });
    const inUtc = smallMarket({ toUs: summerUs, shape: shifted.shape.map((_, minute) => shifted.shape[(minute + 60) % 1440]!) });
    expect(profileDrift(inUtc, shifted).correlation).to.be.closeTo(1, 1e-12);
  });

  it('is opposite for a market whose night became its day', () => {
    const { correlation, levelRatio } = profileDrift(smallMarket(), smallMarket({ shape: smallMarket().shape.toReversed(), level: 2e-5 }));
    expect(correlation).to.be.closeTo(-1, 1e-12);
    expect(driftNote('a', { correlation, levelRatio })).to.equal('Since a: correlation of the profiles -1.000, level 2.00 times as high.');
  });
});
