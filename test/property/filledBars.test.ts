import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../src/core/Random.ts';
import { parseBarRequest, parseNextBars, parseObservedBars, type BarLists } from '../../src/ticks/parseBarRequest.ts';
import { scanObserved, scanTickBody } from '../../src/ticks/scanTickBody.ts';
import { importBytes } from '../support/importBytes.ts';

const START_MS = Date.UTC(2025, 2, 3);
type Bar = readonly [ms: number, open: number, high: number, low: number, close: number, volume: number];

/** Minutes of a market, and the same with the closed ones filled with the last close. */
function filled(seed: number, count: number, closed: (i: number) => boolean): { readonly all: Bar[]; readonly real: Bar[] } {
  const random = seededRandom(seed);
  let close = 1.09;
  const all = Array.from({ length: count }, (_, i): Bar => {
    const ms = START_MS + 60_000 * i;
    if (i > 0 && closed(i)) return [ms, close, close, close, close, 0];
    const open = close;
    // Some minutes with trades stand still, and some without any move.
    const still = random.uniform() < 0.2;
    close = still ? open : Number((open * Math.exp(1e-4 * random.normal())).toFixed(6));
    const isQuiet = close !== open && random.uniform() < 0.1;
    return [ms, open, Math.max(open, close), Math.min(open, close), close, isQuiet ? 0 : 1 + random.integer(50)];
  });
  return { all, real: all.filter((_, i) => i === 0 || !closed(i)) };
}

const closings = fc.record({
  seed: fc.integer({ min: 1, max: 1e6 }),
  period: fc.integer({ min: 2, max: 90 }),
  open: fc.integer({ min: 1, max: 60 }),
});
const of = ({ seed, period, open }: { seed: number; period: number; open: number }, count = 420) =>
  filled(seed, count, (i) => i > 30 && i % (period + open) >= open);

function listsOf(bars: readonly Bar[], withRanges: boolean): BarLists & { Volume: number[] } {
  const column = (at: number): number[] => bars.map((bar) => bar[at]);
  const base = { Timestamp: column(0), Close: column(4), Volume: column(5) };
  return withRanges ? { ...base, Open: column(1), High: column(2), Low: column(3) } : base;
}
const csv = (bars: readonly Bar[]): string =>
  `open_time,open,high,low,close,volume\n${bars.map(([ms, ...rest]) => `${new Date(ms).toISOString()},${rest.join()}\n`).join('')}`;

describe('bars that fill a closed market', () => {
  it('are left out of a body as if they were missing, by the fast path and by the slow one', () => {
    fc.assert(
      fc.property(closings, fc.boolean(), (closing, withRanges) => {
        const { all, real } = of(closing);
        const kept = withRanges ? real : real.filter((bar, i) => i === 0 || bar[5] > 0 || bar[4] !== real[i - 1][4]);
        if (kept.length < 200) return;
        const { series, bars } = parseObservedBars(listsOf(kept, withRanges), 'open');
        for (const time of ['open', 'close'] as const) {
          const lists = listsOf(all, withRanges);
          const given = parseObservedBars(lists, time);
          expect([...given.series.prices]).to.deep.equal([...series.prices]);
          expect(given.bars.ranges?.high).to.deep.equal(bars.ranges?.high);
          expect(scanObserved(Buffer.from(JSON.stringify(lists)), time)?.series).to.deep.equal(given.series);
          const withFuture = Object.fromEntries(
            Object.entries(lists).map(([name, list]) => [name, [...(list as number[]), name === 'Timestamp' ? START_MS + 9e7 : 0]]),
          ) as unknown as BarLists;
          expect(parseBarRequest(withFuture, time).series).to.deep.equal(given.series);
          expect(scanTickBody(Buffer.from(JSON.stringify(withFuture)), time)?.series).to.deep.equal(given.series);
        }
        expect(given(all, withRanges)).to.deep.equal([...series.prices]);
      }),
      { numRuns: 40 },
    );
  });

  it('are left out of a file, also from newest to oldest', async () => {
    await fc.assert(
      fc.asyncProperty(closings, fc.boolean(), async (closing, isNewestFirst) => {
        const { all, real } = of(closing);
        const rows = isNewestFirst ? all.toReversed() : all;
        const read = await importBytes(csv(rows), { barTime: 'open', doubts: 'report' });
        expect(read.prices).to.deep.equal(real.map((bar) => bar[4]));
        const left = all.length - real.length;
        expect(read.report.notes.find(({ code }) => code === 'row.filled')?.count ?? 0).to.equal(left);
        expect(read.report).to.include({ ticks: real.length, rows: real.length });
      }),
      { numRuns: 25 },
    );
  });

  it('are bars like others where no volume is known, or one of their prices differs', async () => {
    const { all } = of({ seed: 5, period: 50, open: 20 });
    const unknown = all.map((bar): Bar => [...bar.slice(0, 5), 0] as unknown as Bar);
    expect(parseObservedBars(listsOf(unknown, true), 'open').series.prices).to.have.length(all.length);
    expect((await importBytes(csv(unknown), { barTime: 'open', doubts: 'report' })).prices).to.have.length(all.length);
    const moved = all.map((bar): Bar => (bar[5] === 0 ? [bar[0], bar[1], bar[2] + 1e-5, bar[3], bar[4], 0] : bar));
    expect(parseObservedBars(listsOf(moved, true), 'open').series.prices).to.have.length(all.length);
    expect((await importBytes(csv(moved), { barTime: 'open', doubts: 'report' })).prices).to.have.length(all.length);
  });
});

/** The closes of bars that come one by one, as in a live series. */
function given(bars: readonly Bar[], withRanges: boolean): number[] {
  const prices: number[] = [];
  let [lastUs, hasVolume] = [undefined as number | undefined, false];
  for (const bar of bars) {
    const { series } = parseNextBars(listsOf([bar], withRanges), 'open', { periodMs: 60_000, lastUs, close: prices.at(-1), hasVolume });
    hasVolume ||= bar[5] > 0;
    prices.push(...series.prices);
    lastUs = series.timesUs.at(-1) ?? lastUs;
  }
  return prices;
}
