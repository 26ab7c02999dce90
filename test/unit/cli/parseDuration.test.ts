import { expect } from 'chai';
import fc from 'fast-check';
import { formatDuration, parseDuration, shortHorizonText } from '../../../src/cli/parseOptions.ts';

describe('parseDuration', () => {
  it('reads a number and its unit as whole microseconds', () => {
    const cases: Record<string, number> = {
      '250ms': 250_000,
      '60s': 60_000_000,
      '5m': 300_000_000,
      '1h': 3_600_000_000,
      '1.5s': 1_500_000,
      '0.001ms': 1,
      ' 10s ': 10_000_000,
      '8784h': 31_622_400_000_000,
      '10min': 600_000_000,
      '1d': 86_400_000_000,
      '0.5d': 43_200_000_000,
    };
    for (const [text, us] of Object.entries(cases)) expect(parseDuration(text), text).to.equal(us);
  });

  it('refuses anything else with the form to write', () => {
    for (const text of ['', '60', 's', '60 s', '-5s', '+5s', '1e3s', '60S', '5mins', '1h30m', '1w', '.5s', '5.s', 'NaN', '60s;', '٦٠s'])
      expect(() => parseDuration(text), text).to.throw('60s, 5m, 1h or 1d');
  });

  it('asks of a number without a unit which one was meant', () => {
    expect(() => parseDuration(' 10 ')).to.throw(/Did you mean 10s or 10min\?$/);
    expect(() => parseDuration('1.5')).to.throw('Did you mean 1.5s or 1.5min?');
    expect(() => parseDuration('s')).to.throw(/1d\.$/);
  });

  it('refuses nothing, less than a microsecond, and more than 366 days', () => {
    for (const text of ['0s', '0.0001ms', '8785h', '367d', '999999999999h']) expect(() => parseDuration(text), text).to.throw('366 days');
  });

  it('reads back what formatDuration writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 31_622_400_000_000 }), (us) => {
        expect(parseDuration(formatDuration(us))).to.equal(us);
      }),
    );
  });

  it('is written in the largest unit that fits', () => {
    expect([60_000_000, 90_000_000, 3_600_000_000, 1_500_000, 250_000, 1].map(formatDuration)).to.deep.equal([
      '1m',
      '90s',
      '1h',
      '1.5s',
      '250ms',
      '0.001ms',
    ]);
  });
});

describe('shortHorizonText', () => {
  it('warns that no move can be counted at a horizon of at most 1 s', () => {
    expect(shortHorizonText(250_000)).to.match(/^A horizon of 250ms: no move can be counted/);
    expect(shortHorizonText(1_000_000)).to.include('1s: no move can be counted');
    expect(shortHorizonText(1_001_000)).to.equal('');
  });
});
