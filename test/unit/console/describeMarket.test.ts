import { expect } from 'chai';
import { type Market, marketWords, profileLine, profileSteps, profileWords } from '../../../src/console/market/describeMarket.ts';

const MARKET: Market = {
  from: '2024-01-01T00:00:00.000Z',
  to: '2024-02-26T00:00:00.000Z',
  daylight: 'none',
  level_bps_per_sqrt_s: 0.1,
  level_until: '2024-05-20T00:00:00.000Z',
  clock_until: '2024-08-26T00:00:00.000Z',
  heads: ['h15m', 'hlong'],
  // Lively for ten minutes at noon.
  profile: Array.from({ length: 1440 }, (_, minute) => (minute >= 720 && minute < 730 ? 2 : minute < 10 ? 0.5 : 1)),
};

describe('the market of a version in the console', () => {
  it('is drawn by ten minutes, and the highest value touches the top', () => {
    expect(profileSteps(MARKET)).to.have.length(144);
    const { points, top } = profileLine(MARKET, 100);
    expect(top).to.equal(2);
    expect(points.split(' ')[0]).to.equal('5,75.0');
    expect(points.split(' ')[72]).to.equal('725,0.0');
  });

  it('is told in words: quietest and liveliest time, and the clock', () => {
    expect(profileWords(MARKET)).to.equal(
      'Usual size of a one-minute move by time of day (UTC); 1 is the mean. Quietest at 00:00 (0.50), liveliest at 12:00 (2.00).',
    );
    expect(profileWords({ ...MARKET, daylight: 'us' })).to.include('following the clock changes of the US');
  });

  it('says until when it is used, at the time of the window', () => {
    const at = (day: string): string => marketWords(MARKET, Date.parse(day));
    expect(at('2024-03-01')).to.equal(
      'Learned from 2024-01-01 to 2024-02-26; used by h15m, hlong. Its level is used until 2024-05-20, the time of day until 2024-08-26.',
    );
    expect(at('2024-06-01')).to.include('Its level is too old since 2024-05-20, the time of day until 2024-08-26.');
    expect(at('2024-09-01')).to.include('Too old for this window since 2024-08-26: the base answers.');
    expect(marketWords({ ...MARKET, heads: [] }, 0)).to.include('used by no head');
  });
});
