import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import type { MinuteMoves } from '../../../../src/engine/features/learnProfile.ts';
import { openTickSources } from '../../../../training/data/TickSource.ts';
import { movesOf } from '../../../../training/market/learnWeeks.ts';
import { stampZone, stampZoneNote } from '../../../../training/market/stampZone.ts';
import { busyAfternoon } from '../../../support/marketTicks.ts';
import { newYork, untilFriday, weeksFrom } from '../../../support/minuteWeeks.ts';
import { hasRealMonths, REAL_MONTHS_DIR, REAL_MONTHS_SKIPPED } from '../../../support/realTicks.ts';

const WINTER = '2024-01-08';
const SUMMER = '2024-07-01';
/** Four weeks with the change to summer time in New York in the middle; Europe changes after them. */
const BOTH = '2024-02-26';
const HOUR = 60;

const stamped = ({ minute, size }: MinuteMoves, local: (utc: number) => number): MinuteMoves => ({ minute: minute.map(local), size });
const shifted = (moves: MinuteMoves, hours: number): MinuteMoves => stamped(moves, (utc) => utc + hours * HOUR);
const zonesOf = (moves: MinuteMoves): readonly string[] => stampZone(moves)?.zones ?? [];

describe('the zone of stamps', () => {
  for (const [season, monday] of [
    ['winter', WINTER],
    ['summer', SUMMER],
    ['weeks with a clock change', BOTH],
  ] as const)
    it(`in ${season} is found from -7 to +9 h off UTC, and UTC itself is no finding`, () => {
      const moves = weeksFrom(monday);
      for (let hours = -7; hours <= 9; hours += 0.5) {
        const found = stampZone(shifted(moves, hours));
        expect(found?.offsets ?? [0, 0], `${hours} h`).to.deep.equal([hours * HOUR, hours * HOUR]);
      }
    });

  it('has the names that --zone accepts', () => {
    const winter = weeksFrom(WINTER);
    expect(zonesOf(shifted(winter, -5))).to.deep.equal(['America/New_York', 'EST']);
    expect(zonesOf(shifted(winter, 5.5))).to.deep.equal(['Asia/Kolkata']);
    expect(zonesOf(shifted(winter, -3.5))).to.deep.equal(['-03:30']);
    expect(zonesOf(shifted(weeksFrom(SUMMER), 3))).to.deep.equal(['Europe/Athens', 'Europe/Moscow']);
  });

  it('follows the clock changes of its place', () => {
    const found = stampZone(stamped(weeksFrom(BOTH), newYork));
    expect(found).to.deep.include({ zones: ['America/New_York'], offsets: [-5 * HOUR, -4 * HOUR], weekends: 4, found: 4 });
    expect(stampZoneNote(found!)).to.match(
      /^The timestamps seem to be 4 to 5 h behind UTC \(America\/New_York\): in this zone, 4 of 4 weeks end on Friday at 17:00 New York time.*read as UTC, 0 of them\..* in this zone and -?0\.\d\d in UTC\..*--zone/,
    );
  });

  it('is wrong for a market without closed hours whose weekends were cut: a limit', () => {
    expect(zonesOf(weeksFrom(WINTER, { isOpen: (utc) => (utc / 1440 + 3) % 7 < 5 }))).to.deep.equal(['Europe/Athens']);
  });

  it('is not stated where the evidence is weak', () => {
    const hourOf = (utc: number): number => (utc / HOUR) % 24;
    const isWeekday = (utc: number): boolean => (utc / 1440 + 3) % 7 < 5;
    const weak = {
      'a market without closed hours': weeksFrom(WINTER, { isOpen: () => true }),
      'a market open 6.5 h a day': weeksFrom(WINTER, { isOpen: (utc) => isWeekday(utc) && hourOf(utc) >= 14.5 && hourOf(utc) < 21 }),
      'one weekend': weeksFrom(WINTER, { weeks: 1 }),
      'closes at no usual time': weeksFrom(WINTER, { isOpen: (utc) => untilFriday(newYork(utc) + 15) }),
      'a volatility that contradicts the closed hours': weeksFrom(WINTER, { busy: (hour) => busyAfternoon(hour + 6) }),
    };
    for (const [name, moves] of Object.entries(weak)) expect(stampZone(shifted(moves, 6)), name).to.equal(null);
  });

  it('of months of two real markets is found after a shift, and none is found before', async function () {
    if (!hasRealMonths) {
      console.log(`      skipped: ${REAL_MONTHS_SKIPPED}`);
      this.skip();
    }
    this.timeout(120_000);
    const cacheDir = mkdtempSync(path.join(tmpdir(), 'tickmark-zone-'));
    try {
      for (const market of ['commodity-xagusd', 'fx-usdsgd']) {
        const files = ['02', '03'].map((month) => path.join(REAL_MONTHS_DIR, `${market}-2017-${month}.csv.gz`));
        const { sources } = await openTickSources(files, { groups: {}, cacheDir, lookAheadS: 2 });
        const moves = movesOf(sources, -Infinity, Infinity);
        // Half hours and all others, on generated weeks.
        for (const hours of [-7, -3, 0, 2, 5, 9])
          expect(stampZone(shifted(moves, hours))?.offsets ?? [0, 0], `${market}, ${hours} h`).to.deep.equal([hours * HOUR, hours * HOUR]);
        expect(zonesOf(stamped(moves, newYork)), market).to.deep.equal(['America/New_York']);
      }
    } finally {
      rmSync(cacheDir, { recursive: true });
    }
  });
});
