import { expect } from 'chai';
import { minuteMoves } from '../../../../src/engine/features/learnProfile.ts';
import { historyOf, learnMarket } from '../../../../training/market/clockRows.ts';
import { profileTimes } from '../../../../training/market/profileTimes.ts';
import { busyAfternoon, marketTicks } from '../../../support/marketTicks.ts';

describe('the profile of a market in the report', () => {
  it('is near the truth, inside its intervals at most half hours', () => {
    const { timesUs, prices } = marketTicks({ seed: 2, weeks: 6, gapS: 15 });
    const minutes = new Map<number, number>();
    timesUs.forEach((us, i) => minutes.set(Math.floor(us / 60e6), prices[i] as number));
    const history = historyOf(minuteMoves([...minutes.keys()], [...minutes.values()]), 'none');
    const profile = learnMarket(history);
    if (profile === null) throw new Error('no profile');
    const times = profileTimes({ history, profile });
    expect(times).to.have.length(48);
    const errors = times.map(({ minute, shape }) => Math.abs(shape - busyAfternoon((minute + 15) / 60)));
    expect(Math.max(...errors)).to.be.below(0.2);
    const inside = times.filter(({ shape, low, high }) => shape >= low && shape <= high).length;
    expect(inside).to.be.at.least(40);
    expect(times[20]).to.deep.include({ minute: 600 });
    expect(times[20]?.days).to.be.at.least(29);
  });
});
