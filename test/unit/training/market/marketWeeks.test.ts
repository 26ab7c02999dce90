import { expect } from 'chai';
import { minuteMoves, openHoursOf, type MinuteMoves } from '../../../../src/engine/features/learnProfile.ts';
import { coveredWeeks, hoursNotes, weeksNotes } from '../../../../training/market/marketWeeks.ts';
import { marketTicks, type MarketTicksOptions } from '../../../support/marketTicks.ts';

function movesOf(options: Partial<MarketTicksOptions>): MinuteMoves {
  const { timesUs, prices } = marketTicks({ seed: 1, weeks: 4, gapS: 60, ...options });
  const minutes = new Map<number, number>();
  timesUs.forEach((us, i) => minutes.set(Math.floor(us / 60e6), prices[i] as number));
  return minuteMoves([...minutes.keys()], [...minutes.values()]);
}

const notesOf = (options: Partial<MarketTicksOptions>): string => hoursNotes(openHoursOf(movesOf(options), 'none')).join(' ');

describe('the weeks of a market', () => {
  it('are counted by days with ticks, and holes are named', () => {
    const whole = coveredWeeks(movesOf({}));
    expect(whole.weeks).to.be.closeTo(4, 0.4);
    expect(whole.holes).to.deep.equal([]);
    const { minute, size } = movesOf({ weeks: 6 });
    const kept = [...minute.keys()].filter((i) => Math.floor((minute[i]! / 1440 + 3) / 7) !== Math.floor((minute[0]! / 1440 + 3) / 7) + 2);
    const holed = coveredWeeks({ minute: Int32Array.from(kept, (i) => minute[i]!), size: Float64Array.from(kept, (i) => size[i]!) });
    expect(holed.weeks).to.be.closeTo(5, 0.5);
    expect(holed.holes).to.deep.equal(['2023-01-16']);
  });

  it('need five days to count as a whole one', () => {
    const isMonday = (hour: number): boolean => hour < 24;
    expect(coveredWeeks(movesOf({ weeks: 1, isOpen: isMonday })).weeks).to.be.closeTo(0.2, 0.01);
    expect(coveredWeeks(movesOf({ weeks: 4, isOpen: isMonday })).weeks).to.be.closeTo(0.8, 0.01);
    expect(coveredWeeks(movesOf({ weeks: 4, isOpen: () => true })).weeks).to.be.closeTo(4, 0.01);
  });

  it('warn below four, and are refused below three without --force', () => {
    expect(weeksNotes(movesOf({ weeks: 5 }), false)).to.deep.equal([]);
    expect(weeksNotes(movesOf({ weeks: 3.3 }), false).join()).to.include('a market needs at least 4, and eight are recommended');
    expect(() => weeksNotes(movesOf({ weeks: 2 }), false)).to.throw('Add weeks, or use --force');
    expect(weeksNotes(movesOf({ weeks: 2 }), true).join()).to.include('The ticks cover 2.');
  });

  it('say which zone local timestamps seem to be in', () => {
    const notesOfWeeks = (offsetS: number): string => weeksNotes(movesOf({ offsetS }), false).join(' ');
    expect(notesOfWeeks(0)).to.equal('');
    expect(notesOfWeeks(-5 * 3600)).to.include('The timestamps seem to be 5 h behind UTC (America/New_York or EST)');
    expect(notesOfWeeks(2 * 3600)).to.include('2 h ahead of UTC (Europe/Athens)');
    expect(notesOfWeeks(-3600)).to.include('1 h behind UTC (-01:00)');
  });

  it('of a market that never closes or is open by day say what that means', () => {
    expect(notesOf({ isOpen: () => true })).to.include('open all hours of the week');
    const byDay = notesOf({ isOpen: (hour) => hour < 120 && hour % 24 >= 14 && hour % 24 < 21 });
    expect(byDay).to.include('open in 35 of 168 hours').and.to.include('clock_mismatch at the horizons that use the time of day');
  });
});
