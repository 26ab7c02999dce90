import { expect } from 'chai';
import { importFile, refusalOf } from '../../../src/console/worker/importFile.ts';
import { wayText } from '../../../src/console/worker/readingWay.ts';
import type { FileNote, ReadOptions } from '../../../src/console/worker/messages.ts';
import { TickRing } from '../../../src/console/worker/TickRing.ts';

const NOTHING_KNOWN: ReadOptions = { zone: null, way: null, barTime: null, trained: null };

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** Rows a step apart; the price never stands still for long, and nothing else is odd. */
function rows(count: number, stepMs: number): string {
  const row = (i: number): string => `${new Date(Date.UTC(2024, 0, 9, 9) + i * stepMs).toISOString()},${100 + ((i * 7) % 11) / 100}`;
  return `time,price\n${Array.from({ length: count }, (_, i) => row(i)).join('\n')}\n`;
}

async function notesOf(text: string, options: Partial<ReadOptions> = {}): Promise<readonly FileNote[]> {
  const { notes } = await importFile(bytesOf(text), 'ticks.csv', new TickRing(1000), { ...NOTHING_KNOWN, ...options });
  return notes;
}

describe('what the console says of a file', () => {
  const trained = { medianGapMs: [2, 60_000] } as const;

  it('warns of ticks that are sparser or denser than the model was trained on, with what can be done on a page', async () => {
    const [sparse] = await notesOf(rows(300, 300_000), { trained });
    expect(sparse).to.deep.equal({
      text: 'The usual step between ticks is 5 min; the model was trained on 2 ms to 60 s and answers null outside of it. Use ticks, or bars in place of their closes.',
      isWarning: true,
    });
    const [dense] = await notesOf(rows(300, 1), { trained });
    expect(dense).to.include({ isWarning: true });
    // The median comes from a histogram: it is near, not exact.
    expect(dense?.text).to.match(/^The usual step between ticks is (0\.9\d?|1) ms; .* answers null outside of it\.$/);
  });

  it('names no option of the command line in format, plan and notes', async () => {
    const bar = (i: number): string =>
      `2024-01-02T09:${String(i % 60).padStart(2, '0')}:00,${1 + (i % 7) / 100},1.09,0.99,${1 + (i % 5) / 100},1`;
    const bars = `time,open,high,low,close,volume\n${Array.from({ length: 60 }, (_, i) => bar(i)).join('\n')}\n`;
    const trade = (i: number): string => `20240102 0910${String(i % 60).padStart(2, '0')};1.1${i % 9};${(i % 5) + 1}`;
    const trades = `${Array.from({ length: 60 }, (_, i) => trade(i)).join('\n')}\n`;
    for (const text of [bars, trades]) {
      const { format, plan, notes } = await importFile(bytesOf(text), 'ticks.csv', new TickRing(1000), NOTHING_KNOWN);
      expect([format, plan, ...notes.map((note) => note.text)].join(' ')).to.not.match(/--\w/);
    }
  });

  it('shows the plan with the first and the last tick as they were read, their zone, and reads over a byte order mark', async () => {
    const local = `\ufeff${rows(300, 500).replaceAll('Z,', ',')}`;
    const { plan } = await importFile(bytesOf(local), 'ticks.csv', new TickRing(1000), { ...NOTHING_KNOWN, zone: 'EST' });
    expect(plan).to.equal(
      'Read by time: "time", year/month/day (by its name); price: "price" (by its name); the first tick is 2024-01-09 14:00:00.000 UTC at 100, the last 2024-01-09 14:02:29.500 UTC at 100.03; stamps without a zone were read as EST.',
    );
    const zoned = await importFile(bytesOf(rows(300, 500)), 'ticks.csv', new TickRing(1000), NOTHING_KNOWN);
    expect(zoned.plan).to.match(/the first tick is 2024-01-09 09:00:00\.000 UTC at 100, the last .* UTC at [\d.]+\.$/);
  });

  it('says how long bars are, and what their stamps were read as', async () => {
    const bars = rows(300, 60_000)
      .replace('time,price', 'date,open,high,low,close')
      .replaceAll(/,(\d[\d.]*)$/gm, ',$1,$1,$1,$1');
    const ring = new TickRing(1000);
    const unknown = await importFile(bytesOf(bars), 'bars.csv', ring, NOTHING_KNOWN);
    expect(unknown.bars).to.deep.equal({ periodMs: 60_000, barTime: null });
    const { bars: told } = await importFile(bytesOf(bars), 'bars.csv', new TickRing(1000), { ...NOTHING_KNOWN, barTime: 'close' });
    expect(told).to.deep.equal({ periodMs: 60_000, barTime: 'close' });
    expect(ring.toSeries().bars?.ranges?.low[7]).to.equal(ring.toSeries().prices[7]);
  });

  it('keeps bid and ask, which the page sends', async () => {
    const ring = new TickRing(200);
    const quotes = rows(300, 500)
      .replace('price', 'bid,ask')
      .replaceAll(/,([\d.]+)$/gm, ',$1,$1');
    await importFile(bytesOf(quotes.replaceAll(/,[\d.]+$/gm, ',100.5')), 'quotes.csv', ring, NOTHING_KNOWN);
    const { quotes: kept } = ring.toSeries();
    expect([kept?.bids.length, kept?.bids[0], kept?.asks[199]]).to.deep.equal([200, 100 + ((100 * 7) % 11) / 100, 100.5]);
  });

  it('puts warnings first', async () => {
    const notes = await notesOf(rows(300, 300_000).replaceAll('Z,', ','), { trained });
    expect(notes.map(({ isWarning }) => isWarning)).to.deep.equal([true, false]);
  });

  it('says nothing of the density where it fits, and where the range is not known', async () => {
    expect(await notesOf(rows(300, 500), { trained })).to.deep.equal([]);
    expect(await notesOf(rows(300, 300_000))).to.deep.equal([]);
  });

  it('chooses advice by its code: what concerns the file is shown, commands are not', async () => {
    const spiky = rows(600, 500).replace(/(.*\n){400}/, (head) => head.replace(/,[\d.]+\n$/, ',150\n'));
    const notes = await notesOf(spiky);
    expect(notes).to.have.length(1);
    expect(notes[0]?.text).to.match(/comes back.*Compare with another source: wrong ticks make moves that never happened\.$/);
  });

  it('leaves out advice that names an option of the command line, and keeps the rest', async () => {
    const notes = await notesOf(rows(300, 500).replaceAll('Z,', ','));
    expect(notes).to.deep.equal([{ text: 'The stamps carry no zone; they were read as UTC.', isWarning: false }]);
    expect(await notesOf(rows(300, 500).replaceAll('Z,', ','), { zone: 'EST' })).to.deep.equal([]);
  });

  it('offers the ways to read a file that does not tell, reads it in the chosen one, and never speaks of a command', async () => {
    const refusal = async (text: string) => {
      const error: unknown = await importFile(bytesOf(text), 'two.csv', new TickRing(1000), NOTHING_KNOWN).catch(
        (thrown: unknown) => thrown,
      );
      return refusalOf(error)!;
    };
    const two = rows(300, 500)
      .replace('time,price', 'time,symbol,price')
      .replaceAll(/Z,(?=.*[02468]$)/gm, 'Z,A1,')
      .replaceAll('Z,1', 'Z,B1,1');
    const { message, ways } = await refusal(two);
    expect(message).to.match(/several markets.*Choose below how it is read\.$/);
    expect(ways.map(wayText)).to.deep.equal(['only A1', 'only B1']);
    const ring = new TickRing(1000);
    await importFile(bytesOf(two), 'two.csv', ring, { ...NOTHING_KNOWN, way: ways[0] });
    expect(ring.count).to.be.within(1, 299);
    const prices = rows(300, 500)
      .replace('time,price', 'time,first one,second')
      .replaceAll(/,([\d.]+)$/gm, (_, price: string) => `,${price},${(Number(price) + 0.01).toFixed(2)}`);
    const columns = await refusal(prices);
    expect(columns.ways.map(wayText)).to.deep.equal(['time: time, price: first one']);
    const named = new TickRing(1000);
    await importFile(bytesOf(prices), 'prices.csv', named, { ...NOTHING_KNOWN, way: columns.ways[0] });
    expect(named.toSeries().prices[0]).to.equal(100);
    const dates = 'time,price\n03/04/2024 09:00:00.000,100\n03/04/2024 09:00:01.000,101\n';
    const orders = await refusal(dates);
    expect(orders.ways.map(wayText)).to.deep.equal(['day, month, year', 'month, day, year']);
    const dated = new TickRing(1000);
    await importFile(bytesOf(dates), 'dates.csv', dated, { ...NOTHING_KNOWN, way: orders.ways[1] });
    expect(dated.toSeries().timesUs[0]).to.equal(Date.UTC(2024, 2, 4, 9) * 1000);
    const late = rows(300, 500).split('\n');
    [late[10], late[250]] = [late[250], late[10]];
    for (const text of [late.join('\n'), 'a,b\nx,y\nx,z\n', two, prices, dates]) expect((await refusal(text)).message).to.not.include('--');
    expect((await refusal(dates.replaceAll('03/04', '33/44'))).ways).to.deep.equal([]);
    expect(refusalOf(new Error('other'))).to.equal(undefined);
  });
});
