import { expect } from 'chai';
import { zoneClock } from '../../../../src/ticks/import/DateReader.ts';

const HOUR_US = 3_600_000_000;
const utc = (...parts: [number, number, number, number, number?]): number => Date.UTC(...parts) * 1000;

describe('zoneClock', () => {
  it('knows offsets, names of fixed offsets and places', () => {
    const noon = utc(2024, 6, 1, 12);
    const hours = (zone: string): number => (zoneClock(zone).toUtc(noon, -Infinity) - noon) / HOUR_US;
    expect(['UTC', '+02:00', 'GMT-3', '-0530', 'EST', 'America/New_York', 'Europe/Athens'].map(hours)).to.deep.equal([
      0, -2, 3, 5.5, 5, 4, -3,
    ]);
  });

  it('keeps EST on winter time in summer and moves New York', () => {
    const [winter, summer] = [utc(2024, 0, 10, 12), utc(2024, 6, 10, 12)];
    const shift = (zone: string, us: number): number => (zoneClock(zone).toUtc(us, -Infinity) - us) / HOUR_US;
    expect([
      shift('EST', winter),
      shift('EST', summer),
      shift('America/New_York', winter),
      shift('America/New_York', summer),
    ]).to.deep.equal([5, 5, 5, 4]);
  });

  for (const [way, isNewestFirst, minutes, expected] of [
    ['back', false, [30, 59, 0, 30, 59], [30, 59, 60, 90, 119]],
    ['forward, from newest to oldest', true, [59, 30, 0, 59, 30], [119, 90, 60, 59, 30]],
  ] as const)
    it(`goes through the doubled hour without a step ${way}`, () => {
      const clock = zoneClock('America/New_York', isNewestFirst);
      let last = isNewestFirst ? Infinity : -Infinity;
      const times = minutes.map((minute) => (last = clock.toUtc(utc(2024, 10, 3, 1, minute), last)));
      expect(times.map((us) => ((us - utc(2024, 10, 3, 5)) / HOUR_US) * 60)).to.deep.equal(expected);
    });

  it('reads the hour that is left out by the offset before it', () => {
    expect(zoneClock('America/New_York').toUtc(utc(2024, 2, 10, 2, 30), -Infinity)).to.equal(utc(2024, 2, 10, 7, 30));
  });
});
