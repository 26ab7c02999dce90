import { expect } from 'chai';
import type { ServiceError } from '../../../../src/core/ServiceError.ts';
import type { ImportOptions } from '../../../../src/ticks/import/ImportReport.ts';
import { importBytes } from '../../../support/importBytes.ts';

const TIME = '14:30:00.123';

/** The first stamp of a file with these dates, ISO; or the refusal. */
async function read(dates: readonly string[], options: Partial<ImportOptions> = {}, quote = ''): Promise<string> {
  const text = `time,price\n${dates.map((date) => `${quote}${date} ${TIME}${quote},1.5\n`).join('')}`;
  return importBytes(text, { order: 'keep', ...options }).then(
    ({ timesUs }) => new Date(timesUs[0] / 1000).toISOString(),
    ({ message, remedy }: ServiceError) => `${message} ${remedy}`,
  );
}
const iso = (day: string): string => `${day}T${TIME}Z`;

describe('dates with years of two digits', () => {
  const told: readonly [string, readonly string[], string][] = [
    ['a number above 12 that can only be the day', ['11/22/26'], '2026-11-22'],
    ['such a number in a later row', ['11/10/26', '11/22/26'], '2026-11-10'],
    ['a first number that can only be a year', ['99-12-31'], '1999-12-31'],
    ['the first number changing from day to day', ['22/11/26', '23/11/26', '24/11/26'], '2026-11-22'],
    ['the second', ['01/02/26', '01/03/26', '01/04/26'], '2026-01-02'],
    ['the last', ['26.11.07', '26.11.08', '26.11.09'], '2026-11-07'],
    ['a year that turns', ['12-30-69', '12-31-69', '01-01-70'], '2069-12-30'],
  ];
  for (const [what, dates, day] of told) it(`are told by ${what}`, async () => expect(await read(dates)).to.equal(iso(day)));

  it('are refused where the file does not tell their order, and read as the user says', async () => {
    const day = ['22/11/26', '22/11/26'];
    expect(await read(day)).to.equal(
      `test-file, line 2: the date "22/11/26 ${TIME}" has a year of two digits: it may be day/month/year or year/month/day, and no row shows which. Say which: --date-order dmy or --date-order ymd, or export it with years of four digits.`,
    );
    expect(await read(day, { dateOrder: 'dmy' })).to.equal(iso('2026-11-22'));
    expect(await read(day, { dateOrder: 'ymd' })).to.equal(iso('2022-11-26'));
    expect(await read(day, { dateOrder: 'mdy' }), 'an order that cannot be').to.include('no row shows which');
    expect(await read(['13.11.26'])).to.include('it may be day/month/year or year/month/day');
    expect(await read(['03/04/2024'], { dateOrder: 'ymd' })).to.include('--date-order dmy or --date-order mdy.');
  });

  it('do not hide a year of four digits further down', async () => {
    expect(await read(['11/22/26', '11/23/26', '11/24/2026'])).to.include('line 4: the stamp "11/24/2026 14:30:00.123" has another form');
  });
});

describe('dates with names of months', () => {
  const read1 = (date: string): Promise<string> => read([date], {}, '"');
  it('are read in every order, whole and cut, in any case', async () => {
    const all = [
      '22-Nov-2026',
      '22-NOV-2026',
      '2026-nov-22',
      '22 November 2026',
      'Nov 22, 2026',
      'November 22 2026',
      '22/Nov/26',
      '22-Nov-26',
    ];
    for (const date of all) expect(await read1(date), date).to.equal(iso('2026-11-22'));
    expect(await read1('1-Sept-2026')).to.equal(iso('2026-09-01'));
    expect(await read1('9.May.2026')).to.equal(iso('2026-05-09'));
  });

  it('begin with the day where the year has two digits, but for a last number that changes from day to day', async () => {
    expect(await read(['26-Nov-22', '26-Nov-23', '26-Nov-24'])).to.equal(iso('2026-11-22'));
    expect(await read(['22-Nov-26', '23-Nov-26', '24-Nov-26'])).to.equal(iso('2026-11-22'));
  });

  it('are refused where a name is none', async () => {
    expect(await read(['22-Nov-2026', '22-Novem-2026'])).to.include('line 3: the stamp "22-Novem-2026 14:30:00.123" has another form');
    expect(await read(['22-Nov-2026', '31-Nov-2026'])).to.include('is not in the calendar');
    expect(await read(['22-Okt-2026'])).to.include('no column has date and time');
  });
});

describe('epoch numbers without a date next to them', () => {
  for (const [unit, perUs] of [
    ['seconds', 1e6],
    ['milliseconds', 1e3],
    ['microseconds', 1],
  ] as const)
    it(`are no time of day, though ticks of a quiet market are hours apart: ${unit}`, async () => {
      const stamps = Array.from({ length: 40 }, (_, i) => 1_705_098_600_000_000 + i * 7_301_000_000);
      const text = `time,price\n${stamps.map((us, i) => `${us / perUs},1.${1000 + i}\n`).join('')}`;
      expect([...(await importBytes(text)).timesUs]).to.deep.equal(stamps);
    });
});
