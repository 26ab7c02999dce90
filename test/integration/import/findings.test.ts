import { expect } from 'chai';
import type { ImportOptions } from '../../../src/ticks/import/ImportReport.ts';
import { SORT_WINDOW } from '../../../src/ticks/import/TickStage.ts';
import { importBytes, type Imported } from '../../support/importBytes.ts';
import { TICK_FORMATS } from '../../support/tickFormats.ts';

type Tick = { us: number; price: number };

/** A quiet market: a tick every 2 s, the price on a small zigzag. */
function quiet(count: number, startUs = Date.UTC(2024, 0, 9, 9) * 1000, stepUs = 2e6): Tick[] {
  return Array.from({ length: count }, (_, i) => ({ us: startUs + i * stepUs, price: 100 + ((i * 7) % 11) / 100 }));
}

const csv = (ticks: readonly Tick[]): string =>
  `time,price\n${ticks.map(({ us, price }) => `${new Date(us / 1000).toISOString()},${price}\n`).join('')}`;

async function codes(ticks: readonly Tick[], options: Partial<ImportOptions> = {}): Promise<string[]> {
  return found(await importBytes(csv(ticks), options));
}
const found = ({ report }: Imported): string[] => report.notes.map(({ code }) => code);

describe('what importTicks finds in the ticks', () => {
  it('leaves out the rows that are stamped far ahead of those around them, and no other one', async () => {
    const at = (ms: number): string => new Date(Date.UTC(2024, 0, 2, 9, 30) + ms).toISOString().replace('T', ' ').replace('Z', '');
    for (const order of ['refuse', 'sort'] as const)
      for (const aheadMs of [[20_000], [72_000_000], [86_400_000, 86_400_100]]) {
        const rows = Array.from({ length: 500 }, (_, i) => `${at(400 * i)},${100 + (i % 7)}`);
        const wrong = aheadMs.map((ms) => `${at(400 * 250 + ms)},100`);
        const text = ['timestamp,price', ...rows.slice(0, 250), ...wrong, ...rows.slice(250)].join('\n');
        const { report, timesUs } = await importBytes(text, { order });
        expect([report.ticks, timesUs.every((us, i) => i === 0 || us >= timesUs[i - 1])]).to.deep.equal([500, true]);
        const found = report.notes.find(({ code }) => code === 'stamp.ahead');
        expect(found).to.include({ severity: 'warning', count: aheadMs.length });
      }
  });

  it('finds steps back, keeps them where asked to, and puts them in order where asked to', async () => {
    const ticks = quiet(300);
    [ticks[100], ticks[101]] = [ticks[101], ticks[100]];
    const kept = await importBytes(csv(ticks), { order: 'keep' });
    expect(kept.report.notes[0]).to.include({ code: 'order.step_back', severity: 'error', count: 1, firstLine: 103 });
    expect(kept.timesUs).to.deep.equal(ticks.map(({ us }) => us));
    const sorted = await importBytes(csv(ticks), { order: 'sort' });
    expect(sorted.timesUs).to.deep.equal(quiet(300).map(({ us }) => us));
    expect(sorted.prices).to.deep.equal(quiet(300).map(({ price }) => price));
  });

  it('sorts rows that stay within its window over many blocks, and refuses what is later', async () => {
    const ticks = quiet(150_000, undefined, 1000);
    const swapped = ticks.map((_, i) => ticks[i % 2 === 0 ? Math.min(i + 1, ticks.length - 1) : i - 1]);
    const { timesUs } = await importBytes(csv(swapped), { order: 'sort' });
    expect(timesUs).to.deep.equal(ticks.map(({ us }) => us));
    const refusal = (all: readonly Tick[]): Promise<string> => importBytes(csv(all), { order: 'sort' }).then(String, String);
    expect(await refusal([...ticks, ...ticks.slice(0, 1)])).to.include('line 150002: the stamp is 149.999 s earlier');
    // Fifty rows in each millisecond: late by 3 s.
    const dense = quiet(150_000, undefined, 20);
    expect(await refusal([...dense, ...dense.slice(0, 1)])).to.include('out of order by more than');
  });

  it('sorts a row that is late across the edge of a window', async () => {
    const ticks = quiet(2 * SORT_WINDOW + 2, undefined, 1000);
    const edge = 2 * SORT_WINDOW;
    const moved = [...ticks.slice(0, edge - 2), ticks[edge], ticks[edge - 2], ticks[edge - 1], ticks[edge + 1]];
    const { timesUs } = await importBytes(csv(moved), { order: 'sort' });
    expect(timesUs).to.deep.equal(ticks.map(({ us }) => us));
  });

  it('counts rows that are byte for byte the row before, and leaves them out where asked to', async () => {
    const lines = csv(quiet(300)).split('\n');
    lines.splice(50, 0, lines[49]);
    const text = lines.join('\n');
    for (const chunkBytes of [64 * 1024, 33]) {
      const { report } = await importBytes(text, {}, chunkBytes);
      expect(report.notes.find(({ code }) => code === 'row.repeated')).to.include({ count: 1, firstLine: 51 });
    }
    expect((await importBytes(text, { dropsRepeated: true })).timesUs).to.have.length(300);
  });

  it('finds a long pause but no weekend', async () => {
    const before = quiet(500, Date.UTC(2024, 0, 9, 9) * 1000);
    expect(await codes([...before, ...quiet(500, Date.UTC(2024, 0, 9, 15) * 1000)])).to.include('gap.long');
    const friday = quiet(500, Date.UTC(2024, 0, 12, 21) * 1000);
    expect(await codes([...friday, ...quiet(500, Date.UTC(2024, 0, 14, 22) * 1000)])).to.not.include('gap.long');
  });

  const flat = ({ us, price }: Tick, i: number): Tick => ({ us, price: i > 500 && i < 2500 ? 100 : price });
  for (const [what, ticks, expected] of [
    ['nothing in a quiet market', quiet(1000), []],
    ['a spike that comes back', quiet(1000).map(({ us, price }, i) => ({ us, price: i === 600 ? price * 1.05 : price })), ['price.spike']],
    ['no move that stays', quiet(1000).map(({ us, price }, i) => ({ us, price: i >= 600 ? price * 1.05 : price })), []],
    ['a price that does not change for an hour', quiet(4000).map(flat), ['price.flat']],
  ] as const)
    it(`finds ${what}`, async () => expect(await codes(ticks)).to.deep.equal(expected));

  it('leaves out prices of 0 and says so', async () => {
    const ticks = quiet(300);
    ticks[7].price = 0;
    const { report } = await importBytes(csv(ticks));
    expect(report).to.include({ rows: 300, ticks: 299 });
    expect(report.notes[0]).to.include({ code: 'price.not_positive', count: 1, firstLine: 9 });
  });

  it('finds crossed quotes', async () => {
    const text = quiet(300).map(({ us, price }, i) => `${us},${price},${price + (i === 200 ? -0.01 : 0.01)}\n`);
    expect(found(await importBytes(`ts,bid,ask\n${text.join('')}`))).to.deep.equal(['quote.crossed']);
  });

  it('finds stamps too coarse to tell the pace', async () => {
    const ticks = quiet(600).map(({ price }, i) => ({ us: Date.UTC(2024, 0, 9, 9, 0, Math.floor(i / 4)) * 1000, price }));
    const { report } = await importBytes(csv(ticks));
    expect(report.notes.find(({ code }) => code === 'stamp.equal')).to.include({ severity: 'warning', count: 450 });
  });

  it('takes equal stamps with milliseconds for the fills of one order', async () => {
    const ticks = quiet(600).map(({ price }, i) => ({ us: Date.UTC(2024, 0, 9, 9, 0, 0, 1237 * Math.floor(i / 4)) * 1000, price }));
    const { report } = await importBytes(csv(ticks));
    const note = report.notes.find(({ code }) => code === 'stamp.equal');
    expect(note).to.deep.include({ severity: 'info', count: 450, advice: [] });
    expect(note!.text).to.equal('75 % of the ticks carry the stamp of the tick before, which is normal if one order fills several times.');
  });

  it('finds the doubled hour of local time in autumn and the missing one in spring', async () => {
    const autumn = quiet(3600, Date.UTC(2024, 9, 27, 1) * 1000);
    const doubled = autumn.map(({ us, price }, i) => ({ us: i >= 1800 ? us - 3600e6 : us, price }));
    expect(await codes(doubled, { order: 'keep' })).to.include('zone.hour_doubled');
    const spring = quiet(3600, Date.UTC(2024, 2, 31, 1) * 1000).map(({ us, price }, i) => ({ us: i >= 1800 ? us + 3600e6 : us, price }));
    expect(await codes(spring)).to.include('zone.hour_missing');
  });

  it('finds a week that opens an hour earlier', async () => {
    const weeks = [22, 22, 21].flatMap((hour, week) => [
      ...quiet(300, Date.UTC(2024, 2, 3 + 7 * week, hour) * 1000),
      ...quiet(300, Date.UTC(2024, 2, 8 + 7 * week, 20) * 1000),
    ]);
    expect(await codes(weeks)).to.include('zone.session_shift');
    expect(await codes(weeks.slice(0, 1200))).to.not.include('zone.session_shift');
  });

  it('compares the usual step with what the model was trained on', async () => {
    expect(await codes(quiet(300), { trained: { medianGapMs: [10, 5000] } })).to.deep.equal([]);
    expect(await codes(quiet(300), { trained: { medianGapMs: [10, 500] } })).to.deep.equal(['density.untrained']);
  });

  it('says of a last row that is cut off that it was left out', async () => {
    const text = `id,time,price\n${quiet(300)
      .map(({ us, price }, i) => `${i},${new Date(us / 1000).toISOString()},${price}\n`)
      .join('')}300,2024-01`;
    const { report, timesUs } = await importBytes(text);
    expect(timesUs).to.have.length(300);
    expect(report.notes[0]).to.include({ code: 'row.cut_off', firstLine: 302 });
  });

  it('leaves out the header of a file that was joined to another', async () => {
    const text = csv(quiet(300));
    const { report, timesUs } = await importBytes(text + csv(quiet(300, Date.UTC(2024, 0, 10) * 1000)));
    expect(timesUs).to.have.length(600);
    expect(report.notes.find(({ code }) => code === 'row.header_again')).to.include({ count: 1, firstLine: 302 });
  });

  it('carries an empty bid or ask of MetaTrader forward', async () => {
    const text =
      '<DATE>\t<TIME>\t<BID>\t<ASK>\t<LAST>\t<VOLUME>\t<FLAGS>\n2024.01.02\t09:00:00.000\t1.5\t1.7\t\t\t6\n2024.01.02\t09:00:01.000\t1.6\t\t\t\t2\n2024.01.02\t09:00:02.000\t\t1.8\t\t\t4\n';
    const { bids, asks } = await importBytes(text);
    expect([bids, asks]).to.deep.equal([
      [1.5, 1.6, 1.6],
      [1.7, 1.7, 1.8],
    ]);
  });

  it('says which zone it took for stamps that name none, wherever it says that it took one, and nowhere else', async () => {
    const quotes = quiet(300, undefined, 60e6).map(({ us, price }) => ({ us, bid: price, ask: price + 0.01 }));
    const open: string[] = [];
    for (const { name, write } of TICK_FORMATS) {
      const { report } = await importBytes(write(quotes));
      expect(report.zone !== null, name).to.equal(report.notes.some(({ code }) => code === 'zone.assumed'));
      if (report.zone === null) continue;
      open.push(`${name}: ${report.zone}`);
      const named = await importBytes(write(quotes), { zone: 'Asia/Tokyo' });
      expect(named.report.zone, name).to.equal('Asia/Tokyo');
      expect(found(named), name).to.not.include('zone.assumed');
      expect((report.firstUs - named.report.firstUs) / 3_600_000_000, name).to.equal(report.zone === 'EST' ? 14 : 9);
    }
    expect(open).to.include('HistData ticks: EST').and.include('MetaTrader 5 ticks: UTC').and.have.length.above(5);
  });
});
