import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../src/core/Random.ts';
import { changesOf, daylightMinutes, type DaylightRule } from '../../src/engine/features/daylightMinutes.ts';
import {
  bandwidthOf,
  chooseDaylight,
  learnShape,
  levelBefore,
  minuteMoves,
  type MinuteMoves,
  openHoursOf,
  splitDays,
} from '../../src/engine/features/learnProfile.ts';
import { HOURS_PER_WEEK, MarketClock, MINUTES_PER_DAY } from '../../src/engine/features/MarketClock.ts';

/** 2017-01-02, a Monday. */
const START_DAY = 17_168;
const DAY_S = 86_400;

/** A busy afternoon and a quiet night, in local minutes of `rule`. */
const busy = (minute: number): number => 1 + 0.8 * Math.sin((2 * Math.PI * (minute - 480)) / MINUTES_PER_DAY);

/** Moves of weekdays in a market that is open around the clock. */
function generated(days: number, seed: number, rule: DaylightRule = 'none', shape = busy, sigma = 1e-4): MinuteMoves {
  const random = seededRandom(seed);
  const minutes: number[] = [];
  const sizes: number[] = [];
  for (let day = START_DAY; day < START_DAY + days; day++) {
    if ((day + 3) % 7 > 4) continue;
    for (let minute = 0; minute < MINUTES_PER_DAY; minute++) {
      const at = day * MINUTES_PER_DAY + minute;
      const local = (minute + daylightMinutes(rule, at * 60)) % MINUTES_PER_DAY;
      minutes.push(at);
      sizes.push(Math.abs(random.normal()) * sigma * shape(local));
    }
  }
  return { minute: Int32Array.from(minutes), size: Float64Array.from(sizes) };
}

const clockOf = (shape: Float64Array, level = 1e-5, daylight: DaylightRule = 'none'): MarketClock =>
  new MarketClock({ daylight, shape, level, openHours: new Uint8Array(HOURS_PER_WEEK).fill(1) });
const reading = (): { clock: number; usualMove: number } => ({ clock: NaN, usualMove: NaN });
const originArb = fc.integer({ min: START_DAY * DAY_S, max: (START_DAY + 400) * DAY_S });
const spanArb = fc.double({ min: 0.001, max: 20_000, noNaN: true });

describe('the clock of a market', () => {
  it('finds the shape of a day within a few percent', () => {
    const { shape } = learnShape(splitDays(generated(56, 1), 'none'));
    const mean = Array.from({ length: MINUTES_PER_DAY }, (_, minute) => busy(minute)).reduce((a, b) => a + b) / MINUTES_PER_DAY;
    const worst = Math.max(...shape.map((value, minute) => Math.abs(value - busy(minute) / mean)));
    expect(worst).to.be.below(0.15);
  });

  it('uses nothing of the days that are left out', () => {
    const moves = generated(28, 2);
    const changed = {
      ...moves,
      size: moves.size.map((size, i) => (Math.floor((moves.minute[i] as number) / 1440) === START_DAY + 8 ? 50 * size : size)),
    };
    const without = new Set([START_DAY + 8]);
    const [before, after] = [moves, changed].map((of) => learnShape(splitDays(of, 'none'), without));
    expect(after).to.deep.equal(before);
    expect(learnShape(splitDays(changed, 'none')).shape).to.not.deep.equal(learnShape(splitDays(moves, 'none')).shape);
  });

  it('takes the level only from days before', () => {
    const levels = Array.from({ length: 10 }, (_, day) => ({ day, level: day < 5 ? 1e-5 : 9e-5, minutes: 1440 }));
    expect(levelBefore(levels, 3, 5)).to.be.closeTo(1e-5, 1e-18);
    expect(levelBefore(levels, 3)).to.be.within(5e-5, 9e-5);
    expect(levelBefore(levels, 3, 0)).to.equal(null);
  });

  it('a constant shape reads 0 for any window and horizon', () => {
    const clock = clockOf(new Float64Array(MINUTES_PER_DAY).fill(1), 2e-5);
    fc.assert(
      fc.property(originArb, spanArb, spanArb, (origin, windowS, horizonS) => {
        const { clock: read, usualMove } = clock.read(origin, windowS, horizonS, reading());
        expect(Math.abs(read)).to.be.below(1e-9);
        expect(usualMove).to.be.closeTo(Math.log(2e-5 * Math.sqrt(horizonS)), 1e-9);
      }),
    );
  });

  it('reads the mean square of the shape, minute by minute', () => {
    const shape = Float64Array.from({ length: MINUTES_PER_DAY }, (_, minute) => busy(minute));
    const clock = clockOf(shape);
    const squareAt = (timeS: number): number => (shape[Math.floor(timeS / 60) % MINUTES_PER_DAY] as number) ** 2;
    fc.assert(
      fc.property(originArb, fc.integer({ min: 60, max: 9000 }), fc.integer({ min: 5, max: 9000 }), (origin, windowS, horizonS) => {
        let ahead = 0;
        for (let second = 1; second < horizonS; second++) ahead += squareAt(origin + second);
        let [behind, total] = [0, 0];
        for (let second = 0; second < Math.min(windowS, 6000); second++) {
          const weight = Math.exp(-second / 600) - Math.exp(-(second + 1) / 600);
          behind += weight * squareAt(origin - second - 1);
          total += weight;
        }
        const wanted = 0.5 * Math.log(ahead / (horizonS - 1) / (behind / total));
        expect(clock.read(origin, windowS, horizonS, reading()).clock).to.be.closeTo(wanted, 1e-9);
      }),
      { numRuns: 50 },
    );
  });

  it('a shift by whole weeks changes nothing, without a clock change between', () => {
    const clock = clockOf(Float64Array.from({ length: MINUTES_PER_DAY }, (_, minute) => busy(minute)));
    fc.assert(
      fc.property(originArb, spanArb, spanArb, fc.integer({ min: 1, max: 60 }), (origin, windowS, horizonS, weeks) => {
        const shifted = clock.read(origin + weeks * 7 * DAY_S, windowS, horizonS, reading());
        expect(shifted).to.deep.equal(clock.read(origin, windowS, horizonS, reading()));
      }),
    );
  });

  it('has the same reading at the same local time before and after a clock change', () => {
    for (const rule of ['us', 'eu'] as const) {
      const [start] = changesOf(rule, 2017);
      const clock = clockOf(
        Float64Array.from({ length: MINUTES_PER_DAY }, (_, minute) => busy(minute)),
        1e-5,
        rule,
      );
      const before = clock.read(start - 7200, 600, 300, reading());
      expect(clock.read(start - 7200 + 7 * DAY_S - 3600, 600, 300, reading())).to.deep.equal(before);
    }
  });

  it('knows the clock changes of the United States and of the European Union', () => {
    const iso = (timeS: number): string => new Date(timeS * 1000).toISOString();
    expect(changesOf('us', 2017).map(iso)).to.deep.equal(['2017-03-12T07:00:00.000Z', '2017-11-05T06:00:00.000Z']);
    expect(changesOf('eu', 2017).map(iso)).to.deep.equal(['2017-03-26T01:00:00.000Z', '2017-10-29T01:00:00.000Z']);
    expect(changesOf('us', 2026).map(iso)).to.deep.equal(['2026-03-08T07:00:00.000Z', '2026-11-01T06:00:00.000Z']);
  });

  it('chooses a daylight-saving rule only with evidence', () => {
    // 2017-01-02 to 2017-04-30 contains both changes of spring; eight weeks contain none.
    const sharp = (minute: number): number => (minute >= 800 && minute < 830 ? 6 : 1);
    expect(chooseDaylight(generated(56, 3, 'us', sharp))).to.deep.equal({ rule: 'none', scores: { us: null, eu: null } });
    expect(chooseDaylight(generated(118, 4, 'us', sharp)).rule).to.equal('us');
    expect(chooseDaylight(generated(118, 5, 'eu', sharp)).rule).to.equal('eu');
    expect(chooseDaylight(generated(118, 6, 'none', sharp)).rule).to.equal('none');
  });

  it('a pause longer than half an hour is not open, and a shorter one has moves of 0', () => {
    const { minute, size } = minuteMoves([0, 1, 4, 60, 61], [1, 1, Math.E, 9, 9]);
    expect([...minute]).to.deep.equal([1, 2, 3, 4, 61]);
    expect([...size]).to.deep.equal([0, 0, 0, 1, 0]);
  });

  it('is closed in hours without a price, unless an hour next to it is open', () => {
    const openHours = openHoursOf(generated(28, 7), 'none');
    expect(openHours.reduce((sum, open) => sum + open, 0)).to.equal(120);
    const clock = new MarketClock({ daylight: 'none', shape: new Float64Array(1440).fill(1), level: 1, openHours });
    const at = (day: number, hour: number): boolean => clock.isClosed((START_DAY + day) * DAY_S + hour * 3600);
    expect([at(4, 23), at(5, 0), at(5, 1), at(6, 22), at(6, 23), at(7, 0)]).to.deep.equal([false, false, true, true, false, false]);
  });

  it('smooths less with more days', () => {
    expect([5, 20, 40, 130, 1000].map((days) => Number(bandwidthOf(days).toFixed(1)))).to.deep.equal([16, 8, 5.7, 3.1, 3]);
  });
});
