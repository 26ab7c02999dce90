import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { ReversedRows } from '../../../../src/ticks/import/ReversedRows.ts';
import { SORT_WINDOW } from '../../../../src/ticks/import/TickStage.ts';
import { importBytes } from '../../../support/importBytes.ts';
import { type Quote, TICK_FORMATS } from '../../../support/tickFormats.ts';

const START_US = Date.UTC(2024, 0, 12, 22, 30) * 1000;
const MINUTE_US = 60_000_000;
const minutes = (count: number): Quote[] =>
  Array.from({ length: count }, (_, i) => ({ us: START_US + i * MINUTE_US, bid: 1.1 + (i % 97) / 1e4, ask: 1.1001 + (i % 97) / 1e4 }));

/** Whose empty fields mean what stood in an older row, and a request, whose last entry is no tick. */
const ONE_WAY = ['MetaTrader 5 ticks', 'a request of tickmark'];

describe('files from newest to oldest', () => {
  for (const { name, write } of TICK_FORMATS.filter((spelling) => !ONE_WAY.includes(spelling.name)))
    it(`are read from the last row on: ${name}`, async () => {
      const forward = await importBytes(write(minutes(50)));
      const backward = await importBytes(write(minutes(50).reverse()), {}, 97);
      expect(backward.timesUs).to.deep.equal(forward.timesUs);
      expect([backward.prices, backward.bids]).to.deep.equal([forward.prices, forward.bids]);
      expect(backward.report.notes.map(({ code }) => code)).to.include('order.newest_first');
      expect(forward.report.notes.map(({ code }) => code)).to.not.include('order.newest_first');
    });

  it('may be longer than what is sorted, packed, and hold rows twice', async () => {
    const count = 3 * SORT_WINDOW + 7;
    const rows = minutes(count).map(({ us, bid }) => `${us},${bid.toFixed(4)}\n`);
    rows.splice(20, 0, rows[20]);
    const text = `time,price\n${rows.reverse().join('')}`;
    const { timesUs, report } = await importBytes(new Uint8Array(gzipSync(text)), { dropsRepeated: true });
    expect(timesUs).to.deep.equal(minutes(count).map(({ us }) => us));
    // The header is line 1, and of two equal rows the later one is the repeated one.
    expect(report.notes.find(({ code }) => code === 'row.repeated')).to.include({ count: 1, firstLine: count - 20 + 2 });
  });

  for (const priceOf of [(cents: number) => `$${cents / 100}`, (cents: number) => `${cents / 100} €`])
    it(`keep their first row where nothing in it is a plain number: ${priceOf(10_343)}`, async () => {
      const rows = Array.from(
        { length: 60 },
        (_, i) => `${priceOf(10_343 - (i % 7))}\tMay 04, 2017 10:${String(59 - i).padStart(2, '0')}:06\tok\n`,
      );
      const { timesUs, prices } = await importBytes(rows.join(''));
      expect([timesUs.length, timesUs.at(-1), prices.at(-1)]).to.deep.equal([60, Date.UTC(2017, 4, 4, 10, 59, 6) * 1000, 103.43]);
    });

  it('are refused with the line where a row runs the other way', async () => {
    const rows = minutes(300).map(({ us }) => `${us},1.5\n`);
    rows.reverse();
    const other = (...minutes: readonly number[]): string => {
      const wrong = minutes.map((minute) => `${START_US + minute * MINUTE_US},1.5\n`);
      return `time,price\n${[...rows.slice(0, 200), ...wrong, ...rows.slice(200)].join('')}`;
    };
    const once = await importBytes(other(299));
    expect([once.report.ticks, once.report.notes.some(({ code }) => code === 'stamp.ahead')], 'one stamp is left out').to.deep.equal([
      300,
      true,
    ]);
    const text = other(297, 298, 299);
    const error = await importBytes(text).then(String, String);
    expect(error).to.match(/line \d+: the stamp is \d+ s earlier than that of line \d+/);
    expect(await importBytes(text, { order: 'sort' }).then(String, ({ remedy }: ServiceError) => remedy)).to.include(
      'late by more than 5 s',
    );
  });

  it('are not taken for such where a few rows alone step back', async () => {
    const text = `time,price\n${minutes(3)
      .reverse()
      .map(({ us }) => `${us},1.5\n`)
      .join('')}`;
    expect(await importBytes(text).then(String, String)).to.include('line 3: the stamp is 60 s earlier');
  });

  it('are refused above the number of rows that is held, with what to do', () => {
    const given: number[] = [];
    const rows = new ReversedRows({ add: (us) => void given.push(us), note: () => {}, doubt: () => {}, refuse: () => {} }, 'long.csv', 4);
    for (const us of [4, 3, 2, 1]) rows.add(us, 1, 1, 1, false);
    expect(() => rows.add(0, 1, 1, 5, false))
      .to.throw(ServiceError)
      .that.satisfies(
        ({ message, remedy }: ServiceError) =>
          message.includes('more than the 4 that are reversed in memory') && remedy.includes('tail -n +2 FILE | tac'),
      );
    rows.end();
    expect(given).to.deep.equal([1, 2, 3, 4]);
  });
});
