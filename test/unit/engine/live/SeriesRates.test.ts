import { expect } from 'chai';
import fc from 'fast-check';
import { horizonClass, LEAST_FORECASTS, SeriesRates, type RateKey } from '../../../../src/engine/live/SeriesRates.ts';

const KEY: RateKey = { accountId: 'a', series: 's', horizon: 23, minMoveBps: null };

describe('SeriesRates', () => {
  const filled = (probabilities: readonly number[], model = 'm'): SeriesRates => {
    const rates = new SeriesRates();
    probabilities.forEach((probability, at) => rates.add(KEY, model, at + 1, probability));
    return rates;
  };
  const ramp = (count: number): number[] => Array.from({ length: count }, (_, at) => ((at * 7) % count) / count);

  it('knows no cut until 200 forecasts are known', () => {
    expect(filled(ramp(LEAST_FORECASTS - 1)).cut(KEY, 0.05)).to.equal(null);
    expect(filled(ramp(LEAST_FORECASTS)).cut(KEY, 0.05)).to.equal(190 / 200);
  });

  it('marks at least one and at most the wanted fraction of different probabilities, of the last 1,000', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 200, maxLength: 1300 }),
        fc.double({ min: 0.001, max: 0.5, noNaN: true }),
        (all, rate) => {
          // prettier-ignore
          const last = all.slice(-1000);
          const marked = last.filter((probability) => probability >= filled(all).cut(KEY, rate)!).length;
          expect(marked).to.equal(Math.max(1, Math.floor(rate * last.length)));
        },
      ),
      { numRuns: 30 },
    );
  });

  const rates = filled(ramp(300));
  const others: [string, Partial<RateKey>][] = [
    ['account', { accountId: 'b' }],
    ['series', { series: 't' }],
    ['horizon', { horizon: 24 }],
    ['threshold', { minMoveBps: 2 }],
  ];
  for (const [what, other] of others) it(`counts each ${what} alone`, () => expect(rates.cut({ ...KEY, ...other }, 0.1)).to.equal(null));

  it('counts a repeated request once, nothing without a probability, and another version from the start', () => {
    const own = filled(ramp(LEAST_FORECASTS - 1));
    own.add(KEY, 'm', LEAST_FORECASTS - 1, 0.5);
    own.add(KEY, 'm', LEAST_FORECASTS, null);
    expect(own.cut(KEY, 0.05)).to.equal(null);
    own.add(KEY, 'm', LEAST_FORECASTS, 0.5);
    expect(own.cut(KEY, 0.05)).to.be.a('number');
    own.add(KEY, 'other', LEAST_FORECASTS + 1, 0.5);
    expect(own.cut(KEY, 0.05)).to.equal(null);
  });

  it('forgets the series that was not used for longest beyond 1,000 of an account', () => {
    const many = filled(ramp(300));
    for (let at = 0; at < 1000; at++) many.add({ ...KEY, series: `s${at}` }, 'm', 1, 0.5);
    expect(many.cut(KEY, 0.05)).to.equal(null);
  });

  it('keeps the series of an account however many another one names', () => {
    const many = filled(ramp(300));
    for (let at = 0; at < 3000; at++) many.add({ ...KEY, accountId: 'b', series: `s${at}` }, 'm', 1, 0.5);
    expect(many.cut(KEY, 0.05)).to.be.a('number');
    expect(many.accounts()).to.deep.equal(['a', 'b']);
    many.forget('a');
    expect(many.cut(KEY, 0.05)).to.equal(null);
  });

  it('takes a horizon and one that is a little longer as the same', () => {
    for (const seconds of [5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600])
      expect(horizonClass(seconds * 1.03), `${seconds} s`).to.equal(horizonClass(seconds));
    expect(horizonClass(10)).to.not.equal(horizonClass(15));
  });
});
